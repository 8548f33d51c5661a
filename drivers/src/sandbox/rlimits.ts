// Rlimits: per-process limits of the operating system. A shell sets them and execs the command: Node cannot set them,
// and a shell starts fastest.
//
// RLIMITS-1  They are hard limits: nothing inside can raise them.
// RLIMITS-2  They complement the cgroup, also when the daemon is too busy to watch. Only open files, file size and
//     core dumps depend on them alone.

import type { SandboxLimits } from "./limits.ts";

export interface RlimitNeeds {
  readonly limits: SandboxLimits;
  /** Nothing else holds memory; then at least each process by itself is held. */
  readonly withMemory: boolean;
  /**
   * Where nothing else holds processes: how many tasks the run's user has already, which the kernel counts
   * with the run's. It stops a fork bomb that is faster than our looks.
   */
  readonly tasksBefore?: number;
  /** What the driver itself needs to have open while it sets the run up. */
  readonly descriptors: number;
}

/** What every run has open beside what it opens: streams, and what libraries open to start. */
const LEAST_OPEN_FILES = 32;
/** bubblewrap's two processes, and the relay. */
export const DRIVER_PROCESSES = 4;
/** The user's other programs start processes, too, while the run runs. */
const SPARE_TASKS = 64;

export function ulimits({ limits, withMemory, tasksBefore, descriptors }: RlimitNeeds): string {
  const set: [option: string, value: number][] = [
    ["c", 0],
    ["n", Math.max(limits.openFiles, LEAST_OPEN_FILES + descriptors)],
    // In blocks of 512 bytes.
    ["f", Math.ceil(limits.fileBytes / 512)],
    // For one process, in seconds. It is a little later than the watch, which can say what happened.
    ["t", Math.ceil(limits.cpuMs / 1000) + 1],
  ];
  // Of the data, not of the addresses: interpreters reserve far more of those than they use.
  if (withMemory) set.push(["d", Math.ceil(limits.memoryBytes / 1024)]);
  const lines = set.filter(([, value]) => value !== Infinity).map(([name, to]) => orLess(name, to));
  // Shells do not agree on its letter.
  const processes = (tasksBefore ?? Infinity) + limits.processes + DRIVER_PROCESSES + SPARE_TASKS;
  if (processes !== Infinity) {
    lines.push(`{ ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes}; }`);
  }
  return lines.join(" && ");
}

/** Only root can raise a limit. Where the daemon's own is lower, that one applies. */
const orLess = (option: string, value: number): string =>
  `{ ulimit -${option} ${value} 2>/dev/null || [ "$(ulimit -H -${option})" -le ${value} ]; }`;

/** The words that start a command with these limits, and with its streams where `redirect` says. */
export function withRlimits(
  needs: RlimitNeeds,
  command: readonly string[],
  redirect = "",
): string[] {
  return ["/bin/sh", "-c", `${ulimits(needs)} && exec "$@"${redirect}`, "sh", ...command];
}
