// Reigns: which policy and which devices were there at which time. Where it is not known to the
// millisecond when one gave way to the next, they overlap.

import type { Devices } from "./deeds.ts";
import type { Between } from "./past.ts";
import type { Source } from "./policy.ts";

export interface Reign extends Devices {
  readonly from: number;
  until: number;
  readonly policy: readonly Source[];
}

/** One that always was and always will be. */
export const everlasting = (there: Devices & Pick<Reign, "policy">): Reign => ({
  ...there,
  from: -Infinity,
  until: Infinity,
});

export const reignsIn = (reigns: readonly Reign[], [from, to]: Between): Reign[] =>
  reigns.filter((reign) => reign.from <= to && from <= reign.until);

const textOf = ({ policy }: Reign): string =>
  JSON.stringify(policy.map(({ document }) => document ?? null));

export const speaksOfTime = (reign: Reign): boolean => /\btime\b/.test(textOf(reign));
export const speaksOfMoney = (reign: Reign): boolean => /\bspent\b/.test(textOf(reign));
export const speaksOfCost = (reign: Reign): boolean => /\bcost\b|max_cost_usd/.test(textOf(reign));
export const speaksOfRates = (reign: Reign): boolean => /"rate(_limit)?"/.test(textOf(reign));
