// ProcessTable: the processes that are in memory. All the others are rows.
// Directory finds a process by its pid in either.

import { SysError } from "@aos/protocol";
import type { Store } from "../store/contract.ts";
import type { ProcessKey, ProcessRow, TenantKey } from "../store/rows.ts";
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

/** The keys of tenants by their names. */
export interface TenantKeys {
  keyOf(name: string): Promise<TenantKey>;
}

export class Directory {
  readonly #store: Store;
  readonly #table: ProcessTable;

  constructor(store: Store, table: ProcessTable) {
    this.#store = store;
    this.#table = table;
  }

  async find(pid: string): Promise<ProcessRow> {
    // One that was just born is in memory before it is in the store.
    const row = (await this.#store.process(pid)) ?? this.#table.byPid(pid)?.row;
    if (row !== undefined) return row;
    throw new SysError("ENOENT", `unknown process ${pid}`, {
      hint: "`aos ps -a` lists all processes",
    });
  }

  /** The same for what never changes of a row, or is known better in memory: of one in memory nothing is read. */
  async locate(pid: string): Promise<ProcessRow> {
    return this.#table.byPid(pid)?.row ?? this.find(pid);
  }

  /** For a process, those of other tenants do not exist. */
  async findFor(process: Process, pid: string): Promise<ProcessRow> {
    const row = this.#rowOfRunning(pid) ?? (await this.find(pid));
    if (row.tenant !== process.tenant) throw new SysError("ENOENT", `unknown process ${pid}`);
    return row;
  }

  /**
   * Of one whose program runs here the store knows no more than memory does: it has not ended, and waits for
   * nothing that the row would say. Where nodes share a store, another may have taken it over meanwhile.
   */
  #rowOfRunning(pid: string): ProcessRow | undefined {
    const found = this.#store.kind === "sqlite" ? this.#table.byPid(pid) : undefined;
    if (found === undefined || found.ended || found.asleep || !found.isWhole) return undefined;
    return found.replay === null && found.program !== null ? found.row : undefined;
  }
}
