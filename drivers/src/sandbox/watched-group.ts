// Watched group: tracks the processes of a run without cgroups, by their ancestry. It is weaker: between two polls a
// run can exceed a limit, and only a pid namespace prevents a process from escaping.
//
// WATCHED-GROUP-1  A process that was once seen as part of the run stays part of it, also when its ancestors have
//     ended.
// WATCHED-GROUP-2  A process that reuses the pid of an earlier one is never signalled: start times are compared.

import { setTimeout as delay } from "node:timers/promises";
import type { Group, GroupRequest, Groups, GroupUse, KernelLimit } from "./group.ts";
import type { SandboxLimits } from "./limits.ts";
import { startOf } from "./owner.ts";
import { findProcesses, readProcesses, type OsProcess } from "./process-table.ts";

const END_MS = 10_000;
/** All runs look at one table, which is read at most this often. */
const FRESH_MS = 50;

export class WatchedGroups implements Groups {
  readonly isEnforced = false;
  readonly mechanism = "watching";
  #table: { readonly at: number; readonly rows: readonly OsProcess[] } = {
    at: -Infinity,
    rows: [],
  };

  async take({ limits, mark }: GroupRequest): Promise<Group> {
    return new WatchedGroup(limits, mark, (isFresh) => this.#rows(isFresh));
  }

  giveBack(): void {}

  async close(): Promise<void> {}

  #rows(isFresh: boolean): readonly OsProcess[] {
    const at = performance.now();
    if (isFresh || at - this.#table.at > FRESH_MS) this.#table = { at, rows: readProcesses() };
    return this.#table.rows;
  }
}

class WatchedGroup implements Group {
  readonly #limits: SandboxLimits;
  readonly #mark: string;
  readonly #rows: (isFresh: boolean) => readonly OsProcess[];
  /** Pid and start time: the number alone may belong to another process by now. */
  readonly #members = new Map<number, string>();
  #leader = 0;
  #cpuMs = 0;
  #memoryBytes = 0;
  #processes = 0;

  constructor(
    limits: SandboxLimits,
    mark: string,
    rows: (isFresh: boolean) => readonly OsProcess[],
  ) {
    this.#limits = limits;
    this.#mark = mark;
    this.#rows = rows;
  }

  async admit(pid: number): Promise<void> {
    // The driver's process comes first.
    this.#leader ||= pid;
    this.#members.set(pid, startOf(pid) ?? "");
  }

  use(): GroupUse {
    const rows = this.#look(false);
    // It ended before anybody looked.
    if (rows.length === 0 && this.#processes === 0) return NOT_SEEN;
    this.#cpuMs = Math.max(this.#cpuMs, sum(rows, "cpuMs"));
    this.#memoryBytes = Math.max(this.#memoryBytes, sum(rows, "memoryBytes"));
    this.#processes = Math.max(this.#processes, rows.length);
    return { cpuMs: this.#cpuMs, memoryBytes: this.#memoryBytes, hit: this.#hit() };
  }

  #hit(): KernelLimit | undefined {
    if (this.#memoryBytes > this.#limits.memoryBytes) return "memoryBytes";
    return this.#processes > this.#limits.processes + EXTRA ? "processes" : undefined;
  }

  async end(): Promise<void> {
    const until = performance.now() + END_MS;
    for (let waitMs = 0; performance.now() < until; waitMs = Math.min(waitMs + 2, 50)) {
      const left = new Set([
        ...this.#look(true).map(({ pid }) => pid),
        ...findProcesses(this.#mark),
      ]);
      if (left.size === 0) return;
      for (const pid of left) kill(pid);
      await delay(waitMs);
    }
  }

  #look(isFresh: boolean): OsProcess[] {
    const rows = this.#rows(isFresh);
    const found = new Map<number, OsProcess>();
    const isMember = (row: OsProcess) =>
      row.group === this.#leader ||
      found.has(row.parent) ||
      (this.#members.has(row.pid) && this.#members.get(row.pid) === (startOf(row.pid) ?? ""));
    // Children may be listed before their parents.
    for (let before = -1; before !== found.size;) {
      before = found.size;
      for (const row of rows) if (!found.has(row.pid) && isMember(row)) found.set(row.pid, row);
    }
    for (const pid of found.keys()) {
      if (!this.#members.has(pid)) this.#members.set(pid, startOf(pid) ?? "");
    }
    return [...found.values()];
  }
}

const NOT_SEEN: GroupUse = { cpuMs: null, memoryBytes: null, hit: undefined };

/** bubblewrap's own, which are counted with the run's. */
const EXTRA = 2;

const sum = (rows: readonly OsProcess[], field: "cpuMs" | "memoryBytes"): number =>
  rows.reduce((total, row) => total + row[field], 0);

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}
