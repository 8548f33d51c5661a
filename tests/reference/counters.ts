// Counters, the slow way: every use is kept with the time in which it must have been, and nothing is
// added up before it is asked for.
//
// A bucket that holds `count` and refills evenly has let through at most count + elapsed × count / period
// in any stretch of time, and is empty only where a stretch has used that much.
//
// COUNTERS-1  Uses that are certain and must lie in a stretch are never more than fit into it.
// COUNTERS-2  A limit may refuse only where the uses that can have been before reach it.

import type { Between } from "./past.ts";

export interface Limit {
  readonly max?: number | undefined;
  readonly rate?: { readonly count: number; readonly perMs: number } | undefined;
  readonly usd?: number | undefined;
}

export interface Use {
  /** Whose it was, when the program made it, and its place in the journal. */
  readonly pid: string;
  readonly n: number;
  readonly seq: number;
  readonly between: Between;
  /** Nothing else can have been used in its place, and it was done. */
  readonly isCertain: boolean;
  /** What it did cost, and what it may have been charged with for a time. */
  readonly usd: number;
  readonly worstUsd: number;
}

interface Counter {
  readonly limit: Limit;
  readonly uses: Use[];
}

/** What is added up in binary is never quite what it should be. */
const micro = (usd: number): number => Math.round(usd * 1e6);
const ROUNDING = 1e-9;

export class Counters {
  readonly #counters = new Map<string, Counter>();

  note(key: string, limit: Limit, use: Use): void {
    const counter = this.#counters.get(key) ?? { limit, uses: [] };
    counter.uses.push(use);
    this.#counters.set(key, counter);
  }

  /** COUNTERS-1, of all of them. */
  overused(): string[] {
    return [...this.#counters].flatMap(([key, { limit, uses }]) => {
      const certain = uses.filter(({ isCertain }) => isCertain);
      const usd = certain.reduce((sum, use) => sum + micro(Math.min(use.usd, use.worstUsd)), 0);
      return [
        ...(certain.length > (limit.max ?? Infinity) ? [`${key}: ${certain.length} uses`] : []),
        ...(usd > micro(limit.usd ?? Infinity) ? [`${key}: ${usd / 1e6} dollars`] : []),
        ...(isTooOften(certain, limit) ? [`${key}: too often`] : []),
      ];
    });
  }

  /** COUNTERS-2. Can this limit have refused so many uses more, at that time? */
  canRefuse(key: string, limit: Limit, more: Use, count: number): boolean {
    const before = (this.#counters.get(key)?.uses ?? []).filter((use) => mayPrecede(use, more));
    if (before.length + count > (limit.max ?? Infinity)) return true;
    const usd = before.reduce((sum, use) => sum + micro(Math.max(use.usd, use.worstUsd)), 0);
    if (usd + micro(more.worstUsd) > micro(limit.usd ?? Infinity)) return true;
    return canBeEmpty(before, limit, more.between[0], count);
  }
}

/** By the order in the program or in its journal; between two of them by the clock. */
const mayPrecede = (use: Use, more: Use): boolean =>
  use.pid === more.pid ? use.n < more.n || use.seq < more.seq : use.between[0] <= more.between[1];

const refilled = ({ count, perMs }: NonNullable<Limit["rate"]>, ms: number): number =>
  (Math.max(0, ms) * count) / perMs;

/** Is there a stretch of time that must hold more uses than fit into it? */
function isTooOften(uses: readonly Use[], { rate }: Limit): boolean {
  if (rate === undefined) return false;
  const [starts, ends] = [0, 1].map((end) => uses.map((use) => use.between[end as 0 | 1]));
  return starts!.some((from) =>
    ends!.some((to) => {
      const inside = uses.filter((use) => from <= use.between[0] && use.between[1] <= to).length;
      return inside > rate.count + refilled(rate, to - from) * (1 + ROUNDING);
    }),
  );
}

/** Is there a moment since when the uses may have taken all, so that `more` do not fit at `at`? */
function canBeEmpty(uses: readonly Use[], { rate }: Limit, at: number, more: number): boolean {
  if (rate === undefined) return false;
  if (more > rate.count) return true;
  return uses.some(({ between: [, since] }) => {
    const taken = uses.filter((use) => use.between[1] >= since).length;
    return taken + more > rate.count + refilled(rate, at - since) * (1 - ROUNDING);
  });
}
