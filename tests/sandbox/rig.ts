// Rig: a sandbox of this machine for a test file, and a look at what is left of its runs.
//
// Each run has a token, a number that is part of a command line (`sleep 1000.TOKEN`), so that a process
// that got away is found wherever it is.

import { randomInt } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { createSandbox, type Sandbox, type SandboxOptions } from "@aos/drivers";
import {
  markOf,
  currentOwner,
  type RunEnding,
  type SandboxedRun,
  type RunRequest,
} from "@aos/drivers/sandbox";

export type Asked = Partial<RunRequest>;

export interface Rig {
  readonly sandbox: Sandbox;
  start(command: readonly string[], more?: Asked): Promise<SandboxedRun>;
  /** A script for sh, to its end. */
  run(script: string, more?: Asked): Promise<RunEnding>;
}

/** Somewhere in every script of a test that leaves somebody behind. */
export const token = String(randomInt(1e9, 9e9));

const mark = markOf(currentOwner());

/** One for a file of tests. After each of them nothing but what is kept for the next run is there. */
export function useSandbox(options: SandboxOptions = {}): Rig {
  let sandbox: Sandbox | undefined;
  let before: Kept;
  beforeAll(async () => {
    sandbox = await createSandbox(options);
    await (
      await sandbox.start(plain(["true"]))
    ).ended;
    before = kept();
  });
  afterEach(() => nothingRemains(before));
  afterAll(async () => {
    await sandbox?.close();
    const { descriptors, ...after } = kept();
    expect(after).toEqual({ groups: [], folders: [], mounts: before.mounts });
    expect(descriptors).toBeLessThanOrEqual(before.descriptors);
  });
  const start: Rig["start"] = (command, more) => sandbox!.start({ ...plain(command), ...more });
  return {
    get sandbox() {
      return sandbox!;
    },
    start,
    run: async (script, more) => (await start(["/bin/sh", "-c", script], more)).ended,
  };
}

const plain = (command: readonly string[]): RunRequest => ({
  command,
  mounts: [],
  network: "none",
  profile: "tool",
  output: "collect",
  limits: { wallMs: 600_000 },
  name: "test",
});

interface Kept {
  readonly groups: readonly string[];
  readonly folders: readonly string[];
  readonly mounts: number;
  readonly descriptors: number;
}

/** What of ours is on the machine. */
export function kept(whose = mark): Kept {
  const below = (place: string) => readdirSync(place).map((name) => join(place, name));
  const folders = ["/run", tmpdir(), process.env["XDG_RUNTIME_DIR"] ?? "/run"]
    .filter((place) => existsSync(place))
    .flatMap(below)
    .filter((path) => path.includes(whose));
  return {
    groups: cgroupsOf(whose),
    folders: [...new Set(folders.flatMap((folder) => [folder, ...below(folder)]))].sort(),
    mounts: ourMounts(whose),
    descriptors: readdirSync("/proc/self/fd").length,
  };
}

/** How many file systems are mounted, but for the disks that other tests make for themselves. */
function ourMounts(whose: string): number {
  const disks = join(tmpdir(), "aos-");
  const points = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "");
  return points.filter((point) => !point.startsWith(disks) || point.includes(whose)).length;
}

/** No process, mount, file, socket or descriptor is left, and the cgroups that are kept are empty. */
export function nothingRemains(before: Kept): void {
  const now = kept();
  expect(processesWith(token)).toEqual([]);
  expect(children()).toEqual([]);
  expect(now.groups.filter((group) => membersOf(group) !== "")).toEqual([]);
  expect(now.folders).toEqual(before.folders);
  expect(now.mounts).toBe(before.mounts);
  // A cgroup that is kept has its files open; there is nothing else.
  expect(now.descriptors - before.descriptors).toBeLessThanOrEqual(
    (now.groups.length - before.groups.length) * 8 + 4,
  );
}

export function cgroupsOf(whose: string): string[] {
  const mounts = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  const roots = mounts
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(" ")[4]!);
  const find = (path: string): string[] =>
    readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) =>
        name.startsWith(whose) ? join(path, name) : findQuietly(join(path, name)),
      );
  const findQuietly = (path: string): string[] => {
    try {
      return find(path);
    } catch {
      return [];
    }
  };
  return roots.flatMap(findQuietly);
}

export const membersOf = (group: string): string =>
  readFileSync(join(group, "cgroup.procs"), "utf8");

/** Living processes of the machine whose command line has the text. */
export function processesWith(text: string): string[] {
  return processes().filter((pid) => pid !== String(process.pid) && commandOf(pid).includes(text));
}

function children(): string[] {
  return processes().filter((pid) => {
    const fields = statOf(pid);
    return fields[1] === String(process.pid) && commandOf(pid).includes("bwrap");
  });
}

const processes = (): string[] => readdirSync("/proc").filter((name) => /^\d+$/.test(name));

const statOf = (pid: string): string[] => {
  const text = quietly(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
};

const commandOf = (pid: string): string => quietly(`/proc/${pid}/cmdline`);

function quietly(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
