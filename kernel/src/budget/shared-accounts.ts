// SharedAccounts: the accounts of one process that are wider than its tree: agent, tenant, all.
//
// SHARED-ACCOUNTS-1  All spending is counted in all of them, with or without a limit: a limit that is set later
//     includes earlier spending.

import { add, type Allowance, type Amount, type Unit } from "./amount.ts";
import type { VelocityLimit } from "./velocity-limit.ts";
import { type ChargedCost, leftOf, NO_OVERRUN, requireCover, type SpendPurpose } from "./cover.ts";
import type { BudgetGauge, Period, WindowCounter } from "./gauges.ts";

/** One window of a gauge, and what this process is held to in it. */
export interface BudgetMeter {
  readonly gauge: BudgetGauge;
  readonly period: Period;
  readonly limit: Allowance | undefined;
}

const NO_COUNTERS: readonly WindowCounter[] = [];

export class SharedAccounts {
  readonly #meters: readonly BudgetMeter[];
  readonly #velocityLimits: readonly VelocityLimit[];
  readonly #wall: (() => number) | undefined;
  /** The counters that were found last, and as long as they are those: they are asked for with every call. */
  #current = { turns: 0, from: Infinity, until: -Infinity, counters: NO_COUNTERS };

  constructor(
    meters: readonly BudgetMeter[],
    velocityLimits: readonly VelocityLimit[],
    wall?: () => number,
  ) {
    this.#meters = meters;
    this.#velocityLimits = velocityLimits;
    this.#wall = wall;
  }

  /** The time of day: windows go by it, and whatever lasts by `nowMs`, the steady clock. */
  wallMs(nowMs: number): number {
    return this.#wall?.() ?? nowMs;
  }

  /** The windows of a time of day; what is reserved in them is settled in them. */
  counters(wallMs: number): readonly WindowCounter[] {
    if (this.#meters.length === 0) return NO_COUNTERS;
    const { turns, from, until, counters } = this.#current;
    if (wallMs >= from && wallMs < until && turns === this.#turns()) return counters;
    return this.#find(wallMs);
  }

  #find(wallMs: number): readonly WindowCounter[] {
    const counters = this.#meters.map(({ gauge, period }) => gauge.at(period, wallMs));
    const from = Math.max(...counters.map((one) => one.from));
    const until = Math.min(...counters.map((one) => one.until));
    this.#current = { turns: this.#turns(), from, until, counters };
    return counters;
  }

  /** Grows when a window of any of the gauges takes the place of another. */
  #turns(): number {
    let turns = 0;
    for (const { gauge } of this.#meters) turns += gauge.turns;
    return turns;
  }

  mustCover(counters: readonly WindowCounter[], worst: Amount, purpose: SpendPurpose): void {
    for (let i = 0; i < this.#meters.length; i++) {
      const { limit, gauge, period } = this.#meters[i]!;
      if (limit === undefined) continue;
      const { spent, reserved, owed, until } = counters[i]!;
      requireCover({ limit, reserved, owed, ...spent }, worst, purpose, () => ({
        whose: ` for ${gauge.name}${period === "ever" ? "" : ` this ${period}`}`,
        where: (unit) =>
          `raise budget.${period}.${unit} in the manifest, or \`budgets\` in config.yaml`,
        ...(until === Infinity
          ? {}
          : { retryAfter: Math.max(0, until - this.wallMs(purpose.nowMs)) }),
      }));
    }
    for (const velocityLimit of this.#velocityLimits) velocityLimit.mustCover(worst, purpose);
  }

  hold(counters: readonly WindowCounter[], amount: Amount): void {
    for (const { reserved } of counters) add(reserved, amount);
    for (const velocityLimit of this.#velocityLimits) velocityLimit.hold(amount.microUsd);
  }

  /** What is left of a unit in all of them; Infinity where none is limited. */
  left(unit: Unit, nowMs: number): number {
    let left = Infinity;
    for (const { gauge, period, limit } of this.#meters) {
      if (limit?.[unit] === undefined) continue;
      const { spent, reserved, owed } = gauge.at(period, this.wallMs(nowMs));
      left = Math.min(left, leftOf({ limit, reserved, owed, ...spent }, unit));
    }
    if (unit === "microUsd")
      for (const velocityLimit of this.#velocityLimits)
        left = Math.min(left, velocityLimit.left(nowMs));
    return left;
  }

  settle(
    counters: readonly WindowCounter[],
    worst: Amount,
    { spent, over }: ChargedCost,
    nowMs: number,
  ): void {
    for (const counter of counters) {
      add(counter.reserved, worst, -1);
      add(counter.spent, spent);
      if (over !== NO_OVERRUN) add(counter.owed, { ...over, toolCalls: 0 });
    }
    for (const velocityLimit of this.#velocityLimits)
      velocityLimit.settle(worst.microUsd, spent.microUsd + over.microUsd, nowMs);
  }
}

export const NO_SHARED_ACCOUNTS = new SharedAccounts([], []);
