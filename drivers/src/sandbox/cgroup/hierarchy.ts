// Hierarchy: what is the same for both versions of cgroups. A version says which folders a group has,
// how its limits are written, and where it counts.

import type { SandboxLimits } from "../limits.ts";
import type { CgroupFolder } from "./folder.ts";

export interface Counters {
  readonly cpuMs: number | null;
  readonly memoryBytes: number | null;
  /** How often the kernel ended a process for the sake of the memory limit. */
  readonly memoryKills: number;
  /** How often a fork was refused. */
  readonly refusedForks: number;
}

export interface CgroupSet {
  /** A process goes into all of them. */
  readonly folders: readonly CgroupFolder[];
  setLimits(limits: SandboxLimits): void;
  /** What can be set back is set back, before a run. */
  restart(): void;
  counters(): Counters;
  /** All of them at once, where the kernel can do that. */
  kill(): void;
}

export interface Hierarchy {
  readonly mechanism: string;
  /** The cgroup that we are in ourselves. */
  readonly own: string;
  make(name: string): CgroupSet;
}
