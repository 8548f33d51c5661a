// RateLimit: a token bucket for each caller.
//
// GATEWAY-LIMITS-1  A caller above its rate is refused with the time to retry; others are not affected.

import { SysError } from "@aos/protocol";

/** More callers than this at once are not known apart from before. */
const MOST_BUCKETS = 10_000;

interface Bucket {
  left: number;
  at: number;
}

export class RateLimit {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #now: () => number;
  /** The one that asked last is the last. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: { perSecond: number; burst: number; now?: () => number }) {
    this.#perSecond = options.perSecond;
    this.#burst = options.burst;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Takes one, or throws (GATEWAY-LIMITS-1). */
  take(who: string): void {
    const bucket = this.#refilled(who);
    this.#buckets.delete(who);
    this.#buckets.set(who, bucket);
    if (this.#buckets.size > MOST_BUCKETS) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    if (bucket.left < 1) {
      throw new SysError("EAGAIN", `more than ${this.#perSecond} requests a second`, {
        retryAfter: Math.ceil(((1 - bucket.left) / this.#perSecond) * 1000),
        hint: "wait, or raise http.rate in config.yaml",
      });
    }
    bucket.left -= 1;
  }

  #refilled(who: string): Bucket {
    const now = this.#now();
    const bucket = this.#buckets.get(who) ?? { left: this.#burst, at: now };
    const grown = bucket.left + ((now - bucket.at) / 1000) * this.#perSecond;
    return { left: Math.min(this.#burst, grown), at: now };
  }
}
