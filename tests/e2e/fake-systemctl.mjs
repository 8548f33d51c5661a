#!/usr/bin/env node
// A systemctl for tests, where systemd is not process 1: it reads the unit by systemd's own rules for words,
// specifiers and variables, runs what it says, and keeps what it was called with in $FAKE_SYSTEMD/called.

import { spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const state = process.env.FAKE_SYSTEMD;
mkdirSync(state, { recursive: true });
const verb = process.argv.slice(2).find((word) => !word.startsWith("-"));
appendFileSync(join(state, "called"), `${process.argv.slice(2).join(" ")}\n`);
if (existsSync(join(state, "broken"))) {
  process.stderr.write("Failed to connect to bus: No medium found\n");
  process.exit(1);
}

const pidFile = join(state, "pid");
const unit = () =>
  readFileSync(join(process.env.XDG_CONFIG_HOME, "systemd/user/agent-os.service"), "utf8");
const lines = (key) => [...unit().matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, v]) => v);
const wordsOf = (line) =>
  (line.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [])
    .map((word) => (word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/g, "$1") : word))
    .map((word) => word.replaceAll("%%", "%"));
const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    const isOver = /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    return !isOver || readdirSync(`/proc/${pid}/task`).length > 1; // its threads may take longer
  } catch {
    return false;
  }
};
const pid = () => (existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : 0);
const isActive = () => pid() > 0 && isAlive(pid());

async function stop() {
  if (isActive()) process.kill(pid(), "SIGTERM");
  while (isActive()) await sleep(20);
  rmSync(pidFile, { force: true });
}

if (verb === "start" && !isActive()) {
  const [program, ...args] = wordsOf(lines("ExecStart")[0]).map((word) =>
    word.replaceAll("$$", "$"),
  );
  const set = Object.fromEntries(
    lines("Environment")
      .flatMap(wordsOf)
      .map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]),
  );
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(program, args, {
    detached: true,
    cwd: "/",
    env: { PATH, NODE_COMPILE_CACHE, AOS_HTTP: "off", ...set },
    stdio: ["ignore", "ignore", openSync(join(state, "log"), "a")],
  });
  writeFileSync(pidFile, String(child.pid));
  child.unref();
}
if (verb === "stop") await stop();
if (verb === "disable" && process.argv.includes("--now")) await stop();
if (verb === "is-active") {
  console.log(isActive() ? "active" : "inactive");
  process.exit(isActive() ? 0 : 3);
}
