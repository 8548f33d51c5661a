// The daemon's life: started by whoever needs it, stopped, killed, and started again.

import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createTestHome, daemonPid, finish, killDaemon, type TestHome } from "./home.ts";
import { isRunning } from "@aos/cli/parts";
import { createTestProject, pidOf, type TestProject } from "./project.ts";

let project: TestProject;
let home: TestHome;

beforeAll(async () => {
  project = createTestProject();
  ({ home } = project);
  await home.aos("up", "-d");
});
afterAll(() => project.remove());

test("its home and its socket are its owner's alone", () => {
  expect(statSync(home.folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(home.folder, "aos.sock")).mode & 0o777).toBe(0o600);
  expect(statSync(join(home.folder, "daemon.json")).mode & 0o777).toBe(0o600);
});

test("status says who answers", async () => {
  const ran = await home.aos("status", "-o", "json");

  expect(ran.json()).toMatchObject({
    daemon: { pid: daemonPid(home.folder), version: "0.2.0" },
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    socket: join(home.folder, "aos.sock"),
    store: expect.stringContaining(
      home.env["AOS_DATABASE_URL"] === undefined ? "aos.db" : "127.0.0.1",
    ),
  });
});

test("down stops it cleanly; what waits goes on after the next start, which any command makes", async () => {
  const running = home.start("run", join(home.folder, "agents/listener.yaml"));
  const pid = await pidOf(running);
  const ran = finish(running);
  await project.until(pid, "waiting");
  const before = daemonPid(home.folder) ?? 0;

  const down = await home.aos("down", "-o", "json");
  const status = await home.aos("status", "-o", "json");
  const sent = await home.aos("send", pid, "still there?");

  expect(down.json()).toEqual({ stopped: true, pid: before });
  expect(isRunning(before)).toBe(false);
  expect(status.error()).toMatchObject({ code: "ENOENT" });
  expect(status.code).toBe(1);
  expect(sent.stderr).toMatch(/^aos: started the daemon/);
  expect((await ran).stdout).toBe("still there?\n");
});

test("kill -9 leaves nothing that a new one stumbles over", async () => {
  const pid = await project.spawned("listener");
  await project.until(pid, "waiting");

  await killDaemon(home.folder);
  const sent = await home.aos("send", pid, "alive");

  expect(sent.code).toBe(0);
  expect((await home.aos("wait", pid)).stdout).toBe("alive\n");
});

test("commands that find none all at once start one between them", async () => {
  await home.aos("down");

  const ran = await Promise.all([1, 2, 3, 4].map(() => home.aos("run", "examples/hello", "x")));

  expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(ran.filter(({ stderr }) => stderr.includes("started the daemon"))).toHaveLength(1);
});

test("in the foreground it logs JSON lines, and a signal ends it", async () => {
  const other = createTestHome();
  onTestFinished(() => other.remove());
  const child = other.start("up");
  const running = finish(child);
  await once(child.stderr!, "data");

  child.kill("SIGTERM");

  const { code, stderr } = await running;
  expect(code).toBe(0);
  expect(
    stderr
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { msg: string }).msg),
  ).toEqual(["ready", "stopping", "stopped"]);
});
