// The official conformance suite for clients, in both revisions: it starts servers, runs our client against
// each (conformance-client.program.ts), and judges what was said.

import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parseYaml } from "@aos/daemon/parts";
import { leftOut } from "./conformance-left-out.ts";
import { folderForTest } from "./rig.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SUITE = join(ROOT, "node_modules/@modelcontextprotocol/conformance");
const CLIENT = fileURLToPath(new URL("conformance-client.program.ts", import.meta.url));

interface Requirements {
  readonly client: readonly string[];
  readonly not_scored: readonly { readonly scenario: string; readonly leg: string }[];
}

/** Where a scenario's checks are: the suite adds the time to its name. */
function judgements(folder: string): Map<string, readonly { status: string; id: string }[]> {
  const found = new Map<string, { status: string; id: string }[]>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.name !== "checks.json") continue;
    const scenario = relative(folder, entry.parentPath).replace(/-\d{4}-\d\d-\d\dT[\w-]+$/, "");
    const checks = readFileSync(join(entry.parentPath, entry.name), "utf8");
    found.set(scenario, JSON.parse(checks) as { status: string; id: string }[]);
  }
  return found;
}

function runSuite(revision: string, folder: string): Promise<void> {
  const suite = [join(SUITE, "dist/index.js"), "client", "--requirements", revision];
  const ours = ["--command", `${process.execPath} ${CLIENT}`, "--timeout", "100000", "-o", folder];
  // Our node first: the suite starts ours by its path, and itself by this.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` };
  const child = spawn(process.execPath, [...suite, ...ours], { cwd: folder, env, stdio: "ignore" });
  return new Promise((resolve) => {
    child.once("close", () => resolve());
  });
}

test.each(["2025-11-25", "2026-07-28"])(
  "every scored scenario of %s passes, and of the others all but those that are left out",
  async (revision) => {
    const folder = folderForTest();
    const file = join(SUITE, "requirements", `${revision}.yaml`);
    const { client: scored, not_scored: others } = parseYaml(readFileSync(file, "utf8"), file)
      .written as Requirements;
    const unscored = others.filter(({ leg }) => leg === "client").map(({ scenario }) => scenario);

    await runSuite(revision, folder);

    const judged = judgements(folder);
    const failed = [...judged]
      .filter(([, checks]) => checks.some(({ status }) => ["FAILURE", "WARNING"].includes(status)))
      .map(([scenario]) => scenario);
    expect([...judged.keys()].sort()).toEqual([...scored, ...unscored].sort());
    expect(failed.filter((scenario) => scored.includes(scenario))).toEqual([]);
    expect(failed.sort()).toEqual(Object.keys(leftOut).sort());
    for (const scenario of scored) expect(judged.get(scenario)?.length).toBeGreaterThan(0);
  },
);
