// FairQueue: the requests that wait for one model, with a queue for each tenant.
//
// FAIR-QUEUE-1  The tenant that has used the provider least goes next (shares.ts).
// FAIR-QUEUE-2  Within a tenant the earliest deadline goes first, and first in, first out among equals.

import { Heap, type HeapEntry } from "./heap.ts";
import type { Share, Shares } from "./shares.ts";

/** The part of a request that the order depends on. */
export interface QueueEntry extends HeapEntry {
  readonly tenant: string;
  /** Milliseconds since 1970; everybody has one. */
  readonly dueAt: number;
  /** Counts up with every request. */
  readonly order: number;
}

/** FAIR-QUEUE-2. */
const isDueBefore = (one: QueueEntry, other: QueueEntry): boolean =>
  one.dueAt < other.dueAt || (one.dueAt === other.dueAt && one.order < other.order);

export class TenantQueue<T extends QueueEntry> implements HeapEntry {
  rank = -1;
  readonly share: Share;
  readonly tickets = new Heap<T>(isDueBefore);
  readonly #lines: Heap<TenantQueue<T>>;

  constructor(share: Share, lines: Heap<TenantQueue<T>>) {
    this.share = share;
    this.#lines = lines;
  }

  moved(): void {
    this.#lines.moved(this);
  }
}

/** FAIR-QUEUE-1. No tenant's queue is ever empty. */
export function isNext<T extends QueueEntry>(one: TenantQueue<T>, other: TenantQueue<T>): boolean {
  const more = one.share.used - other.share.used;
  return more < 0 || (more === 0 && isDueBefore(one.tickets.first!, other.tickets.first!));
}

export class FairQueue<T extends QueueEntry> {
  readonly #shares: Shares;
  readonly #lines = new Heap<TenantQueue<T>>(isNext);
  readonly #byTenant = new Map<string, TenantQueue<T>>();
  #size = 0;

  constructor(shares: Shares) {
    this.#shares = shares;
  }

  get size(): number {
    return this.#size;
  }

  /** The tenant's queue that goes next. */
  get first(): TenantQueue<T> | undefined {
    return this.#lines.first;
  }

  add(ticket: T): void {
    this.#size += 1;
    const line = this.#byTenant.get(ticket.tenant);
    if (line === undefined) return this.#open(ticket);
    line.tickets.add(ticket);
    line.moved();
  }

  remove(ticket: T): void {
    const line = this.#byTenant.get(ticket.tenant)!;
    this.#size -= 1;
    line.tickets.remove(ticket);
    if (line.tickets.size > 0) return line.moved();
    this.#byTenant.delete(ticket.tenant);
    this.#lines.remove(line);
    line.share.lines.delete(line);
  }

  all(): T[] {
    return this.#lines.all().flatMap(({ tickets }) => tickets.all());
  }

  #open(ticket: T): void {
    const share = this.#shares.of(ticket.tenant);
    if (share.lines.size === 0) this.#shares.wake(share);
    const line = new TenantQueue<T>(share, this.#lines);
    line.tickets.add(ticket);
    this.#byTenant.set(ticket.tenant, line);
    this.#lines.add(line);
    share.lines.add(line);
  }
}
