// What goes out beside the packages: the Grafana dashboard and the SBOM.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { promtool } from "../../scripts/components.ts";
import { runtimePackages } from "../../scripts/deb/dependencies.ts";
import { publicEntries, readManifest } from "../../scripts/package/contents.ts";
import { packageManifest } from "../../scripts/package/manifest.ts";
import { sbomOf } from "../../scripts/release/sbom.ts";

const top = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(top, path), "utf8");

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "aos-release-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe("the Grafana dashboard", () => {
  interface Panel {
    readonly id: number;
    readonly targets?: readonly { readonly expr: string }[];
  }
  const { panels } = JSON.parse(read("packaging/grafana/agent-os.json")) as { panels: Panel[] };
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  /** By name, with its labels. */
  const metrics = new Map(
    [...read("docs/man/metrics.md").matchAll(/^\| `(aos_\w+)`\s*\| \w+\s*\|([^|]*)\|/gm)].map(
      ([, name, labels]) => [name!, labels!.split(",").map((label) => label.trim())],
    ),
  );
  const namesIn = (text: string) => text.match(/\baos_\w+/g) ?? [];
  const known = (name: string) =>
    metrics.get(name) ?? metrics.get(name.replace(/_(sum|count)$/, ""));

  test("asks for metrics that there are, by labels that they have", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(expressions.flatMap(namesIn).filter((name) => known(name) === undefined)).toEqual([]);
    for (const expr of expressions) {
      const grouped = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(",") ?? [];
      const labels = new Set(namesIn(expr).flatMap((name) => known(name)!));
      expect({
        expr,
        unknown: grouped.map((one) => one.trim()).filter((one) => !labels.has(one)),
      }).toEqual({ expr, unknown: [] });
    }
  });

  test("shows every metric of ours; of the process and of Node, some", () => {
    const shown = new Set(expressions.flatMap(namesIn));
    const ours = [...metrics.keys()].filter((name) => !/^aos_(process|nodejs)_/.test(name));

    expect(ours.filter((name) => !shown.has(name))).toEqual([]);
  });

  const command = promtool();
  test.skipIf(command === undefined)("is understood by Prometheus", () => {
    const rules = expressions.map((expr, nth) => ({
      record: `panel:${nth}`,
      expr: expr.replaceAll(/\$__(rate_interval|interval|range)/g, "5m"),
    }));
    const file = join(temporary(), "rules.yaml");
    writeFileSync(file, stringify({ groups: [{ name: "dashboard", rules }] }));

    const { status, stderr } = spawnSync(command!, ["check", "rules", file], { encoding: "utf8" });

    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

describe("SBOM-1", () => {
  const folder = mkdtempSync(join(tmpdir(), "aos-sbom-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify(packageManifest(publicEntries(), [])));
  const packages = runtimePackages(folder);
  rmSync(folder, { recursive: true });
  const text = sbomOf(packages, 1_800_000_000);

  test("the same release has the same bytes", () => {
    expect(sbomOf(packages, 1_800_000_000)).toBe(text);
  });

  test("it names every package that is installed, once, with its version, licence and digest", () => {
    const { bomFormat, specVersion, serialNumber, components, metadata } = JSON.parse(text) as {
      bomFormat: string;
      specVersion: string;
      serialNumber: string;
      metadata: { component: { version: string } };
      components: {
        "bom-ref": string;
        name: string;
        purl?: string;
        hashes?: object[];
        licenses?: object[];
      }[];
    };
    const purls = components.flatMap(({ purl }) => purl ?? []);

    expect([bomFormat, specVersion]).toEqual(["CycloneDX", "1.6"]);
    expect(serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(metadata.component.version).toBe(readManifest("").version);
    expect(new Set(components.map((one) => one["bom-ref"])).size).toBe(components.length);
    for (const { name, version } of packages)
      expect(purls).toContain(`pkg:npm/${name.replace("@", "%40")}@${version}`);
    expect(purls.some((purl) => purl.startsWith("pkg:generic/node@24."))).toBe(true);
    const ofNpm = components.filter(({ purl }) => purl?.startsWith("pkg:npm/"));
    expect(ofNpm.filter(({ hashes, licenses }) => !hashes || !licenses)).toEqual([]);
  });
});
