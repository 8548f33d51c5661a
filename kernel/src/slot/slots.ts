// Slots: places at models, which are what is scarce. How the parts fit together: docs/scheduling.md.
//
//   run(wish, attempt)   waits for a place, tries, tries again and elsewhere where that may help
//   reports()            how each model does
//
// S1  Tenants share in proportion to their weights (shares.ts); within one, the earliest deadline is
//     first (line-up.ts).
// S2  The limits of a model, and of its provider, are never exceeded (occupancy.ts).
// S3  Every wish has one outcome, and holds nothing after it (errand.ts).

import type { SlotReport } from "@aos/protocol";
import type { SlotRules } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import { Counter } from "./counter.ts";
import type { Desk } from "./desk.ts";
import { Errand, type Premises } from "./errand.ts";
import { hedgeAfterMs, providerOf } from "./rules.ts";
import type { Answer, Attempt, SlotWish } from "./wish.ts";

export { NO_SLOT_RULES } from "./rules.ts";
export type { Attempt, SlotWish } from "./wish.ts";

/** Of more models than this, those that are idle are forgotten. */
const MOST_MODELS = 1000;

interface Parts {
  readonly rules: () => SlotRules;
  readonly platform: Platform;
  /** Takes secrets out of what a driver said. */
  readonly scrub?: (text: string) => string;
}

export class Slots {
  readonly #parts: Parts;
  readonly #counters = new Map<string, Counter>();
  readonly #desks = new Map<string, Desk>();
  readonly #premises: Premises;
  #wishes = 0;

  constructor(parts: Parts) {
    const { rules, platform } = parts;
    this.#parts = parts;
    this.#premises = {
      rules,
      platform,
      now: () => platform.now(),
      desk: (model) => this.#desk(model),
      counter: (model) => this.#counter(providerOf(model)),
      scrub: parts.scrub ?? ((text) => text),
    };
  }

  run<T>(wish: SlotWish, attempt: Attempt<T>): Promise<Answer<T>> {
    this.#wishes += 1;
    return new Errand(wish, attempt, this.#wishes, this.#premises).run();
  }

  /** How many tries may run at once for one request: 2 where it is hedged. */
  triesAtOnce(model: string): number {
    return hedgeAfterMs(this.#parts.rules(), model) === undefined ? 1 : 2;
  }

  /** Of each model that rules speak of or that was asked for. */
  reports(): SlotReport[] {
    const rules = this.#parts.rules();
    const now = this.#parts.platform.now();
    for (const model of Object.keys(rules.models)) this.#desk(model);
    return [...this.#desks.values()]
      .map((desk) => desk.report(rules, now))
      .toSorted((one, other) => (one.model < other.model ? -1 : 1));
  }

  #counter(provider: string): Counter {
    let counter = this.#counters.get(provider);
    if (counter === undefined) {
      counter = new Counter(provider, this.#parts.rules, this.#parts.platform);
      this.#counters.set(provider, counter);
    }
    return counter;
  }

  #desk(model: string): Desk {
    let desk = this.#desks.get(model);
    if (desk === undefined) {
      if (this.#desks.size >= MOST_MODELS) this.#forget();
      desk = this.#counter(providerOf(model)).desk(model);
      this.#desks.set(model, desk);
    }
    return desk;
  }

  #forget(): void {
    const now = this.#parts.platform.now();
    for (const [model, desk] of this.#desks) if (desk.isIdle(now)) this.#desks.delete(model);
  }
}
