// Rates: limits the use of a rule, per tenant and agent, with one token bucket of `count` uses each.
//
//   rates.left(use, nowMs)       uses that are left now
//   rates.charge(uses, nowMs)    takes one of each; in the same turn as the verdict
//   rates.state() / restore()    JSON and back, for a restart
//
// RATES-1  A clock that steps back neither refills a bucket nor drains it.
// RATES-2  A full bucket is not stored: it equals a missing one.

import type { Rate } from "../capability/units.ts";
import type { RateUse } from "./subject.ts";

/** When there are this many, the full ones are dropped. */
const SWEEP_AT = 10_000;

interface Bucket {
  tokens: number;
  atMs: number;
  count: number;
  perMs: number;
}

export interface BucketState extends Readonly<Bucket> {
  readonly key: string;
}

export class Rates {
  readonly #buckets = new Map<string, Bucket>();
  #sweepAt = SWEEP_AT;

  left({ key, count, perMs }: RateUse, nowMs: number): number {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return count;
    const elapsedMs = Math.max(0, nowMs - bucket.atMs);
    return Math.min(count, bucket.tokens + (elapsedMs * count) / perMs);
  }

  /** How long until one use is left again; 0 when one is. */
  waitMs(use: RateUse, nowMs: number): number {
    const missing = 1 - this.left(use, nowMs);
    if (missing <= 0) return 0;
    // Where a use is missing, there is a bucket.
    const behindMs = Math.max(0, this.#buckets.get(use.key)!.atMs - nowMs);
    return Math.ceil(behindMs + (missing * use.perMs) / use.count);
  }

  charge(uses: readonly RateUse[], nowMs: number): void {
    for (const use of uses) {
      const { key, count, perMs } = use;
      const tokens = Math.max(0, this.left(use, nowMs) - 1);
      const atMs = Math.max(this.#buckets.get(key)?.atMs ?? nowMs, nowMs);
      this.#buckets.set(key, { tokens, atMs, count, perMs });
    }
    if (this.#buckets.size > this.#sweepAt) this.#sweep(nowMs);
  }

  /** Buckets that are kept now. */
  get size(): number {
    return this.#buckets.size;
  }

  state(nowMs: number): readonly BucketState[] {
    this.#sweep(nowMs);
    return Array.from(this.#buckets, ([key, bucket]) => ({ key, ...bucket }));
  }

  /** What is kept of one key; undefined for a full bucket. */
  stateOf(key: string): BucketState | undefined {
    const bucket = this.#buckets.get(key);
    return bucket && { key, ...bucket };
  }

  restore(state: readonly BucketState[]): void {
    this.#buckets.clear();
    for (const { key, ...bucket } of state) this.#buckets.set(key, bucket);
  }

  #sweep(nowMs: number): void {
    for (const [key, { count, perMs }] of this.#buckets) {
      if (this.left({ key, count, perMs }, nowMs) >= count) this.#buckets.delete(key);
    }
    this.#sweepAt = Math.max(SWEEP_AT, this.#buckets.size * 2);
  }
}

/** The key is the rule's, for this tenant and agent. */
export function rateUse(
  prefix: string,
  { count, perMs }: Rate,
  tenant: string,
  agent: string,
): RateUse {
  return { key: `${prefix}/${escaped(tenant)}/${escaped(agent)}`, count, perMs };
}

export const ratePrefix = (layer: string, rule: string): string => `rate:${escaped(layer)}/${rule}`;

/** Escapes slashes in names, since a slash separates two names. */
const escaped = (name: string): string => name.replaceAll("%", "%25").replaceAll("/", "%2F");
