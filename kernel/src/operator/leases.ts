// Leases: which processes are this node's. A node says that it is alive; what belongs to nodes that
// are not is taken over, with a new epoch, and from then on the store refuses the old one's records.

import type { Platform } from "../platform/clock.ts";
import type { Dormancy } from "../scheduler/dormancy.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey } from "../store/rows.ts";

/** So many processes are loaded at once at boot. */
const LOADING_AT_ONCE = 64;

interface Parts {
  readonly store: Store;
  readonly node: string;
  readonly platform: Platform;
  readonly leaseMs: number;
  readonly dormancy: Dormancy;
  readonly trouble: (what: string, error: unknown) => void;
}

export class Leases {
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async begin(): Promise<void> {
    await this.#claim();
    if (this.#parts.store.kind === "sqlite") return; // nobody else can be there
    this.#timer = setInterval(() => {
      this.#claim().catch((error: unknown) =>
        this.#parts.trouble("the lease could not be renewed", error),
      );
    }, this.#parts.leaseMs / 3);
    this.#timer.unref();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
  }

  async #claim(): Promise<void> {
    const { store, node, platform, leaseMs } = this.#parts;
    const now = platform.now();
    await store.renewNode(node, now + leaseMs);
    const taken = await store.claim(node, now);
    void this.#load(taken);
  }

  async #load(keys: readonly ProcessKey[]): Promise<void> {
    const waiting = keys.values();
    const worker = async () => {
      for (const key of waiting) {
        if (this.#closed) return;
        await this.#parts.dormancy
          .wake(key)
          .catch((error: unknown) => this.#parts.trouble("a process could not be loaded", error));
      }
    };
    await Promise.all(Array.from({ length: LOADING_AT_ONCE }, worker));
  }
}
