// Gauges: what all runs of an agent, of a tenant, or all together have used up in each window.
//
// U1  A counter is of one window. When the window is over there is another counter, and what was
//     reserved in the old one is settled in the old one.
// U2  A clock that goes back does not bring an old window back.

import { NOTHING, tallyOf, type Amount, type Tally } from "./amount.ts";
import { NO_OVERRUN, type Overrun } from "./overrun.ts";
import { windowOf, type Period, type Window } from "./windows.ts";

export interface Counter extends Window {
  readonly spent: Tally;
  readonly reserved: Tally;
  /** Reported beyond what was reserved (overrun.ts). */
  readonly owed: Tally;
}

/** What was spent, and is owed, in the window that began then, before this boot. */
export type Before = (period: Period, window: Window) => Amount & { readonly owed?: Overrun };

const emptyCounter = (window: Window, spent: ReturnType<Before>): Counter => ({
  ...window,
  spent: tallyOf(spent),
  reserved: tallyOf(NOTHING),
  owed: { ...NO_OVERRUN, ...spent.owed, toolCalls: 0 },
});

export class Gauge {
  /** `agent writer`, `tenant acme`, `total`. */
  readonly name: string;
  readonly #counters = new Map<Period, Counter>();

  constructor(name: string, periods: readonly Period[], nowMs: number, before: Before) {
    this.name = name;
    for (const period of periods) {
      const window = windowOf(period, nowMs);
      this.#counters.set(period, emptyCounter(window, before(period, window)));
    }
  }

  get periods(): Iterable<Period> {
    return this.#counters.keys();
  }

  at(period: Period, nowMs: number): Counter {
    const counter = this.#counters.get(period)!;
    if (nowMs < counter.until) return counter;
    const next = emptyCounter(windowOf(period, nowMs), NOTHING);
    this.#counters.set(period, next);
    return next;
  }
}
