// AdmissionQueue: the pending trees and their order.
//
// ADMISSION-QUEUE-1  The earlier lane goes first; within a lane the earlier deadline, then the older tree.
// ADMISSION-QUEUE-2  The order depends only on the rows: it is the same after a restart.

import { DEFAULT_LANE, lanes, type Lane } from "@aos/protocol";
import type { ProcessKey, ListedProcess, TenantKey } from "../store/rows.ts";

export interface QueuedTree {
  readonly key: ProcessKey;
  readonly tenant: TenantKey;
  readonly lane: Lane;
  /** In milliseconds since 1970; Infinity where there is none. */
  readonly deadlineAt: number;
  readonly startedAt: number;
}

export const queuedTree = ({ key, tenant, lane, startedAt, spec }: ListedProcess): QueuedTree => ({
  key,
  tenant,
  lane: lane ?? DEFAULT_LANE,
  deadlineAt: spec.deadlineAt ?? Infinity,
  startedAt,
});

/** Infinity minus itself is no number: those are equal. */
const difference = (a: number, b: number): number => (a === b ? 0 : a - b);

const inOrder = (a: QueuedTree, b: QueuedTree): number =>
  difference(a.deadlineAt, b.deadlineAt) || a.startedAt - b.startedAt || a.key - b.key;

/** Those of one lane, in order. What is taken from its front leaves a gap there, and nothing moves for it. */
class Line {
  /** Sorted from `#front` on: the newest mostly goes to the end. */
  #entries: QueuedTree[] = [];
  #front = 0;

  get length(): number {
    return this.#entries.length - this.#front;
  }

  get first(): QueuedTree | undefined {
    return this.#entries[this.#front];
  }

  add(entry: QueuedTree): void {
    this.#entries.splice(this.#indexOf(entry), 0, entry);
  }

  remove(entry: QueuedTree): void {
    const index = this.#indexOf(entry);
    if (index > this.#front) return void this.#entries.splice(index, 1);
    this.#front += 1;
    if (this.#front * 2 < this.#entries.length || this.#front < LEAST_GAP) return;
    this.#entries = this.#entries.slice(this.#front);
    this.#front = 0;
  }

  /** How many are before it. */
  ahead(entry: QueuedTree): number {
    return this.#indexOf(entry) - this.#front;
  }

  /** Where it is, or would be. */
  #indexOf(entry: QueuedTree): number {
    let [low, high] = [this.#front, this.#entries.length];
    if (high > low && inOrder(this.#entries[high - 1]!, entry) < 0) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (inOrder(this.#entries[middle]!, entry) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** A smaller gap is not worth a copy. */
const LEAST_GAP = 64;

export class AdmissionQueue {
  readonly #lanes = new Map(lanes.map((lane) => [lane, new Line()]));
  readonly #known = new Map<ProcessKey, QueuedTree>();
  readonly #ofTenant = new Map<TenantKey, number>();

  add(entry: QueuedTree): void {
    if (this.#known.has(entry.key)) return;
    this.#known.set(entry.key, entry);
    this.#ofTenant.set(entry.tenant, this.countOf(entry.tenant) + 1);
    this.#line(entry.lane).add(entry);
  }

  /** Takes the one whose turn it is. */
  take(): QueuedTree | undefined {
    for (const { first } of this.#lanes.values())
      if (first !== undefined) {
        this.remove(first.key);
        return first;
      }
    return undefined;
  }

  remove(key: ProcessKey): boolean {
    const entry = this.#known.get(key);
    if (entry === undefined) return false;
    this.#known.delete(key);
    const left = this.countOf(entry.tenant) - 1;
    if (left === 0) this.#ofTenant.delete(entry.tenant);
    else this.#ofTenant.set(entry.tenant, left);
    this.#line(entry.lane).remove(entry);
    return true;
  }

  #line(lane: Lane): Line {
    return this.#lanes.get(lane)!;
  }

  has(key: ProcessKey): boolean {
    return this.#known.has(key);
  }

  /** 1 for the next to begin; null for one that is not here. */
  place(key: ProcessKey): number | null {
    const entry = this.#known.get(key);
    if (entry === undefined) return null;
    const before = lanes.slice(0, lanes.indexOf(entry.lane));
    const ahead = before.reduce((sum, lane) => sum + this.#line(lane).length, 0);
    return ahead + this.#line(entry.lane).ahead(entry) + 1;
  }

  countOf(tenant: TenantKey): number {
    return this.#ofTenant.get(tenant) ?? 0;
  }

  get size(): number {
    return this.#known.size;
  }

  byLane(): Record<Lane, number> {
    return Object.fromEntries(
      lanes.map((lane) => [lane, this.#line(lane).length]),
    ) as unknown as Record<Lane, number>;
  }
}
