// Occupancy: how much of a provider, or of one model, is in use, compared with its limits.
//
// OCCUPANCY-1  Never more at once than `concurrency`.
// OCCUPANCY-2  Never more within any minute than `requestsPerMinute` and `tokensPerMinute`. Tokens count
//     as the most that a request can use, until it is known what it used.
// SLIDING-WINDOW-1  A request that used less than was reserved gives back the difference.
// SLIDING-WINDOW-2  A request for more than a whole minute may hold passes once the minute is empty.
// SLIDING-WINDOW-3  A clock that steps back extends no wait beyond a minute.

import type { ModelRule } from "../options.ts";

/** One request's part of it. */
export interface OccupancyShare {
  readonly tokens: WindowUse | undefined;
}

export class Occupancy {
  running = 0;
  readonly #requests = new SlidingWindow();
  readonly #tokens = new SlidingWindow();

  /** How long until a request fits in; Infinity where it waits for another one to end. */
  waitMs(rule: ModelRule | undefined, tokens: number, now: number): number {
    if (rule === undefined) return 0;
    if (rule.concurrency !== undefined && this.running >= rule.concurrency) return Infinity; // OCCUPANCY-1
    const { requestsPerMinute, tokensPerMinute } = rule;
    return Math.max(
      requestsPerMinute === undefined ? 0 : this.#requests.waitMs(1, requestsPerMinute, now),
      tokensPerMinute === undefined ? 0 : this.#tokens.waitMs(tokens, tokensPerMinute, now),
    );
  }

  /** Without a limit nothing is counted. */
  take(rule: ModelRule | undefined, tokens: number, now: number): OccupancyShare {
    this.running += 1;
    if (rule?.requestsPerMinute !== undefined) this.#requests.use(1, now);
    return {
      tokens: rule?.tokensPerMinute === undefined ? undefined : this.#tokens.use(tokens, now),
    };
  }

  leave(): void {
    this.running -= 1;
  }

  /** OCCUPANCY-2. */
  correct({ tokens: use }: OccupancyShare, tokens: number, now: number): void {
    if (use !== undefined) this.#tokens.correct(use, tokens, now);
  }
}

const MINUTE_MS = 60_000;
/** Uses that are over are dropped from the list when there are so many of them. */
const DROP_AT = 1024;

interface WindowUse {
  at: number;
  amount: number;
}

/**
 * The usage of the last minute, use by use, so that no minute, wherever it begins, holds more than is allowed. A
 * bucket that refills would let twice as much through in its worst one.
 */
export class SlidingWindow {
  #uses: WindowUse[] = [];
  #from = 0;
  #sum = 0;

  /** How long until so much more fits in. */
  waitMs(amount: number, limit: number, now: number): number {
    if (limit <= 0) return Infinity;
    this.#forget(now);
    const most = limit - Math.min(amount, limit); // SLIDING-WINDOW-2
    let sum = this.#sum;
    if (sum <= most) return 0;
    for (let index = this.#from; index < this.#uses.length; index++) {
      const { at, amount: freed } = this.#uses[index]!;
      sum -= freed;
      if (sum <= most) return at + MINUTE_MS - now;
    }
    return 0;
  }

  use(amount: number, now: number): WindowUse {
    this.#forget(now);
    const use = { at: now, amount };
    this.#uses.push(use);
    this.#sum += amount;
    return use;
  }

  /** SLIDING-WINDOW-1. What was more than expected counts as well. */
  correct(use: WindowUse, amount: number, now: number): void {
    this.#forget(now);
    if (now - use.at < MINUTE_MS) this.#sum += amount - use.amount;
    use.amount = amount;
  }

  #forget(now: number): void {
    const uses = this.#uses;
    for (let index = uses.length - 1; index >= this.#from && uses[index]!.at > now; index--)
      uses[index]!.at = now; // SLIDING-WINDOW-3
    while (this.#from < uses.length && now - uses[this.#from]!.at >= MINUTE_MS)
      this.#sum -= uses[this.#from++]!.amount;
    if (this.#from < DROP_AT || this.#from * 2 < uses.length) return;
    this.#uses = uses.slice(this.#from);
    this.#from = 0;
  }
}
