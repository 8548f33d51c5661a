// Table: the processes that are in memory. All the others are rows.

import type { ProcessKey } from "../store/rows.ts";
import type { Process } from "./process.ts";

export class Table {
  readonly #byKey = new Map<ProcessKey, Process>();
  readonly #byPid = new Map<string, Process>();

  add(process: Process): void {
    this.#byKey.set(process.key, process);
    this.#byPid.set(process.pid, process);
  }

  remove(process: Process): void {
    if (this.#byKey.get(process.key) !== process) return;
    this.#byKey.delete(process.key);
    this.#byPid.delete(process.pid);
  }

  get(key: ProcessKey): Process | undefined {
    return this.#byKey.get(key);
  }

  byPid(pid: string): Process | undefined {
    return this.#byPid.get(pid);
  }

  get size(): number {
    return this.#byKey.size;
  }

  all(): IterableIterator<Process> {
    return this.#byKey.values();
  }

  childrenOf(key: ProcessKey): Process[] {
    return [...this.#byKey.values()].filter((process) => process.row.parent === key);
  }
}
