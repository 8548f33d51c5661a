// Directory: processes by their pid, whether they are in memory or rows.

import { SysError } from "@aos/protocol";
import type { Process } from "./process.ts";
import type { ProcessTable } from "./process-table.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessRow, TenantKey } from "../store/rows.ts";

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
