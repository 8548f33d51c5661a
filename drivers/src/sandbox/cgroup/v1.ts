// Version 1: one folder for memory and one for processes, and a third that counts CPU time: a v2 folder where it is
// mounted as well (it can also kill all processes at once), else cpuacct.

import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { DRIVER_PROCESSES } from "../rlimits.ts";
import { CgroupFolder } from "./folder.ts";
import type { CgroupSet, Hierarchy } from "./hierarchy.ts";
import type { CgroupPaths } from "./places.ts";

export function hierarchyV1({ v1, v2 }: CgroupPaths): Hierarchy | undefined {
  const [memory, pids] = [v1.get("memory"), v1.get("pids")];
  if (memory === undefined || pids === undefined) return undefined;
  const unified = v2 !== undefined && canMake(v2) ? v2 : undefined;
  const cpu = unified ?? v1.get("cpuacct");
  const places = [pids, memory, ...(cpu === undefined ? [] : [cpu])];
  if (!places.every(canMake)) return undefined;
  return {
    mechanism: "cgroup v1",
    own: pids,
    make: (name) => makeSet(places, name, unified !== undefined),
  };
}

function makeSet(places: readonly string[], name: string, isUnified: boolean): CgroupSet {
  const folders: CgroupFolder[] = [];
  try {
    for (const place of places) folders.push(new CgroupFolder(join(place, name)));
  } catch (error) {
    for (const folder of folders) folder.remove();
    throw error;
  }
  const [pids, memory, cpu] = folders as [CgroupFolder, CgroupFolder, CgroupFolder?];
  let memoryBytes = Infinity;
  return {
    folders,
    setLimits: (limits) => {
      setProcesses(pids, limits.processes);
      if (limits.memoryBytes !== memoryBytes) setMemory(memory, limits.memoryBytes);
      memoryBytes = limits.memoryBytes;
    },
    restart: () => memory.write("memory.max_usage_in_bytes", "0"),
    counters: () => ({
      cpuMs: cpu === undefined ? null : cpuMs(cpu, isUnified),
      memoryBytes: memory.number("memory.max_usage_in_bytes"),
      memoryKills: memory.number("memory.oom_control", "oom_kill"),
      refusedForks: pids.number("pids.events", "max"),
    }),
    kill: () => {
      if (isUnified) cpu?.write("cgroup.kill", "1");
    },
  };
}

export function setProcesses(folder: CgroupFolder, processes: number): void {
  folder.set("pids.max", processes === Infinity ? "max" : String(processes + DRIVER_PROCESSES));
}

/** Memory and swap together may never be less than memory alone: it is let go first. */
function setMemory(memory: CgroupFolder, bytes: number): void {
  const value = bytes === Infinity ? "-1" : String(bytes);
  const hasSwap = memory.numberIfAny("memory.memsw.limit_in_bytes") !== null;
  if (hasSwap) memory.write("memory.memsw.limit_in_bytes", "-1");
  else memory.set("memory.swappiness", "0");
  memory.write("memory.limit_in_bytes", value);
  if (hasSwap) memory.write("memory.memsw.limit_in_bytes", value);
}

const cpuMs = (cpu: CgroupFolder, isUnified: boolean): number =>
  isUnified ? cpu.number("cpu.stat", "usage_usec") / 1000 : cpu.number("cpuacct.usage") / 1e6;

export function canMake(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
