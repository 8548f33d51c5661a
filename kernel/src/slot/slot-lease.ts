// SlotLease: what one request holds while a model works for it: a part of the limits of the model and its
// provider, and of its tenant's share.
//
// SLOT-LEASE-1  A lease is released once, and its slot is free for another request at once.
// SLOT-LEASE-2  Tokens that were reserved and not used are given back, also when the usage is known only
//     after the release.

import { countOf, SysError } from "@aos/protocol";
import type { ModelQueue } from "./model-queue.ts";
import type { Occupancy, OccupancyShare } from "./occupancy.ts";
import type { ShareCharge, Share } from "./shares.ts";

export interface LeasedParts {
  readonly queue: ModelQueue;
  readonly share: Share;
  readonly charge: ShareCharge;
  readonly parts: readonly (readonly [Occupancy, OccupancyShare])[];
  /** It is the one that shows whether a breaker closes. */
  readonly isProbe: boolean;
  readonly since: number;
}

export class SlotLease {
  readonly queue: ModelQueue;
  readonly isProbe: boolean;
  readonly since: number;
  readonly #held: LeasedParts;
  #isLeft = false;
  readonly #now: () => number;
  readonly #onLeave: (held: LeasedParts, tokens: number | undefined) => void;

  constructor(
    held: LeasedParts,
    now: () => number,
    onLeave: (held: LeasedParts, tokens: number | undefined) => void,
  ) {
    this.queue = held.queue;
    this.isProbe = held.isProbe;
    this.since = held.since;
    this.#held = held;
    this.#now = now;
    this.#onLeave = onLeave;
  }

  /** SLOT-LEASE-2. `tokens` is undefined where nobody knows. */
  used(tokens: number | undefined): void {
    if (tokens === undefined) return;
    const now = this.#now();
    for (const [occupancy, part] of this.#held.parts) occupancy.correct(part, tokens, now);
  }

  /** SLOT-LEASE-1. `tokens` are what its tenant is charged in place of what was expected. */
  leave(tokens?: number): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    for (const [occupancy] of this.#held.parts) occupancy.leave();
    this.#onLeave(this.#held, tokens);
  }
}

/** Tokens that an answer says it used; undefined where it does not. */
export function tokensOf(answer: unknown): number | undefined {
  const { usage } = (answer ?? {}) as { usage?: { inputTokens?: unknown; outputTokens?: unknown } };
  const [input, output] = [countOf(usage?.inputTokens), countOf(usage?.outputTokens)];
  return input === undefined || output === undefined ? undefined : input + output;
}

/** Tokens that a failed try used: none where its driver does not speak of any; undefined of a mistake. */
export function tokensLost(failure: unknown): number | undefined {
  if (!(failure instanceof SysError)) return undefined;
  const { spent } = (failure.detail ?? {}) as { spent?: { tokens?: unknown } };
  return spent === undefined ? 0 : countOf(spent?.tokens);
}
