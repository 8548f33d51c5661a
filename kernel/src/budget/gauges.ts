// Gauges: the usage of all runs of an agent, of a tenant, or of all, in each window: an hour, a day or
// a month of UTC, or all time.
//
// GAUGES-1  A counter belongs to one window. When the window ends a new counter starts; reservations in the old one
//     are settled in the old one.
// GAUGES-2  Windows follow the machine's clock as it is set now. If the clock is set back, a repeated window has its
//     earlier counter. A window that was never counted here starts with the counter of the last one, until the store
//     has reported its spending.
// BUDGET-WINDOWS-1  An hour belongs to one day, and a day to one month: the hour of a reservation determines its
//     windows.

import type { SharedBudget } from "../options.ts";
import { add, type Amount, NOTHING, runningAmount, type RunningAmount } from "./amount.ts";
import { NO_OVERRUN, type Overrun } from "./cover.ts";

export interface WindowCounter extends Window {
  readonly spent: RunningAmount;
  readonly reserved: RunningAmount;
  /** Reported beyond what was reserved (cover.ts). */
  readonly owed: RunningAmount;
}

/** What was spent, and is owed, in the window that began then, before this boot. */
export type UsageBefore = (period: Period, window: Window) => Amount & { readonly owed?: Overrun };

const emptyCounter = (window: Window, spent: ReturnType<UsageBefore>): WindowCounter => ({
  ...window,
  spent: runningAmount(spent),
  reserved: runningAmount(NOTHING),
  owed: { ...NO_OVERRUN, ...spent.owed, toolCalls: 0 },
});

/** The same of a window that the clock has gone back to, from the store. */
export type ReloadUsage = (period: Period, window: Window) => Promise<ReturnType<UsageBefore>>;

/** So many windows that are not the present one are kept, of each period. */
const MOST_KEPT = 8;

export class BudgetGauge {
  /** `agent writer`, `tenant acme`, `total`. */
  readonly name: string;
  readonly #counters = new Map<Period, WindowCounter>();
  readonly #others = new Map<Period, readonly WindowCounter[]>();
  readonly #recall: ReloadUsage | undefined;
  /** How often a window has taken the place of another: while it is the same, so are the counters. */
  turns = 0;

  constructor(
    name: string,
    periods: readonly Period[],
    wallMs: number,
    before: UsageBefore,
    recall?: ReloadUsage,
  ) {
    this.name = name;
    this.#recall = recall;
    for (const period of periods) {
      const window = windowOf(period, wallMs);
      this.#counters.set(period, emptyCounter(window, before(period, window)));
    }
  }

  get periods(): Iterable<Period> {
    return this.#counters.keys();
  }

  /** `wallMs` is the time of day. */
  at(period: Period, wallMs: number): WindowCounter {
    const counter = this.#counters.get(period)!;
    if (wallMs < counter.until && wallMs >= counter.from) return counter;
    return this.#turn(period, counter, windowOf(period, wallMs));
  }

  /** GAUGES-2. */
  #turn(period: Period, last: WindowCounter, window: Window): WindowCounter {
    const others = this.#others.get(period) ?? [];
    const known = others.find(({ from }) => from === window.from);
    const isNew = [last, ...others].every(({ from }) => from < window.from);
    const next =
      known ?? (isNew ? emptyCounter(window, NOTHING) : this.#recalled(period, last, window));
    const kept = [last, ...others].filter((one) => one !== next).slice(0, MOST_KEPT);
    this.turns++;
    this.#others.set(period, kept);
    this.#counters.set(period, next);
    return next;
  }

  #recalled(period: Period, last: WindowCounter, window: Window): WindowCounter {
    const guess = { ...last.spent, owed: { ...last.owed } };
    const counter = emptyCounter(window, guess);
    const correct = (found: ReturnType<UsageBefore>) => {
      add(counter.spent, found);
      add(counter.spent, guess, -1);
      add(counter.owed, { ...NO_OVERRUN, ...found.owed, toolCalls: 0 });
      add(counter.owed, { ...guess.owed, toolCalls: 0 }, -1);
    };
    this.#recall?.(period, window).then(correct, () => {}); // the guess stays
    return counter;
  }
}

export type Period = SharedBudget["per"];

export interface Window {
  /** Milliseconds since 1970; `until` is the first that is not of it. */
  readonly from: number;
  readonly until: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The beginning of the hour. */
export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS;

const every = (lengthMs: number, ms: number): Window => {
  const from = Math.floor(ms / lengthMs) * lengthMs;
  return { from, until: from + lengthMs };
};

function monthOf(ms: number): Window {
  const day = new Date(ms);
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
  return { from: Date.UTC(year, month, 1), until: Date.UTC(year, month + 1, 1) };
}

export function windowOf(period: Period, ms: number): Window {
  switch (period) {
    case "hour":
      return every(HOUR_MS, ms);
    case "day":
      return every(DAY_MS, ms);
    case "month":
      return monthOf(ms);
    case "ever":
      return { from: 0, until: Infinity };
  }
}
