// AdmissionQueue: who waits to begin, in which order.
//
// Q1  A lane that is before another goes first; within a lane the earlier deadline, then the older.
// Q2  The order is a function of what the rows say: it is the same after a restart.

import { DEFAULT_LANE, lanes, type Lane } from "@aos/protocol";
import type { ProcessKey, ListedProcess, TenantKey } from "../store/rows.ts";

export interface Queued {
  readonly key: ProcessKey;
  readonly tenant: TenantKey;
  readonly lane: Lane;
  /** In milliseconds since 1970; Infinity where there is none. */
  readonly deadlineAt: number;
  readonly startedAt: number;
}

export const queuedOf = ({ key, tenant, lane, startedAt, spec }: ListedProcess): Queued => ({
  key,
  tenant,
  lane: lane ?? DEFAULT_LANE,
  deadlineAt: spec.deadlineAt ?? Infinity,
  startedAt,
});

/** Infinity minus itself is no number: those are equal. */
const difference = (a: number, b: number): number => (a === b ? 0 : a - b);

const inOrder = (a: Queued, b: Queued): number =>
  difference(a.deadlineAt, b.deadlineAt) || a.startedAt - b.startedAt || a.key - b.key;

export class AdmissionQueue {
  /** Sorted: the newest mostly goes to the end. */
  readonly #lanes = Object.fromEntries(lanes.map((lane) => [lane, []])) as unknown as Record<
    Lane,
    Queued[]
  >;
  readonly #known = new Map<ProcessKey, Queued>();
  readonly #ofTenant = new Map<TenantKey, number>();

  add(entry: Queued): void {
    if (this.#known.has(entry.key)) return;
    this.#known.set(entry.key, entry);
    this.#ofTenant.set(entry.tenant, this.countOf(entry.tenant) + 1);
    const line = this.#lanes[entry.lane];
    line.splice(placeIn(line, entry), 0, entry);
  }

  /** Takes the one whose turn it is. */
  take(): Queued | undefined {
    const line = lanes.map((lane) => this.#lanes[lane]).find(({ length }) => length > 0);
    const next = line?.[0];
    if (next !== undefined) this.remove(next.key);
    return next;
  }

  remove(key: ProcessKey): boolean {
    const entry = this.#known.get(key);
    if (entry === undefined) return false;
    this.#known.delete(key);
    const left = this.countOf(entry.tenant) - 1;
    if (left === 0) this.#ofTenant.delete(entry.tenant);
    else this.#ofTenant.set(entry.tenant, left);
    const line = this.#lanes[entry.lane];
    line.splice(placeIn(line, entry), 1);
    return true;
  }

  has(key: ProcessKey): boolean {
    return this.#known.has(key);
  }

  /** 1 for the next to begin; null for one that is not here. */
  place(key: ProcessKey): number | null {
    const entry = this.#known.get(key);
    if (entry === undefined) return null;
    const before = lanes.slice(0, lanes.indexOf(entry.lane));
    const ahead = before.reduce((sum, lane) => sum + this.#lanes[lane].length, 0);
    return ahead + placeIn(this.#lanes[entry.lane], entry) + 1;
  }

  countOf(tenant: TenantKey): number {
    return this.#ofTenant.get(tenant) ?? 0;
  }

  get size(): number {
    return this.#known.size;
  }

  byLane(): Record<Lane, number> {
    return Object.fromEntries(
      lanes.map((lane) => [lane, this.#lanes[lane].length]),
    ) as unknown as Record<Lane, number>;
  }
}

/** Where it is in a line, or would be. */
function placeIn(line: readonly Queued[], entry: Queued): number {
  let [low, high] = [0, line.length];
  if (high > 0 && inOrder(line[high - 1]!, entry) < 0) return high;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (inOrder(line[middle]!, entry) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
