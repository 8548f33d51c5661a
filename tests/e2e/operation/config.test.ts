// How a daemon is configured, and who says so; what it does when its file changes; how its log looks.

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ConfigReport } from "@aos/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createRig, type Rig } from "./rig.ts";

const SLOW = { timeout: 120_000, interval: 100 };

let rig: Rig;
let log = "";
const lines = () =>
  log
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function shown(...words: string[]) {
  const report = (
    await rig.home.aos("config", "show", "-o", "json", ...words)
  ).json() as ConfigReport;
  return (name: string) => report.settings.find((setting) => setting.name === name);
}

beforeAll(async () => {
  rig = createRig({ AOS_LOG_LEVEL: "warn" });
  rig.config("limits:\n  spawnDepth: 3\nlog: { level: error }\n");
});
afterAll(() => rig.home.remove());

test("without a daemon: how one would be started, and none is", async () => {
  const setting = await shown();

  const file = join(rig.home.folder, "config.yaml");
  expect(setting("limits.spawnDepth")).toMatchObject({
    value: 3,
    source: "file",
    where: `${file}:2`,
  });
  expect(setting("log.level")).toMatchObject({ source: "environment", where: "AOS_LOG_LEVEL" });
  expect((await rig.home.aos("status")).code).toBe(1);
});

test("a config.yaml is checked without a daemon, with file, line and field", async () => {
  const bad = join(rig.home.folder, "bad.yaml");
  writeFileSync(bad, "log:\n  levl: info\n");

  const [good, wrong, gone] = await Promise.all([
    rig.home.aos("config", "check", "-o", "json"),
    rig.home.aos("config", "check", bad, "-o", "json"),
    rig.home.aos("config", "check", join(rig.home.folder, "none.yaml"), "-o", "json"),
  ]);

  expect([good.code, wrong.code, gone.code]).toEqual([0, 2, 2]);
  expect(good.json()).toMatchObject({ ok: true });
  expect(wrong.error()).toMatchObject({
    code: "EINVAL",
    message: `${bad}:2: log.levl: unknown field; did you mean level?`,
  });
});

test("of a daemon that runs: flags win, and a change counts at once or says that it waits", async () => {
  const child = rig.home.start("up", "--log-level", "info", "--http", "off");
  child.stderr!.setEncoding("utf8").on("data", (text: string) => (log += text));
  await vi.waitFor(
    () => expect(lines()).toContainEqual(expect.objectContaining({ msg: "ready" })),
    SLOW,
  );
  const before = await shown();
  rig.config("limits:\n  spawnDepth: 4\nscheduler: { queue: 7 }\n");
  child.kill("SIGHUP");
  await vi.waitFor(() => {
    expect(lines()).toContainEqual(
      expect.objectContaining({ changes: ["scheduler.queue changed"] }),
    );
    expect(lines()).toContainEqual(expect.objectContaining({ settings: ["limits"] }));
  }, SLOW);
  const after = await shown();
  const url = (await rig.client.status()).url;

  rig.config("limts: {}\n");
  await vi.waitFor(() => expect(log).toContain("the previous settings stay in force"), SLOW);
  const bad = (await rig.home.aos("config", "show", "-o", "json")).json() as ConfigReport;
  child.kill("SIGTERM");
  await once(child, "close");
  rig.config("");

  expect(before("log.level")).toMatchObject({
    value: "info",
    source: "flag",
    where: "--log-level",
  });
  expect(before("http.enabled")).toMatchObject({ value: false, where: "--http" });
  expect(url).toBeNull();
  expect(before("limits.spawnDepth")).not.toHaveProperty("next");
  expect(after("limits.spawnDepth")).toMatchObject({ value: 3, next: 4 });
  expect(after("scheduler.queue")).toMatchObject({ value: 7, hot: true });
  expect(bad.problem).toMatch(/config\.yaml:1: limts: unknown field/);
  expect(bad.settings.find(({ name }) => name === "scheduler.queue")).toMatchObject({ value: 7 });
});

test("for people the log is pretty, and a level of the file counts without a restart", async () => {
  const other = createRig({ AOS_LOG_FORMAT: "pretty" });
  let text = "";
  try {
    const child = other.home.start("up");
    child.stderr!.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    await vi.waitFor(() => expect(text).toMatch(/INFO {2}ready pid=\d+/), SLOW);
    other.config("log: { level: error }\n");
    await vi.waitFor(
      async () =>
        expect((await other.client.config()).settings).toContainEqual(
          expect.objectContaining({ name: "log.level", value: "error", hot: true }),
        ),
      SLOW,
    );
    child.kill("SIGHUP");
    await other.client.status(); // the signal is dealt with
    child.kill("SIGTERM");
    await once(child, "close");
  } finally {
    await other.home.remove();
  }

  expect(text).not.toMatch(/INFO {2}(stopping|stopped)/);
});
