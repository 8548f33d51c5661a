// Occupancy: how much of a provider, or of one model, is in use, held against what is allowed of it.
//
// OCCUPANCY-1  Never more at once than `concurrency`.
// OCCUPANCY-2  Never more within any minute than `requestsPerMinute` and `tokensPerMinute`. Tokens count
//     as the most that a request can use, until it is known what it used.

import type { ModelRule } from "../options.ts";
import { SlidingWindow, type WindowUse } from "./sliding-window.ts";

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

  /** What nobody holds it to is not counted. */
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
