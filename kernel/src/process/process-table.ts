// ProcessTable: the processes that are in memory. All the others are rows.

import type { ProcessKey } from "../store/rows.ts";
import type { Process } from "./process.ts";

export class ProcessTable {
  readonly #byKey = new Map<ProcessKey, Process>();
  readonly #byPid = new Map<string, Process>();

  /** How many of each tree are here. */
  readonly #trees = new Map<ProcessKey, number>();
  /** Told when the last one of a tree has left. Set by the kernel. */
  onTreeLeft: () => void = () => {};

  add(process: Process): void {
    const { root } = process.row;
    if (!this.#byKey.has(process.key)) this.#trees.set(root, (this.#trees.get(root) ?? 0) + 1);
    this.#byKey.set(process.key, process);
    this.#byPid.set(process.pid, process);
  }

  remove(process: Process): void {
    if (this.#byKey.get(process.key) !== process) return;
    this.#byKey.delete(process.key);
    this.#byPid.delete(process.pid);
    const { root } = process.row;
    const left = this.#trees.get(root)! - 1;
    if (left > 0) return void this.#trees.set(root, left);
    this.#trees.delete(root);
    this.onTreeLeft();
  }

  get(key: ProcessKey): Process | undefined {
    return this.#byKey.get(key);
  }

  /** The same, but for those that are just being loaded and have no history yet. */
  whole(key: ProcessKey): Process | undefined {
    const process = this.#byKey.get(key);
    return process?.isWhole === true ? process : undefined;
  }

  byPid(pid: string): Process | undefined {
    return this.#byPid.get(pid);
  }

  get size(): number {
    return this.#byKey.size;
  }

  get treeCount(): number {
    return this.#trees.size;
  }

  all(): IterableIterator<Process> {
    return this.#byKey.values();
  }

  childrenOf(key: ProcessKey): Process[] {
    return [...this.#byKey.values()].filter((process) => process.row.parent === key);
  }
}
