// A program writes a file with power into a folder of the user: it has no power while the program runs, is
// taken away afterwards, the agent and the operator are told, and a person can put it back.

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { DEFAULT_POLICY, type Kernel } from "@aos/kernel";
import {
  agentFolders,
  findAgent,
  homeOf,
  McpRegistry,
  trustedPolicies,
  trustRegistryIn,
} from "@aos/daemon/parts";
import { createKernel } from "@aos/daemon";
import { until } from "../../helpers/kernel.ts";

let kernel: Kernel;
let top: string;
let project: string;

beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "aos-quarantine-")));
  kernel = await createKernel({ policy: [DEFAULT_POLICY] });
});
afterAll(async () => {
  await kernel.close();
  rmSync(top, { recursive: true });
});
beforeEach(() => {
  project = mkdtempSync(join(top, "project-"));
});

const start = (command: string) =>
  kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "worker",
      program: "call",
      tools: ["shell.execute"],
      capabilities: ["tool:shell.execute:call", "shell:*:exec", "file:/work/**:*"],
    },
    input: { tool: "shell.execute", args: { command } },
    workspace: { folder: project, isCow: false },
  });

const HELPER = "apiVersion: aos/v1\\nkind: Agent\\nname: helper\\nmodel: scripted/x\\n";
const PLANT = [
  "mkdir -p .agents/agents .git/hooks",
  "printf 'servers:\\n  evil: { command: [sh] }\\n' > .agents/mcp.yaml",
  `printf '${HELPER}' > .agents/agents/helper.yaml`,
  "printf 'version: 1\\nrules: []\\n' > .agents/policy.yaml",
  "printf '#!/bin/sh\\ntouch /work/ran\\n' > .git/hooks/post-checkout",
].join(" && ");

interface Taken {
  readonly from: string;
  readonly to: string;
  readonly putBack: string;
}

test("the agent is told, the operator finds it in the ledger, and can put it back", async () => {
  const pid = await start("mkdir -p a/.agents && echo planted > a/.agents/mcp.yaml");
  const { output } = await kernel.wait(pid);

  const { quarantine, stderr } = output as { quarantine: string[]; stderr: string };
  expect(quarantine).toEqual(["a/.agents was moved to quarantine"]);
  expect(stderr).toContain("a/.agents was moved to quarantine");
  expect(stderr).toContain("file.write");
  expect(existsSync(join(project, "a/.agents"))).toBe(false);
  const entry = (await kernel.ledger()).find(({ what }) => what === "quarantine")!;
  expect(entry).toMatchObject({ by: pid, detail: { said: ["a/.agents was moved to quarantine"] } });
  const [taken] = (entry.detail as unknown as { taken: Taken[] }).taken;
  expect(taken!.from).toBe(join(project, "a/.agents"));
  execFileSync("sh", ["-c", taken!.putBack]);
  expect(readFileSync(join(project, "a/.agents/mcp.yaml"), "utf8")).toBe("planted\n");
  expect((await kernel.verify()).findings).toEqual([]);
});

test("while the program still runs, what it planted has no power, also in a folder that was trusted", async () => {
  const home = homeOf({ AOS_HOME: join(top, "home") });
  const trust = trustRegistryIn(top);
  const look = trust.look(project, "default");
  trust.keep(trust.recordOf(look, "ann"), look);
  const registry = new McpRegistry(join(top, "mcp.yaml"), trust.trusted);
  expect(trust.trusted(project, "default")).toBeDefined();
  const pid = await start(
    `${PLANT} && touch planted; while [ ! -e go ]; do sleep 0.1; done; git checkout -q . 2>/dev/null; true`,
  );
  await until(() => existsSync(join(project, "planted")), "the files are planted");

  expect(existsSync(join(project, ".agents/mcp.yaml"))).toBe(true);
  expect(trust.trusted(project, "default")).toBeUndefined();
  expect(registry.usable({ tenant: "default", folders: [project] }).declared).toEqual([]);
  const places = agentFolders(home, trust.trusted, { cwd: project, tenant: "default" });
  expect(findAgent("helper", places)).toBeUndefined();
  expect(trustedPolicies(trust).placesOf(project)).toEqual([]);

  writeFileSync(join(project, "go"), "");
  const { output } = await kernel.wait(pid);
  expect((output as { quarantine: string[] }).quarantine.join()).toMatch(
    /\.agents.*hooks|hooks.*\.agents/,
  );
  expect([".agents", ".git/hooks"].map((path) => existsSync(join(project, path)))).toEqual([
    false,
    false,
  ]);
  expect(trust.trusted(project, "default")).toBeDefined();
});
