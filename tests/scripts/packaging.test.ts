// What packages are made of: manual pages, maintainer scripts, the unit, the chart, Compose, cloud-init. Programs that judge
// them (man, shellcheck, systemd-analyze) are used where they are installed.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { syscalls } from "@aos/protocol";
import { commands, commandShape } from "@aos/cli/parts";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { manualPages } from "../../scripts/man/manual.ts";
import { roffPage } from "../../scripts/man/roff.ts";
import { debianChangelog, releaseTime } from "../../scripts/deb/documents.ts";

const packaging = join(import.meta.dirname, "../../packaging");
const read = (path: string) => readFileSync(join(packaging, path), "utf8");
const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "aos-packaging-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe("the manual", () => {
  const pages = manualPages();

  test("MANUAL-1: every command and every system call has its page, and so have the files and the whole", () => {
    const wanted = [
      ...commands.map((row) => `man1/aos-${commandShape(row).names.join("-")}.1`),
      ...Object.keys(syscalls).map((name) => `man2/aos-${name}.2`),
      "man1/aos.1",
      "man5/agent.yaml.5",
      "man5/aos-config.yaml.5",
      "man7/agent-os.7",
    ];

    expect(wanted.filter((page) => !pages.has(page))).toEqual([]);
  });

  test("ROFF-1: what a page says is no command of the formatter", () => {
    const title = { name: "x", section: 1, summary: "x", version: "0", manual: "x" };
    const text = roffPage(
      title,
      ".so /etc/passwd\n\n'br \\fBbold\n\n```\n.sy rm\n```\n\n| a |\n| - |\n| .de x |\n",
    );

    expect(text.split("\n").filter((line) => /^[.'](?:so|br|sy|de)/.test(line))).toEqual([]);
    expect(text).toContain(String.raw`\efBbold`);
  });

  test.skipIf(!has("man"))("man has nothing against any page", () => {
    const folder = temporary();
    const files = [...pages].map(([path, text]) => {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    });
    const env = { ...process.env, LC_ALL: "C.UTF-8", MANROFFSEQ: "", MANWIDTH: "80" };
    // One in four: a formatter is started for each.
    const sample = files.filter((_, nth) => nth % 4 === 0 || /\.[57]$/.test(files[nth]!));

    for (const file of sample) {
      const words = ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", file];
      const { status, stderr } = spawnSync("man", words, { env, encoding: "utf8" });
      expect({ file, status, stderr }).toEqual({ file, status: 0, stderr: "" });
    }
  });
});

describe("the Debian package", () => {
  test("its changelog has every release of CHANGELOG.md, with its day", () => {
    const markdown =
      "# C\n\n## [0.2.0] - 2026-01-02\n\n### Added\n\n- A `thing`.\n\n## [0.1.0] - 2026-01-01\n\n- First.\n";

    expect(debianChangelog(markdown)).toMatch(
      /^agent-os \(0\.2\.0\) stable; urgency=medium\n\n {2}\* A thing\.\n\n -- .* {2}Fri, 02 Jan 2026 00:00:00 \+0000\n\nagent-os \(0\.1\.0\)/,
    );
    expect(releaseTime(markdown)).toBe(Date.UTC(2026, 0, 2) / 1000);
  });

  test.skipIf(!has("shellcheck"))("shellcheck has nothing against its scripts", () => {
    const scripts = [
      "deb/postinst",
      "deb/prerm",
      "deb/postrm",
      "deb/agent-os.init",
      "image/build.sh",
    ];
    const { status, stdout } = spawnSync(
      "shellcheck",
      ["-s", "sh", "-e", "SC1091", ...scripts.map((path) => join(packaging, path))],
      { encoding: "utf8" },
    );

    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  });

  test.skipIf(!has("systemd-analyze")).each([
    ["strict", 2.0, false],
    ["with the drop-in for the sandbox", 3.5, true],
  ])("the exposure of the unit, %s, is at most %d", (_name, most, withSandbox) => {
    const folder = temporary();
    const unit = join(folder, "agent-os.service");
    writeFileSync(unit, read("deb/agent-os.service").replace("@daemon@", "/bin/true"));
    if (withSandbox) {
      mkdirSync(`${unit}.d`);
      writeFileSync(join(`${unit}.d`, "sandbox.conf"), read("deb/sandbox.conf"));
    }
    const { stdout } = spawnSync(
      "systemd-analyze",
      ["security", "--offline=true", "--no-pager", unit],
      { encoding: "utf8" },
    );

    const level = Number(
      /Overall exposure level for agent-os\.service: ([\d.]+)/.exec(stdout)?.[1],
    );
    expect(level).toBeGreaterThan(0);
    expect(level).toBeLessThanOrEqual(most);
  });
});

/** The templates without what helm would put in: enough to see their form. */
const bare = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !/^\s*\{\{[^{}]*\}\}\s*$/.test(line))
    .join("\n")
    .replaceAll(/\{\{[^{}]*\}\}/g, "x");

describe("the chart", () => {
  const folder = "helm/agent-os/templates";
  const templates = readdirSync(join(packaging, folder)).filter((name) => name.endsWith(".yaml"));
  const kinds = Object.fromEntries(
    templates.map((name) => {
      const value = parse(bare(read(`${folder}/${name}`))) as { kind: string };
      return [value.kind, value];
    }),
  ) as Record<string, object>;

  test("it has what a cluster needs, and its pod is closed", () => {
    expect(Object.keys(kinds).toSorted()).toEqual([
      "ConfigMap",
      "NetworkPolicy",
      "PodDisruptionBudget",
      "Service",
      "ServiceMonitor",
      "StatefulSet",
    ]);
    expect(kinds["StatefulSet"]).toMatchObject({
      spec: {
        template: {
          spec: {
            automountServiceAccountToken: false,
            securityContext: { runAsNonRoot: true, runAsUser: 10_001 },
            containers: [
              {
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ["ALL"] },
                },
                // The folder of a volume belongs to root: the daemon could not close it to others.
                env: expect.arrayContaining([{ name: "AOS_HOME", value: "/var/lib/aos/home" }]),
                volumeMounts: expect.arrayContaining([{ name: "home", mountPath: "/var/lib/aos" }]),
                startupProbe: { httpGet: { path: "/healthz" } },
                livenessProbe: { httpGet: { path: "/healthz" } },
                readinessProbe: { httpGet: { path: "/readyz" } },
              },
            ],
          },
        },
      },
    });
  });

  test("its daemon answers to the names of its service", () => {
    const names = read(`${folder}/_names.tpl`);

    expect(names).toContain('dict "http" (dict "hosts" $hosts)');
    expect(read(`${folder}/configmap.yaml`)).toContain('include "agent-os.config"');
  });

  test("templates and values.yaml name the same values", () => {
    const text = readdirSync(join(packaging, folder))
      .map((name) => read(`${folder}/${name}`))
      .join("\n");
    const used = [...text.matchAll(/\.Values\.([A-Za-z.]+)/g)].map(([, path]) => path!);
    const values = parse(read("helm/agent-os/values.yaml")) as object;
    const known = new Set<string>();
    const walk = (at: object, above: string) => {
      for (const [key, value] of Object.entries(at)) {
        const path = above === "" ? key : `${above}.${key}`;
        known.add(path);
        if (typeof value === "object" && value !== null && !Array.isArray(value))
          walk(value as object, path);
      }
    };
    walk(values, "");

    expect(used.filter((path) => !known.has(path))).toEqual([]);
    const leaves = [...known].filter(
      (path) => ![...known].some((one) => one.startsWith(`${path}.`)),
    );
    expect(
      leaves.filter((leaf) => !used.some((path) => leaf === path || leaf.startsWith(`${path}.`))),
    ).toEqual([]);
  });
});

test("Compose has a read-only root, a user that is not root, a health check and PostgreSQL", () => {
  const { services } = parse(read("image/compose.yaml")) as { services: Record<string, object> };

  expect(services["aos"]).toMatchObject({
    read_only: true,
    user: "10001:10001",
    cap_drop: ["ALL"],
    environment: { AOS_DATABASE_URL: expect.stringMatching(/^postgres:\/\//) },
    healthcheck: { test: expect.arrayContaining(["/usr/bin/aos"]) },
    depends_on: { db: { condition: "service_healthy" } },
  });
  expect(services["db"]).toMatchObject({ image: expect.stringMatching(/^postgres:/) });
});

test("cloud-init checks what it installs", () => {
  const text = read("appliance/cloud-init.yaml");
  const [document] = parseAllDocuments(text);

  expect(text.startsWith("#cloud-config\n")).toBe(true);
  expect((document as { errors: unknown[] }).errors).toEqual([]);
  expect(text).toContain("sha256sum --check");
});
