// Reaper: the work after the end of a process, and the release of processes that another node has taken over.

import { SysError } from "@aos/protocol";
import type { AccountRegistry } from "../process/accounts.ts";
import type { Process } from "../process/process.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { ProcessEndings } from "../scheduler/endings.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey } from "../store/rows.ts";
import type { AdmissionControl } from "./admission.ts";
import type { MessageRouter } from "./message-router.ts";
import type { RunRetention } from "./retention.ts";
import type { ProcessTrees } from "../process/trees.ts";

interface Parts {
  readonly store: Store;
  readonly node: string;
  readonly table: ProcessTable;
  readonly accounts: AccountRegistry;
  readonly trees: ProcessTrees;
  readonly router: MessageRouter;
  readonly endings: ProcessEndings;
  readonly retention: RunRetention;
  readonly admission: AdmissionControl;
  readonly trouble: (what: string, error: unknown) => void;
}

export class Reaper {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** An end is durable: the one above may have waited for it, and those below go with it. */
  ended(process: Process): void {
    const { trees, retention, accounts, table, router, store, trouble } = this.#parts;
    this.#parts.admission.remove(process.key);
    // Where nodes share a store, another may have had the tree since it was counted here.
    const hasNoChildren = store.kind === "sqlite" && trees.isOnly(process.row.root);
    trees.add(process.row.root, -1);
    retention.ended();
    accounts.forget(process.key);
    const { parent } = process.row;
    if (parent !== null && table.get(parent) === undefined) router.call(parent);
    // What it has not received is buried by whoever looks (Dormancy).
    if (store.kind === "postgres" || process.mailbox.depth > 0) router.call(process.key);
    if (process.mailbox.wasAsked)
      this.#tellAskers(process).catch((error: unknown) =>
        trouble("those who asked it could not be told", error),
      );
    if (hasNoChildren) return;
    this.#endChildren(process).catch((error: unknown) =>
      trouble("children could not be ended", error),
    );
  }

  /** Waiting processes in memory are told of its end; the others are woken. */
  async #tellAskers({ key }: Process): Promise<void> {
    const { store, table, router } = this.#parts;
    for (const { process } of await store.requestsTo(key))
      if (table.get(process) === undefined) router.call(process);
  }

  async #endChildren(process: Process): Promise<void> {
    const children = await this.#parts.store.livingChildren(process.key);
    for (const child of children)
      await this.#parts.router.signal(child, "SIGKILL", `${process.pid}#${process.seq}`);
  }

  /** The same across a crash: the parent's end was recorded, and the children were not told. */
  async endOrphans(): Promise<void> {
    const { store, node, router } = this.#parts;
    for (const key of await store.orphans(node)) {
      const row = await store.processByKey(key);
      if (row !== undefined) await router.signal(row, "SIGKILL", `${row.parentPid}#end`);
    }
  }

  /** Another node has it now: nothing that was done for it here may go on. */
  fenced(key: ProcessKey): void {
    const process = this.#parts.table.get(key);
    if (process === undefined) return;
    this.#parts.trouble(
      `another node has taken over ${process.pid}`,
      new SysError("EFENCED", process.pid),
    );
    this.drop(process);
  }

  /** What is in memory is ahead of the disk; nothing more is done with it. */
  storeFailed(error: unknown): void {
    for (const process of this.#parts.table.all()) this.drop(process);
    this.#parts.endings.giveUp();
    this.#parts.trouble(
      "the store failed; the daemon stops, and continues from the database at the next start",
      error,
    );
  }

  /** Forgets a process without a word to the store. */
  drop(process: Process): void {
    this.#parts.table.remove(process);
    process.ended = true;
    void process.program?.stop();
    clearTimeout(process.wallTimer);
    process.reset();
  }
}
