// Version 2: one folder for everything. A cgroup with processes of its own cannot delegate controllers, so the daemon
// first moves into a child cgroup, if it is alone in its own (as a service or scope with `Delegate=yes` is).

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CgroupFolder } from "./folder.ts";
import type { CgroupSet, Hierarchy } from "./hierarchy.ts";
import type { CgroupPaths } from "./places.ts";
import { canMake, setProcesses } from "./v1.ts";
import { tryTo } from "../try-to.ts";

const NEEDED = ["memory", "pids"];

/** `ownName` is the name of the cgroup that the daemon moves into. */
export function hierarchyV2(
  { v2 }: CgroupPaths,
  { ownName, pid }: { readonly ownName: string; readonly pid: number },
): Hierarchy | undefined {
  if (v2 === undefined || !canMake(v2)) return undefined;
  const list = (file: string) => readFileSync(join(v2, file), "utf8").trim().split(/\s+/);
  if (!NEEDED.every((controller) => list("cgroup.controllers").includes(controller))) {
    return undefined;
  }
  const handsOn = () =>
    NEEDED.every((controller) => list("cgroup.subtree_control").includes(controller));
  if (!handsOn() && !handOn(v2, () => moveAside(v2, ownName, pid))) return undefined;
  if (!handsOn()) return undefined;
  const own = existsSync(join(v2, ownName)) ? join(v2, ownName) : v2;
  return { mechanism: "cgroup v2", own, make: (name) => makeSet(join(v2, name)) };
}

function handOn(place: string, makeRoom: () => boolean): boolean {
  const control = () => writeFileSync(join(place, "cgroup.subtree_control"), "+memory +pids");
  return tryTo(control) || (makeRoom() && tryTo(control));
}

/** False when our cgroup has a process that is not ours to move. */
export function moveAside(place: string, ownName: string, pid: number): boolean {
  const members = readFileSync(join(place, "cgroup.procs"), "utf8").trim().split("\n");
  if (members.length !== 1 || members[0] !== String(pid)) return false;
  return tryTo(() => {
    mkdirSync(join(place, ownName), { recursive: true });
    writeFileSync(join(place, ownName, "cgroup.procs"), String(pid));
  });
}

function makeSet(path: string): CgroupSet {
  const folder = new CgroupFolder(path);
  // All or nothing: killing only part of a program is no use. Older kernels do not have it.
  tryTo(() => folder.set("memory.oom.group", "1"));
  tryTo(() => folder.set("memory.swap.max", "0"));
  return {
    folders: [folder],
    setLimits: (limits) => {
      setProcesses(folder, limits.processes);
      const { memoryBytes } = limits;
      folder.set("memory.max", memoryBytes === Infinity ? "max" : String(memoryBytes));
    },
    // Since 6.12; before, the peak of a group that was used before is of all its runs.
    restart: () => void tryTo(() => folder.write("memory.peak", "0")),
    counters: () => ({
      cpuMs: folder.number("cpu.stat", "usage_usec") / 1000,
      memoryBytes: folder.numberIfAny("memory.peak"),
      memoryKills: folder.number("memory.events", "oom_kill"),
      refusedForks: folder.number("pids.events", "max"),
    }),
    // Since 5.14; before, they are killed one by one.
    kill: () => void tryTo(() => folder.write("cgroup.kill", "1")),
  };
}
