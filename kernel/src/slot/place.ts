// Place: what one request holds while it is at a model: a part of what the model and its provider are
// held to, and of its tenant's share.
//
// P1  When it is given up, which is once, it is free for another at once.
// P2  What was used is less than the most that was set aside: the rest is given back, also when it is
//     known only after the place was given up.

import type { Desk } from "./desk.ts";
import type { Occupancy, Part } from "./occupancy.ts";
import type { Charge, Share } from "./shares.ts";

export interface Held {
  readonly desk: Desk;
  readonly share: Share;
  readonly charge: Charge;
  readonly parts: readonly (readonly [Occupancy, Part])[];
  /** It is the one that shows whether a breaker closes. */
  readonly isProbe: boolean;
  readonly since: number;
}

export class Place {
  readonly desk: Desk;
  readonly isProbe: boolean;
  readonly since: number;
  readonly #held: Held;
  #isLeft = false;
  readonly #now: () => number;
  readonly #onLeave: (held: Held, tokens: number | undefined) => void;

  constructor(
    held: Held,
    now: () => number,
    onLeave: (held: Held, tokens: number | undefined) => void,
  ) {
    this.desk = held.desk;
    this.isProbe = held.isProbe;
    this.since = held.since;
    this.#held = held;
    this.#now = now;
    this.#onLeave = onLeave;
  }

  /** P2. `tokens` is undefined where nobody knows. */
  used(tokens: number | undefined): void {
    if (tokens === undefined) return;
    const now = this.#now();
    for (const [occupancy, part] of this.#held.parts) occupancy.correct(part, tokens, now);
  }

  /** P1. `tokens` are what its tenant is charged in place of what was expected. */
  leave(tokens?: number): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    for (const [occupancy] of this.#held.parts) occupancy.leave();
    this.#onLeave(this.#held, tokens);
  }
}
