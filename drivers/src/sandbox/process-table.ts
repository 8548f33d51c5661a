// Process table: the processes of this machine, their usage and parents, from /proc or from `ps`.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";

export interface OsProcess {
  readonly pid: number;
  readonly parent: number;
  /** Its process group. */
  readonly group: number;
  /** Its own processor time, and that of its children who have ended. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

/** What `getconf CLK_TCK` says on every Linux; and the size of a page on nearly every one. */
const TICK_MS = 10;
const PAGE_BYTES = 4096;

export function readProcesses(): OsProcess[] {
  if (process.platform !== "linux") return fromPs();
  return pids().flatMap((pid) => {
    try {
      return parseStat(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? [];
    } catch {
      return [];
    }
  });
}

/** How many tasks (processes and their threads) a user has; what RLIMIT_NPROC counts. */
export function tasksOf(uid: number): number {
  return pids().reduce((sum, pid) => {
    try {
      if (statSync(`/proc/${pid}`).uid !== uid) return sum;
      return sum + readdirSync(`/proc/${pid}/task`).length;
    } catch {
      return sum;
    }
  }, 0);
}

/** Those whose command line has this word. */
export function findProcesses(word: string): number[] {
  if (process.platform !== "linux") return [];
  return pids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      return false;
    }
  });
}

const pids = (): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** A line of /proc/PID/stat. Zombies do not count. */
export function parseStat(line: string): OsProcess | undefined {
  const end = line.lastIndexOf(")");
  const [state, parent, group, ...rest] = line.slice(end + 2).split(" ");
  if (end === -1 || state === "Z" || state === "X") return undefined;
  // Fields 14 to 17: user and system time, its own and its children's; field 24: pages in memory.
  const ticks = rest.slice(8, 12).reduce((sum, field) => sum + Number(field), 0);
  return {
    pid: Number(line.slice(0, line.indexOf(" "))),
    parent: Number(parent),
    group: Number(group),
    cpuMs: ticks * TICK_MS,
    memoryBytes: Number(rest[18]) * PAGE_BYTES,
  };
}

function fromPs(): OsProcess[] {
  return parsePs(
    execFileSync("/bin/ps", ["-A", "-o", "pid=,ppid=,pgid=,rss=,time=,stat="], {
      encoding: "utf8",
    }),
  );
}

/** `[[dd-]hh:]mm:ss[.cc]` */
export function parsePs(text: string): OsProcess[] {
  return text.split("\n").flatMap((line) => {
    const [pid, parent, group, kib, time, state] = line.trim().split(/\s+/);
    if (state === undefined || state.startsWith("Z")) return [];
    const [clock = "0", days = "0"] = time!.split("-").reverse();
    const seconds = clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      cpuMs: Math.round((Number(days) * 86_400 + seconds) * 1000),
      memoryBytes: Number(kib) * 1024,
    };
  });
}
