// Group: the processes of one run: counts their usage and ends them all. cgroups do it (v1, v2); without access to
// any, the process table is read instead.
//
//   const group = await groups.take({ limits, name });
//   await group.admit(pid);      before the program runs, so that all its children are inside
//   group.use()                  its usage, and the limit at which the kernel stopped it
//   await group.end();           SANDBOX-RUN-1: no process is left in it
//   groups.giveBack(group);

import type { SandboxLimits } from "./limits.ts";

export interface GroupUse {
  readonly cpuMs: number | null;
  /** The most at once, where it is known. */
  readonly memoryBytes: number | null;
  /** The limit that was reached, by the kernel's own count. */
  readonly hit: KernelLimit | undefined;
}

export type KernelLimit = "memoryBytes" | "processes";

export interface Group {
  /** The driver's process, and then the one that becomes the program's first. */
  admit(pid: number): Promise<void>;
  use(): GroupUse;
  /** Kills all processes of the group and waits until they are gone. */
  end(): Promise<void>;
}

export interface GroupRequest {
  readonly limits: SandboxLimits;
  /** A word that is part of the command line of the driver's processes, and of no others. */
  readonly mark: string;
}

export interface Groups {
  /** `cgroup v1`, `cgroup v2`, `watching`. */
  readonly mechanism: string;
  /** The kernel holds memory and processes by itself. */
  readonly isEnforced: boolean;
  take(request: GroupRequest): Promise<Group>;
  giveBack(group: Group): void;
  /** Removes what is kept between runs. */
  close(): Promise<void>;
}
