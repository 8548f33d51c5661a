// A project's own policy binds what is started from its folder, and nobody else; it can only take away.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PowerReport } from "@aos/protocol";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createWorld, ECHO, manifest, policy, write, type Step, type World } from "./world.ts";

let world: World;

const NO_ECHO = policy('{ id: no-echo, deny: "tool:echo" }');
const SECURITY = `---
kernel: { version: "1.0", mode: strict }
signals: [SIGTERM]
policies:
  - { action: "*", effect: allow }
---
# Ours
`;
const HEAR: Step = ["receive", {}];
const agents = () => join(world.folder, ".agents");

/** Writes files of the project, and trusts it with them. */
async function put(files: Readonly<Record<string, string>>): Promise<void> {
  write(world.folder, files);
  await world.aos("trust", "--yes");
}

beforeAll(async () => {
  world = createWorld();
  write(world.home.folder, { "agents/homely.yaml": manifest("homely", ["tool:echo:call"]) });
  writeFileSync(
    join(world.home.folder, "agents/doer.mjs"),
    readFileSync(join(world.folder, "doer.mjs"), "utf8"),
  );
  await world.home.aos("up", "-d");
});
afterEach(() => rmSync(agents(), { recursive: true, force: true }));
afterAll(() => world.remove());

const layersOf = async (pid: string) =>
  ((await world.aos("caps", "show", pid, "-o", "json")).json() as PowerReport).layers;

test("the nearest .agents above the agent's folder counts, from the first call on", async () => {
  await put({ ".agents/policy.yaml": NO_ECHO });
  mkdirSync(join(world.folder, "deep/er"), { recursive: true });
  write(join(world.folder, "deep/er"), {
    "doer.yaml": manifest("deep", ["tool:echo:call"]),
    "doer.mjs": readFileSync(join(world.folder, "doer.mjs"), "utf8"),
  });

  const pid = await world.does([ECHO], "deep/er/doer.yaml");

  expect(await world.did(pid)).toEqual(["EPOLICY"]);
  expect(await layersOf(pid)).toEqual(["kernel", `project:${world.folder}`]);
});

test("the .agents of the folder where it is called counts, for an agent of the home", async () => {
  await put({ ".agents/policy.yaml": NO_ECHO });

  const steps = JSON.stringify([ECHO]);
  const here = await world.aos("run", "homely", "--input-json", steps);
  const elsewhere = await world.home.aosWith({ cwd: "/" }, "run", "homely", "--input-json", steps);

  expect(here.stdout).toContain("EPOLICY");
  expect(elsewhere.stdout).toContain("hi");
});

test("policy.yaml and security.md are a layer each, and the allowed signals are held to", async () => {
  await put({ ".agents/policy.yaml": policy(), ".agents/security.md": SECURITY });
  const pid = await world.does([HEAR]);
  await world.until(pid, "waiting");

  const refused = await world.aos("signal", pid, "USR1", "-o", "json");

  expect(await layersOf(pid)).toEqual([
    "kernel",
    `project:${world.folder}`,
    `project:${world.folder}#security`,
  ]);
  expect(refused.error().code).toBe("EPOLICY");
  await world.aos("kill", "-KILL", pid);
});

test("a bad file refuses the start, with file and line, and nothing has begun", async () => {
  await put({ ".agents/policy.yaml": "version: 1\nrules:\n  - { id: a, alow: '*' }\n" });
  const before = (await world.aos("ps", "-a", "-o", "json")).stdout;

  const ran = await world.aos("spawn", "doer.yaml", "--input-json", "[]");

  expect(ran.stderr).toMatch(/\.agents\/policy\.yaml:3: rules\[0\]\.alow: /);
  expect(ran.code).toBe(2);
  expect((await world.aos("ps", "-a", "-o", "json")).stdout).toBe(before);
});

test("a policy that nobody trusted binds nobody; a changed one counts once it is trusted again", async () => {
  rmSync(agents(), { recursive: true, force: true });
  await world.aos("trust", "rm", ".");
  write(world.folder, { ".agents/policy.yaml": NO_ECHO });
  const stranger = await world.did(await world.does([ECHO]));
  await world.aos("trust", "--yes");
  const first = await world.did(await world.does([ECHO]));
  write(world.folder, { ".agents/policy.yaml": policy() });
  const overwritten = await world.did(await world.does([ECHO]));
  const { stdout } = await world.aos("trust", "ls");
  await world.aos("trust", "--yes");
  const second = await world.did(await world.does([ECHO]));

  expect(stranger).toEqual([{ text: "hi" }]);
  expect([first, overwritten]).toEqual([["EPOLICY"], ["EPOLICY"]]);
  expect(stdout).toMatch(/changed/);
  expect(second).toEqual([{ text: "hi" }]);
});

test("after a crash a process goes on under it, also without the file; without trust all is denied", async () => {
  await put({ ".agents/policy.yaml": policy() });
  const kept = await world.does([HEAR, ECHO]);
  await world.until(kept, "waiting");
  await world.crash();
  rmSync(agents(), { recursive: true });
  await world.aos("send", kept, "go");
  expect((await world.did(kept))[1]).toEqual({ text: "hi" });

  const lost = await world.does([HEAR, ECHO]);
  await world.until(lost, "waiting");
  await world.aos("trust", "rm", ".");
  await world.crash();
  const other = await world.home.aosWith({ cwd: "/" }, "run", "homely", "--input-json", "[]");
  await world.aos("send", lost, "go");

  expect(other.code).toBe(0);
  expect((await world.did(lost))[1]).toBe("EPOLICY");
  expect(readFileSync(join(world.home.folder, "daemon.log"), "utf8")).toContain(
    "policy is missing",
  );
});

test("a project whose file went bad keeps its trusted rules, and nobody from a reload", async () => {
  await put({ ".agents/policy.yaml": policy() });
  const pid = await world.does([HEAR, ECHO]);
  await world.until(pid, "waiting");
  await world.aos("down");
  write(world.folder, { ".agents/policy.yaml": "version: 1\nrules: [{ id: a, deny: raed }]\n" });

  const up = await world.aos("up", "-d");
  const reloaded = await world.aos("policy", "reload");
  await world.aos("send", pid, "go");

  expect([up.code, reloaded.code]).toEqual([0, 0]);
  expect((await world.did(pid))[1]).toEqual({ text: "hi" });
});
