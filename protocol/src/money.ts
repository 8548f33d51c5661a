// Money: whole micro-dollars internally, decimal US dollars for people, records and vendors; and validation of
// external figures.
//
// MONEY-1  A cost is rounded up to the next micro-dollar and a limit down, once, where it enters.
// MONEY-2  usdOf(toMicroUsd(x)) is x for every x with at most six decimals.
// MONEY-3  An external figure is a whole number from 0 to MAX_FIGURE, or it is rejected.

/** The most that any one figure may say: sums of them stay exact. */
export const MAX_FIGURE = 1e12;

/** The last bits of a double do not count: 0.1 + 0.2 is 300,000. */
const LAST_BITS = 1e-4;

/** What something costs, rounded up. */
export const toMicroUsd = (usd: number): number => Math.ceil(usd * 1e6 - LAST_BITS) + 0; // + 0: never -0

/** What may be spent at most, rounded down. */
export const limitMicroUsd = (usd: number): number => Math.floor(usd * 1e6 + LAST_BITS);

export const usdOf = (microUsd: number): number => microUsd / 1e6;

/** MONEY-3. A count that somebody else reports: tokens, calls. Undefined where it is no count. */
export function countOf(said: unknown): number | undefined {
  if (typeof said !== "number" || !(said >= 0)) return undefined;
  return Math.min(Math.ceil(said), MAX_FIGURE);
}

/** MONEY-3. Dollars that somebody else reports, as micro-dollars. Undefined where it is no amount of money. */
export function costOf(usd: unknown): number | undefined {
  if (typeof usd !== "number" || !(usd >= 0)) return undefined;
  return Math.min(toMicroUsd(usd), MAX_FIGURE);
}
