// What a layer of policy says to a call, but for its rates: those are asked for over all calls.

import type { Subject } from "@aos/kernel/parts";
import type { Limit } from "./counters.ts";
import { NotJudged } from "./selectors.ts";

export type Effect = "allow" | "ask" | "deny" | "kill";

/** A rate that a call uses when it is let pass. */
export interface Rated extends Limit {
  readonly key: string;
}

export interface Said {
  readonly effect: Effect;
  readonly rates: readonly Rated[];
}

const SECOND = 1000;
const PERIODS: readonly (readonly [names: RegExp, ms: number])[] = [
  [/^(s|sec|second)$/, SECOND],
  [/^(m|min|minute)$/, 60 * SECOND],
  [/^(h|hour)$/, 3600 * SECOND],
  [/^(d|day)$/, 86_400 * SECOND],
];

/** Counted for each tenant and agent. */
export function ratedBy(text: string, layer: string, rule: string, subject: Subject): Rated {
  const [count, period = ""] = text.replaceAll(" ", "").split("/");
  const perMs = PERIODS.find(([names]) => names.test(period))?.[1];
  if (perMs === undefined) throw new NotJudged(`the rate ${text}`);
  const key = `the rate of ${layer}/${rule} for ${subject.tenant}/${subject.agent}`;
  return { key, rate: { count: Number(count), perMs } };
}
