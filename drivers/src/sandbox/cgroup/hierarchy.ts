// Hierarchy: what both versions of cgroups share. A version defines the folders of a group, how limits are written,
// and where usage is counted.

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
