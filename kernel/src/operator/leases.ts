// Leases: which processes are this node's. A node says that it is alive; what belongs to nodes that
// are not is taken over, with a new epoch, and from then on the store refuses the old one's records.
//
// N1  What cannot be taken back is begun only while no other node can take this one for gone: after a
//     pause it is first asked of the store whether the process is still ours.
// N2  A hint that was lost costs time and nothing else: with every renewal it is looked again what is due
//     and what has ended.

import type { Journal } from "../journal/journal.ts";
import type { Platform } from "../platform/clock.ts";
import type { Process } from "../process/process.ts";
import type { Dormancy } from "../scheduler/dormancy.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey } from "../store/rows.ts";
import type { Courier } from "./courier.ts";

/** So many processes are loaded at once at boot. */
const LOADING_AT_ONCE = 64;
/** The clocks of two machines differ a little: in the last part of a lease a node is not sure of it. */
const SURE_PART = 0.8;

interface Parts {
  readonly store: Store;
  readonly node: string;
  readonly platform: Platform;
  readonly leaseMs: number;
  readonly journal: Journal;
  readonly dormancy: Dormancy;
  readonly courier: Courier;
  readonly trouble: (what: string, error: unknown) => void;
}

export class Leases {
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #claiming: Promise<void> | undefined;
  /** In milliseconds since 1970. */
  #heldUntil = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async begin(): Promise<void> {
    await this.#keep();
    if (this.#parts.store.kind === "sqlite") return; // nobody else can be there
    this.#timer = setInterval(() => {
      this.#keep().catch((error: unknown) =>
        this.#parts.trouble("the lease could not be renewed", error),
      );
    }, this.#parts.leaseMs / 3);
    this.#timer.unref();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
  }

  /** N1. After it, what another node has taken is here no longer. */
  async confirm(process: Process): Promise<void> {
    const { store, platform, journal } = this.#parts;
    if (store.kind === "sqlite" || platform.now() < this.#heldUntil) return;
    await this.#renew();
    journal.amend(process); // refused when it is another's
    await journal.durable();
  }

  async #renew(): Promise<number> {
    const { store, node, platform, leaseMs } = this.#parts;
    const now = platform.now();
    await store.renewNode(node, now + leaseMs);
    this.#heldUntil = now + leaseMs * SURE_PART;
    return now;
  }

  /** What is to be taken over may be locked for a while; the lease is renewed meanwhile. */
  async #keep(): Promise<void> {
    const now = await this.#renew();
    this.#claiming ??= this.#claim(now).finally(() => (this.#claiming = undefined));
    await this.#claiming;
  }

  async #claim(now: number): Promise<void> {
    const { store, node, dormancy, courier } = this.#parts;
    void this.#load(await store.claim(node, now));
    if (store.kind === "sqlite") return;
    await dormancy.lookAtTimers();
    await courier.lookForEnds();
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
