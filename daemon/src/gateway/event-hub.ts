// EventHub: the records of all processes for many watchers. The kernel is followed once and each record is encoded
// once; each watcher only filters.
//
// EVENT-HUB-1  Without watchers the kernel is not followed.
// EVENT-HUB-2  A watcher receives only what its filter lets through; a tenant's watcher never receives records of
//     another tenant.
// EVENT-HUB-3  A watcher that is too slow is disconnected; it reconnects and continues from the journal.

import type { Kernel } from "@aos/kernel";
import type { FeedEvent, ProcessId } from "@aos/protocol";

const HEARTBEAT_MS = 15_000;
export const MOST_WAITING = 10_000;

/** A record as every watcher is sent it. */
export interface EncodedEvent {
  readonly pid: ProcessId;
  readonly seq: number;
  readonly isEnd: boolean;
  readonly bytes: Uint8Array;
}

export interface EventFilter {
  /** Null: of all tenants. */
  readonly tenant: string | null;
  readonly pid?: ProcessId | undefined;
  /** The first of a tree. */
  readonly tree?: ProcessId | undefined;
}

export interface Watcher extends EventFilter {
  readonly tell: (told: EncodedEvent) => void;
  readonly beat: () => void;
}

const encoder = new TextEncoder();
export const utf8BytesOf = (text: string): Uint8Array => encoder.encode(text);

/** The id is the record's own: whoever has it can go on from there, whatever became of the daemon. */
export function encodeEvent(event: FeedEvent): EncodedEvent {
  const { pid, record } = event;
  const { seq } = record;
  const bytes = utf8BytesOf(`id: ${pid}:${seq}\ndata: ${JSON.stringify(event)}\n\n`);
  return { pid, seq, isEnd: record.kind === "end", bytes };
}

/** EVENT-HUB-2. */
export const passes = (filter: EventFilter, event: FeedEvent): boolean =>
  (filter.tenant === null || filter.tenant === event.tenant) &&
  (filter.pid === undefined || filter.pid === event.pid) &&
  (filter.tree === undefined || filter.tree === event.tree);

export class EventHub {
  readonly #kernel: Pick<Kernel, "follow">;
  readonly #onTrouble: (error: unknown) => void;
  readonly #watchers = new Set<Watcher>();
  #following: AbortController | undefined;

  constructor(kernel: Pick<Kernel, "follow">, onTrouble: (error: unknown) => void) {
    this.#kernel = kernel;
    this.#onTrouble = onTrouble;
  }

  get size(): number {
    return this.#watchers.size;
  }

  /** Told of everything that becomes durable after this call. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    if (this.#following === undefined) this.#begin();
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size > 0) return;
      this.#following?.abort(); // EVENT-HUB-1
      this.#following = undefined;
    };
  }

  #begin(): void {
    const following = new AbortController();
    this.#following = following;
    const beating = setInterval(() => {
      for (const watcher of this.#watchers) watcher.beat();
    }, HEARTBEAT_MS);
    beating.unref();
    // The kernel is listened to from this very call on: it does not wait before it listens.
    this.#follow(following.signal)
      .catch(this.#onTrouble)
      .finally(() => clearInterval(beating));
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for await (const event of this.#kernel.follow({ signal })) {
      let told: EncodedEvent | undefined;
      for (const watcher of this.#watchers)
        if (passes(watcher, event)) watcher.tell((told ??= encodeEvent(event)));
    }
  }
}
