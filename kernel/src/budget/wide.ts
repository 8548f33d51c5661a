// Wide: the accounts of one process that are wider than its tree: of its agent, its tenant, and all.
//
// D1  Everything that is spent is counted in all of them, whether a limit is set or not: one that is set
//     later finds what was spent before.

import { add, type Allowance, type Amount } from "./amount.ts";
import type { Brake } from "./brake.ts";
import { mustCover, type Purpose } from "./cover.ts";
import type { Counter, Gauge } from "./gauges.ts";
import type { Period } from "./windows.ts";

/** One window of a gauge, and what this process is held to in it. */
export interface Meter {
  readonly gauge: Gauge;
  readonly period: Period;
  readonly limit: Allowance | undefined;
}

const NO_COUNTERS: readonly Counter[] = [];

export class Wide {
  readonly #meters: readonly Meter[];
  readonly #brakes: readonly Brake[];

  constructor(meters: readonly Meter[], brakes: readonly Brake[]) {
    this.#meters = meters;
    this.#brakes = brakes;
  }

  /** The windows of now; what is reserved in them is settled in them. */
  counters(nowMs: number): readonly Counter[] {
    if (this.#meters.length === 0) return NO_COUNTERS;
    return this.#meters.map(({ gauge, period }) => gauge.at(period, nowMs));
  }

  mustCover(counters: readonly Counter[], worst: Amount, purpose: Purpose): void {
    for (let i = 0; i < this.#meters.length; i++) {
      const { limit, gauge, period } = this.#meters[i]!;
      if (limit === undefined) continue;
      const { spent, reserved, until } = counters[i]!;
      mustCover({ limit, reserved, ...spent }, worst, purpose.what, () => ({
        whose: ` for ${gauge.name}${period === "ever" ? "" : ` this ${period}`}`,
        where: (unit) => `budget.${period}.${unit} in the manifest, or budgets in config.yaml`,
        ...(until === Infinity ? {} : { retryAfter: Math.max(0, until - purpose.nowMs) }),
      }));
    }
    for (const brake of this.#brakes) brake.mustCover(worst, purpose);
  }

  hold(counters: readonly Counter[], amount: Amount): void {
    for (const { reserved } of counters) add(reserved, amount);
    for (const brake of this.#brakes) brake.hold(amount.usd);
  }

  settle(counters: readonly Counter[], worst: Amount, spent: Amount, nowMs: number): void {
    for (const counter of counters) {
      add(counter.reserved, worst, -1);
      add(counter.spent, spent);
    }
    for (const brake of this.#brakes) brake.settle(worst.usd, spent.usd, nowMs);
  }
}

export const NO_WIDE = new Wide([], []);
