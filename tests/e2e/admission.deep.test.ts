// Work that waits its turn, agents that are asked, and a daemon that is killed meanwhile.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { killDaemon, type TestHome } from "./home.ts";
import { addAgent, createTestProject, type TestProject } from "./project.ts";

/** Answers whatever it is asked, with how many it has answered. */
const CLERK = `
for (let answered = 1; ; answered++) {
  const { result } = await call("receive", { type: "invoke" });
  const { input, context } = result.body;
  if (input === "slow") await call("receive", { type: "go" });
  await call("send", { to: "operator", body: { answered, input, context }, replyTo: result.id });
}
`;

/**
 * At work until a file is there, and never in a wait that a restart leaves on the disk: it has its place again
 * after a restart, whenever the daemon was killed.
 */
const WORKER = `
const { existsSync } = await import("node:fs");
while (!existsSync("finish")) await new Promise((resolve) => setTimeout(resolve, 50));
say("exit", { code: 0, output: "done" });
`;

let project: TestProject;
let home: TestHome;

beforeAll(async () => {
  project = createTestProject();
  ({ home } = project);
  addAgent(project.folder, "clerk", CLERK);
  addAgent(project.folder, "worker", WORKER);
  mkdirSync(home.folder, { recursive: true, mode: 0o700 });
  // Who waits for a message keeps its place, however slow the machine is.
  const config = "scheduler: { running: 1, queued: 3, queuedPerTenant: 3 }\nunloadAfter: 1h\n";
  writeFileSync(join(home.folder, "config.yaml"), config, { mode: 0o600 });
  await home.aos("up", "-d");
});
afterAll(() => project.remove());

async function submitted(...words: string[]): Promise<{ pid: string; place: number | null }> {
  return (await project.aos("submit", ...words, "-o", "json")).json() as never;
}

const stateOf = async (pid: string): Promise<string> =>
  ((await home.aos("show", pid, "-o", "json")).json() as { state: string }).state;

test("what is submitted waits, survives kill -9, and begins in its order", async () => {
  const first = await submitted("worker.yaml");
  const second = await submitted("listener", "--deadline", "1h");
  const third = await submitted("listener", "--lane", "low", "--ttl", "hops=1,wall=1h");
  const fourth = await submitted("listener");
  expect([first, second, third, fourth].map(({ place }) => place)).toEqual([null, 1, 1, 3]);

  const full = await project.aos("submit", "listener", "-o", "json");
  expect(full.code).toBe(67);
  expect(full.error()).toMatchObject({ code: "EAGAIN", hint: /^try again in \d+ s/ });
  const niced = await home.aos("nice", fourth.pid, "critical", "-o", "json");
  expect(niced.json()).toEqual({ pid: fourth.pid, lane: "critical" });
  await killDaemon(home.folder);

  expect(await stateOf(third.pid)).toBe("pending"); // by a new daemon
  const wide = (await home.aos("ps", "--wide")).stdout;
  expect(wide).toMatch(/PID .* LANE +DEADLINE +PARENT/);
  expect(wide).toMatch(new RegExp(`${fourth.pid}.* critical`));
  const pending = async () =>
    ((await home.aos("ps", "--state", "pending", "-o", "json")).json() as { pid: string }[])
      .map(({ pid }) => pid)
      .sort();
  const left = new Set([second.pid, third.pid, fourth.pid]);
  await project.until(first.pid, "running");
  expect(await pending()).toEqual([...left].sort());
  writeFileSync(join(project.folder, "finish"), "");
  expect((await home.aos("wait", first.pid)).stdout).toBe("done\n");
  for (const { pid } of [fourth, third, second]) {
    await project.until(pid, "waiting");
    left.delete(pid);
    expect(await pending()).toEqual([...left].sort());
    await home.aos("send", pid, "done");
    expect((await home.aos("wait", pid)).stdout).toBe("done\n");
  }
});

test("one that waits can be paused, resumed, waited for and killed", async () => {
  const runs = await submitted("listener");
  const waits = await submitted("listener");

  await home.aos("pause", waits.pid);
  await project.until(waits.pid, "paused");
  await home.aos("resume", waits.pid);
  await project.until(waits.pid, "pending");
  const waited = await home.aos("wait", waits.pid, "--timeout", "100ms");
  await home.aos("kill", waits.pid);

  expect(waited.code).toBe(66);
  expect((await home.aos("wait", waits.pid)).code).toBe(130);
  await home.aos("send", runs.pid, "end");
  await home.aos("wait", runs.pid);
});

test("submit --wait prints the result", async () => {
  const file = join(project.folder, "fails.yaml");

  const ran = await home.aos("submit", file, "--wait");

  expect(ran).toMatchObject({ code: 96, stdout: "refused\n" });
  expect(ran.stderr).toContain("the process has started");
});

test("an agent is asked, with a context; the same key has the same answer, over kill -9 too", async () => {
  const pid = await project.spawned("clerk.yaml");
  const context = [{ role: "user", content: "before" }];
  writeFileSync(join(project.folder, "context.json"), JSON.stringify(context));

  const first = await project.aos("invoke", pid, "hi", "--context", "context.json", "-o", "json");
  const slow = await project.aos("invoke", pid, "slow", "--key", "k", "--timeout", "300ms");
  await killDaemon(home.folder);
  const asked = project.aos("invoke", pid, "slow", "--key", "k", "-o", "json");
  await home.aos("send", pid, "now", "--type", "go");
  const [once, again] = [await asked, await project.aos("invoke", pid, "--key", "k", "-o", "json")];

  expect(first.json()).toMatchObject({ isRepeat: false, output: { input: "hi", context } });
  expect(slow).toMatchObject({ code: 66, stdout: "" });
  expect(once, once.stderr).toMatchObject({ code: 0 });
  expect(once.json()).toMatchObject({ pid, isRepeat: true, output: { answered: 2 } });
  expect(again.json()).toEqual(once.json());
  expect((await home.aos("invoke", pid, "--input-json", "3")).stdout).toContain('"answered": 3');
  await home.aos("kill", pid);
  await home.aos("wait", pid);
});

test.each([
  [["nice", "agt_x", "urgent"], "unknown lane"],
  [["submit", "listener", "--ttl", "depth=1"], "--ttl: unknown limit"],
  [["spawn", "listener", "--deadline", "soon"], "--deadline: "],
  [["invoke", "agt_x", "a", "--input-json", "1"], "the input was given more than once"],
])("aos %j is refused", async (words, why) => {
  const ran = await project.aos(...words);

  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(`aos: ${why}`);
});
