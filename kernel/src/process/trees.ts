// ProcessTrees: the number of living processes of each tree, counted when a spawn is allowed, so that two concurrent
// spawns cannot both be the last.

import { SysError } from "@aos/protocol";
import type { Limits } from "../options.ts";
import type { Process } from "./process.ts";
import type { BaseStore } from "../store/base-contract.ts";
import type { ProcessKey } from "../store/rows.ts";

export class ProcessTrees {
  readonly #store: BaseStore;
  readonly #limits: Limits;
  readonly #living = new Map<ProcessKey, number>();
  readonly #looked = new WeakMap<Process, number>();

  constructor(store: BaseStore, limits: Limits) {
    // Each spawn adds up to two blocks to a chain of capabilities, and a chain has an end.
    if (limits.spawnDepth > 30) throw new SysError("EINVAL", "limits.spawnDepth may be 30 at most");
    this.#store = store;
    this.#limits = limits;
  }

  /** To be called before a process of the tree runs, with how many were counted when it was read. */
  know(root: ProcessKey, count: number): void {
    if (!this.#living.has(root)) this.#living.set(root, count);
  }

  add(root: ProcessKey, change: 1 | -1): void {
    const count = (this.#living.get(root) ?? 0) + change;
    if (count > 0) this.#living.set(root, count);
    else this.#living.delete(root);
  }

  /** Whether a process of this tree is the only one that lives. False where that is not known. */
  isOnly(root: ProcessKey): boolean {
    return this.#living.get(root) === 1;
  }

  /** The last living process of a tree leaves memory: it is counted again when it comes back. */
  forget(root: ProcessKey): void {
    if (this.#living.get(root) === 1) this.#living.delete(root);
  }

  /** For a process that is only asked about: counted for it alone, where its tree is not in memory. */
  async look(process: Process): Promise<void> {
    const { root } = process.row;
    if (!this.#living.has(root)) this.#looked.set(process, await this.#store.countTree(root));
  }

  refuseFull(process: Process): void {
    if (process.row.spec.hops === 0) {
      throw new SysError("EACCES", "it may not spawn: the hops of its task's ttl are used up", {
        hint: "raise ttl.hops where the task was started, or in a manifest on the way",
      });
    }
    const { spawnDepth, treeProcesses } = this.#limits;
    if (process.row.depth >= spawnDepth) {
      throw new SysError(
        "EACCES",
        `it may not spawn: depth ${process.row.depth + 1} exceeds the limit of ${spawnDepth}`,
        {
          hint: "raise limits.spawnDepth in config.yaml",
        },
      );
    }
    const living = this.#living.get(process.row.root) ?? this.#looked.get(process) ?? 0;
    if (living >= treeProcesses) {
      throw new SysError(
        "EAGAIN",
        `the process tree has ${living} running processes; the limit is ${treeProcesses}`,
        {
          hint: "wait until a child ends, or raise limits.treeProcesses in config.yaml",
          retryAfter: 1000,
        },
      );
    }
  }
}
