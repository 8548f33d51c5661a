// Leases: which processes belong to this node. A node renews its lease; processes of expired nodes are taken over
// with a new epoch, and the store then refuses records with the old one.
//
// LEASES-1  An irreversible effect begins only while no other node can have taken the process over: after a pause the
//     store is asked for each process whether it still belongs to this node. A renewed lease does not prove that
//     nothing was taken before.
// LEASES-2  A lost hint costs only time: each renewal looks for due and ended processes again.
// LEASES-3  A node that counts budgets wider than a tree is the only node.

import { SysError } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { Platform } from "../platform/clock.ts";
import type { Process } from "../process/process.ts";
import type { RowKeys } from "../process/row-keys.ts";
import type { Dormancy } from "../scheduler/dormancy.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessKey } from "../store/rows.ts";
import type { AdmissionControl } from "./admission.ts";
import type { MessageRouter } from "./message-router.ts";

/** So many processes are loaded at once at boot. */
const LOADING_AT_ONCE = 64;
/** The clocks of two machines differ a little: in the last part of a lease a node is not sure of it. */
const SURE_PART = 0.8;

interface Parts {
  readonly store: Store;
  readonly node: string;
  readonly platform: Platform;
  readonly leaseMs: number;
  /** Budgets wider than a tree are configured. */
  readonly isCounting: boolean;
  readonly journal: Journal;
  readonly keys: RowKeys;
  readonly dormancy: Dormancy;
  readonly router: MessageRouter;
  readonly admission: AdmissionControl;
  /** Reads what other nodes have changed of tenants. */
  readonly refresh: () => Promise<void>;
  readonly trouble: (what: string, error: unknown) => void;
}

export class Leases {
  readonly #parts: Parts;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #isAlone = false;
  /** Settled when it is known whether this node may be alone. */
  #alone: Promise<void> | undefined;
  #claiming: Promise<void> | undefined;
  readonly #loads = new Set<Promise<void>>();
  /** In milliseconds since 1970. */
  #heldUntil = 0;
  /** How often it was renewed when another node could have taken this one for gone. */
  #lapses = 0;
  /** The last lapse after which a process was still ours. */
  readonly #confirmed = new WeakMap<Process, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async begin(): Promise<void> {
    await this.#enter();
    await this.#keep();
    if (this.#parts.store.kind === "sqlite") return; // there is only one node
    this.#timer = setInterval(() => {
      this.#keep().catch((error: unknown) =>
        this.#parts.trouble("the lease could not be renewed", error),
      );
    }, this.#parts.leaseMs / 3);
    this.#timer.unref();
  }

  /** A node that may not be there leaves no sign of itself. */
  async #enter(): Promise<void> {
    const { store, node, isCounting } = this.#parts;
    try {
      await (isCounting ? this.beAlone() : this.#mayBeSecond());
    } catch (error) {
      await store.dropNode(node);
      throw error;
    }
  }

  /**
   * LEASES-3. From when this resolves no other node boots while this one is alive. Both say that they are
   * there before they look: of two that begin at once at least one is refused.
   */
  async beAlone(): Promise<void> {
    if (this.#parts.store.kind === "sqlite") return;
    this.#alone ??= this.#becomeAlone();
    try {
      await this.#alone;
    } catch (error) {
      this.#alone = undefined; // the next query looks again
      throw error;
    }
  }

  async #becomeAlone(): Promise<void> {
    const { store, node } = this.#parts;
    this.#isAlone = true;
    const [other] = await store.otherNodes(node, await this.#renew());
    if (other === undefined) return;
    this.#isAlone = false;
    await this.#renew();
    throw new SysError(
      "ESTATE",
      `budgets need a single node, but the node ${other.name} is running too`,
      {
        hint: "stop the other node, or remove `budgets` and `velocity` from config.yaml and hour, day and month limits from manifests",
      },
    );
  }

  async #mayBeSecond(): Promise<void> {
    const { store, node } = this.#parts;
    if (store.kind === "sqlite") return;
    const others = await store.otherNodes(node, await this.#renew());
    const alone = others.find(({ isAlone }) => isAlone);
    if (alone === undefined) return;
    throw new SysError(
      "ESTATE",
      `the node ${alone.name} enforces budgets and must be the only node`,
      {
        hint: "stop it first, or remove `budgets` and `velocity` from its config.yaml",
      },
    );
  }

  /** Another node has left: what was its own is taken now, and not with the next renewal. */
  async look(): Promise<void> {
    if (!this.#closed) await this.#keep();
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
  }

  /** Once it is closed: resolves when nothing is claimed or loaded any more. */
  async atRest(): Promise<void> {
    await this.#claiming?.catch(() => {});
    await Promise.allSettled(this.#loads);
  }

  /** LEASES-1. After it, what another node has taken is here no longer. */
  async confirm(process: Process): Promise<void> {
    const { store, platform, journal } = this.#parts;
    if (store.kind === "sqlite") return;
    while (platform.now() >= this.#heldUntil || this.#confirmed.get(process) !== this.#lapses) {
      if (platform.now() >= this.#heldUntil) await this.#renew();
      const lapse = this.#lapses;
      journal.amend(process); // refused when it is another's
      await journal.durable();
      if (process.ended) return;
      this.#confirmed.set(process, lapse);
    }
  }

  async #renew(): Promise<number> {
    const { store, node, platform, leaseMs } = this.#parts;
    const now = platform.now();
    if (now >= this.#heldUntil) this.#lapses += 1;
    await store.renewNode(node, now + leaseMs, this.#isAlone);
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
    const { store, node, dormancy, router, admission, keys } = this.#parts;
    const claimed = await store.claim(node, now);
    if (store.kind === "postgres") keys.discard(); // ROW-KEYS-1
    const loading = this.#load(claimed);
    this.#loads.add(loading);
    void loading.then(() => this.#loads.delete(loading));
    await admission.look();
    void loading.then(() => admission.open());
    if (store.kind === "sqlite") return;
    await this.#parts.refresh();
    await dormancy.lookAtTimers();
    await router.lookForEnds();
  }

  async #load(keys: readonly ProcessKey[]): Promise<void> {
    const waiting = keys.values();
    const worker = async () => {
      for (const key of waiting) {
        if (this.#closed) return;
        await this.#parts.dormancy
          .wake(key, "boot")
          .catch((error: unknown) => this.#parts.trouble("a process could not be loaded", error));
      }
    };
    await Promise.all(Array.from({ length: LOADING_AT_ONCE }, worker));
  }
}
