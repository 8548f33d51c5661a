// RowKeys: numbers for new rows, drawn from the store in large blocks so that no two nodes get the same.
//
// ROW-KEYS-1  What a process sends after another node has had it has higher keys than what it sent there: a node that
//     takes processes over discards what it drew before.

import type { Store } from "../store/contract.ts";

const BLOCK = 10_000;

export class RowKeys {
  readonly #store: Store;
  #next = 0;
  #end = 0;
  #drawing: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  async take(): Promise<number> {
    while (this.#next === this.#end) await (this.#drawing ??= this.#draw());
    return this.#next++;
  }

  /** ROW-KEYS-1. */
  discard(): void {
    this.#next = this.#end;
  }

  async #draw(): Promise<void> {
    const first = await this.#store.reserveKeys(BLOCK);
    this.#next = first;
    this.#end = first + BLOCK;
    this.#drawing = undefined;
  }
}
