// A daemon that is killed takes its runs along, and the next one removes what it left.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { removeAbandoned, cgroupPlaces, markOf, startOf, currentOwner } from "@aos/drivers/sandbox";
import { createSandbox } from "@aos/drivers";
import { kept, processesWith, token } from "./rig.ts";

const LONG = `sleep 1000.${token}`;
const program = fileURLToPath(new URL("./parent.program.ts", import.meta.url));

async function startDaemon(script: string) {
  const child = spawn(process.execPath, [program, script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const owner = { ...currentOwner(), pid: child.pid!, started: startOf(child.pid!)! };
  return { child, mark: markOf(owner) };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await delay(10);
}

test("SIGKILL of the daemon ends its runs, and the next daemon cleans up after it", async () => {
  const { child, mark } = await startDaemon(`(setsid ${LONG} &); echo up; ${LONG}`);
  expect(kept(mark).folders).not.toEqual([]);
  expect(processesWith(LONG).length).toBeGreaterThanOrEqual(2);

  child.kill("SIGKILL");
  await once(child, "close");
  await until(() => processesWith(LONG).length === 0);
  const left = kept(mark);
  const next = await createSandbox();

  // Something was left, or the test proves nothing.
  expect(left.folders).not.toEqual([]);
  expect(kept(mark)).toMatchObject({ folders: [], groups: [] });
  await next.close();
});

test("somebody who outlived his daemon in its cgroup is ended with it", async () => {
  const places = cgroupPlaces()!;
  // Not a mark: any other daemon on this machine would remove it for us.
  const group = join(places.v1.get("pids") ?? places.v2!, `aos-test-${token}`);
  try {
    mkdirSync(group);
  } catch {
    // Nobody may make cgroups here.
    return;
  }
  const orphan = spawn("sleep", [`1000.${token}`], { stdio: "ignore" });
  writeFileSync(join(group, "cgroup.procs"), String(orphan.pid));
  const ended = once(orphan, "exit");

  await until(() => removeAbandoned(group));

  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(existsSync(group)).toBe(false);
});

test("a daemon that lives keeps what is its own", async () => {
  const { child, mark } = await startDaemon(`echo up; ${LONG}`);
  const before = kept(mark);

  const next = await createSandbox();
  await next.close();

  expect(kept(mark)).toMatchObject({ folders: before.folders, groups: before.groups });
  expect(processesWith(LONG)).not.toEqual([]);
  child.kill("SIGKILL");
  await once(child, "close");
  await until(() => processesWith(LONG).length === 0);
  await (await createSandbox()).close();
  expect(kept(mark)).toMatchObject({ folders: [], groups: [] });
});

test("a closed sandbox ends what runs, starts nothing more and leaves nothing", async () => {
  const sandbox = await createSandbox();
  const request = {
    command: ["/bin/sh", "-c", LONG],
    mounts: [],
    network: "none",
    profile: "tool",
    output: "collect",
    name: "test",
  } as const;
  const run = await sandbox.start(request);
  const starting = sandbox.start(request);

  await sandbox.close();

  expect(await run.ended).toMatchObject({ isAborted: true });
  expect(await (await starting).ended).toMatchObject({ isAborted: true });
  await expect(sandbox.start(request)).rejects.toMatchObject({ code: "ESTATE" });
  expect(kept()).toMatchObject({ folders: [], groups: [] });
  expect(existsSync("/run") && processesWith(LONG).length > 0).toBe(false);
});
