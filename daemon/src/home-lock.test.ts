import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { homeOf, type Home } from "./home.ts";
import { lockHome } from "./home-lock.ts";

let home: Home;

beforeEach(() => {
  home = homeOf({ AOS_HOME: mkdtempSync(join(tmpdir(), "aos-lock-")) });
});
afterEach(() => rmSync(home.folder, { recursive: true, force: true }));

test("HOME-LOCK-1: a home is locked once, and the refusal says who has it", () => {
  const lock = lockHome(home);
  const info = { pid: 4711, version: "1.2.3", startedAt: "2030-01-01T00:00:00.000Z", socket: "" };
  writeFileSync(home.daemonInfo, JSON.stringify(info));

  expect(() => lockHome(home)).toThrow(/in use by daemon 4711 \(version 1\.2\.3/);

  lock.release();
  lockHome(home).release();
});

test("HOME-LOCK-1: the lock of a daemon that was killed is gone with it", async () => {
  const program = `
    const { DatabaseSync } = require("node:sqlite");
    new DatabaseSync(process.argv[1]).exec("BEGIN EXCLUSIVE");
    process.stdout.write("locked");
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ["-e", program, home.lock]);
  await once(holder.stdout, "data");
  expect(() => lockHome(home)).toThrow(/in use by/);

  holder.kill("SIGKILL");
  await once(holder, "exit");

  lockHome(home).release();
});
