// DaemonMark: marks what a daemon leaves on the machine (cgroups, folders, claims, processes), so that the next one
// can distinguish leftovers of a dead daemon from those in use.
//
//   markOf(owner)   aos-4026531836-1234-567890   the pid namespace, the pid, the start time
//   readMark(name)  the owner, from a name that begins with a mark
//   isAlive(owner)  whether that process still runs
//
// OWNER-1  A reused pid does not count as alive: the start time differs.
// OWNER-2  An owner in another pid namespace cannot be checked, and counts as alive.

import { readFileSync, readlinkSync } from "node:fs";

export interface DaemonMark {
  readonly namespace: string;
  readonly pid: number;
  /** In ticks since the machine started; as a text where it is only compared. */
  readonly started: string;
}

export const markOf = ({ namespace, pid, started }: DaemonMark): string =>
  `aos-${namespace}-${pid}-${started}`;

export function readMark(name: string): DaemonMark | undefined {
  const found = /^aos-(\d+)-(\d+)-(\d+)(?:-|$)/.exec(name);
  if (found === null) return undefined;
  return { namespace: found[1]!, pid: Number(found[2]), started: found[3]! };
}

export function currentOwner(): DaemonMark {
  return {
    namespace: pidNamespace(),
    pid: process.pid,
    // Without /proc (macOS) the time in seconds; two daemons with one pid differ in it as well.
    started: startOf(process.pid) ?? String(Math.round(Date.now() / 1000 - process.uptime())),
  };
}

/** When a process started, in ticks since the machine did; undefined when there is none. */
export function startOf(pid: number): string | undefined {
  return statOf(pid)?.started;
}

export function isAlive(owner: DaemonMark): boolean {
  if (owner.namespace !== pidNamespace()) return true;
  if (process.platform === "linux") return startOf(owner.pid) === owner.started;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The fields of /proc/PID/stat after the name, which may hold anything. A zombie does not count. */
function statOf(pid: number): { readonly started: string } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined;
  }
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z" || fields[0] === "X") return undefined;
  return { started: fields[19]! };
}

function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}
