// Heap: a priority queue whose items may leave, or change their rank, at any time. Every operation is
// logarithmic.

/** What can be in one heap at a time. */
export interface HeapEntry {
  /** Where it is in its heap; -1 while it is in none. Only the heap writes it. */
  rank: number;
}

export class Heap<T extends HeapEntry> {
  readonly #items: T[] = [];
  readonly #isBefore: (one: T, other: T) => boolean;

  constructor(isBefore: (one: T, other: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** All of them, in no order. */
  all(): readonly T[] {
    return this.#items;
  }

  add(item: T): void {
    this.#items.push(item);
    this.#rise(item, this.#items.length - 1);
  }

  remove(item: T): void {
    const at = item.rank;
    const last = this.#items.pop()!;
    item.rank = -1;
    if (last !== item) this.#settle(last, at);
  }

  /** To be called when what it is ordered by has changed. */
  moved(item: T): void {
    this.#settle(item, item.rank);
  }

  #settle(item: T, at: number): void {
    this.#rise(item, at);
    this.#sink(item, item.rank);
  }

  #rise(item: T, from: number): void {
    let at = from;
    while (at > 0) {
      const above = this.#items[(at - 1) >> 1]!;
      if (!this.#isBefore(item, above)) break;
      this.#put(above, at);
      at = (at - 1) >> 1;
    }
    this.#put(item, at);
  }

  #sink(item: T, from: number): void {
    const items = this.#items;
    let at = from;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= items.length) break;
      if (below + 1 < items.length && this.#isBefore(items[below + 1]!, items[below]!)) below += 1;
      if (!this.#isBefore(items[below]!, item)) break;
      this.#put(items[below]!, at);
      at = below;
    }
    this.#put(item, at);
  }

  #put(item: T, at: number): void {
    this.#items[at] = item;
    item.rank = at;
  }
}
