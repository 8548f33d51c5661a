// LiveFeed: the output of running calls, for watchers. It is never stored; the record that follows counts.

import type { Progress } from "@aos/protocol";
import type { ProcessKey } from "../store/rows.ts";

/** `n` is the call that it belongs to; `at` how much of it was said before, where that is not nothing. */
export type LiveProgress = Progress & { readonly n: number; readonly at?: number };
type Listener = (progress: LiveProgress) => void;

export class LiveFeed {
  readonly #listeners = new Map<ProcessKey, Set<Listener>>();

  isHeard(key: ProcessKey): boolean {
    return this.#listeners.has(key);
  }

  tell(key: ProcessKey, progress: LiveProgress): void {
    for (const listener of this.#listeners.get(key) ?? []) listener(progress);
  }

  watch(key: ProcessKey, listener: Listener): () => void {
    const listeners = this.#listeners.get(key) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(key, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(key);
    };
  }
}
