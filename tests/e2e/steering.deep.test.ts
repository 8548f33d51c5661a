// Signals, questions and Ctrl-C from the command line.

import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { finish, type TestHome } from "./home.ts";
import { createTestProject, pidOf, type TestProject } from "./project.ts";

let project: TestProject;
let home: TestHome;

beforeAll(async () => {
  project = createTestProject();
  ({ home } = project);
  await home.aos("up", "-d");
});
afterAll(() => project.remove());

test("pause stops it, resume lets it go on", async () => {
  const pid = await project.spawned("listener");
  await project.until(pid, "waiting");

  await home.aos("pause", pid);
  await project.until(pid, "paused");
  await home.aos("send", pid, "go");
  await home.aos("resume", pid);

  expect((await home.aos("wait", pid)).stdout).toBe("go\n");
});

test.each([
  [["-KILL"], 137],
  [["-s", "INT"], 130],
])("kill %j ends it", async (words, code) => {
  const pid = await project.spawned("listener");
  await project.until(pid, "waiting");

  const killed = await home.aos("kill", ...words, pid, "-o", "json");

  expect(killed.json()).toMatchObject([{ pid }]);
  expect((await home.aos("wait", pid)).code).toBe(code);
});

test("signal sends by name; an ended process is refused", async () => {
  await home.aos("run", "examples/hello");

  const ran = await home.aos("signal", "@last", "USR2", "-o", "json");

  expect(ran.code).toBe(1);
  expect(ran.error()).toMatchObject({ code: "ESTATE" });
});

test("Ctrl-C goes to the process", async () => {
  const running = home.start("run", join(home.folder, "agents/listener.yaml"));
  const pid = await pidOf(running);
  await project.until(pid, "waiting");

  running.kill("SIGINT");

  expect((await finish(running)).code).toBe(130);
  expect((await home.aos("show", pid, "-o", "json")).json()).toMatchObject({ exitCode: 130 });
});

test("a second Ctrl-C leaves it running", async () => {
  const running = home.start("run", join(project.folder, "stubborn.yaml"));
  const pid = await pidOf(running);
  await project.until(pid, "waiting");

  const ended = finish(running);
  running.kill("SIGINT");
  await once(running.stderr!, "data");
  running.kill("SIGINT");

  const { code, stderr } = await ended;
  expect(code).toBe(130);
  expect(stderr).toContain(`aos wait ${pid}`);
  await home.aos("send", pid, "done");
  expect((await home.aos("wait", pid)).stdout).toBe("done\n");
});

test("approve and deny answer what waits", async () => {
  const yes = await project.spawned("asks.yaml");
  const no = await project.spawned("asks.yaml");
  await project.until(yes, "waiting");
  await project.until(no, "waiting");
  const open = (await home.aos("approvals", "-o", "json")).json() as {
    id: string;
    pid: string;
  }[];
  const idOf = (pid: string) => open.find((question) => question.pid === pid)?.id ?? "";

  await home.aos("approve", idOf(yes));
  await home.aos("deny", idOf(no), "--reason", "no");

  expect((await home.aos("wait", yes)).stdout).toBe("yes\n");
  expect((await home.aos("wait", no)).stdout).toBe("no\n");
  expect((await home.aos("approvals", "-o", "json")).json()).toEqual([]);
});
