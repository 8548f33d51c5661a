// Cover: whether the rest of a limit covers a worst case, and the message if it does not; and the reported
// cost beyond the reservation of a call.
//
// OVERRUN-1  A charge is never negative and never above the reservation, whatever is reported. An invalid figure is
//     charged as the whole reservation.
// OVERRUN-2  The excess is recorded as owed: it is in no sum of spending, and reduces what is left of a limit. No
//     limit is exceeded, and nothing is counted twice.

import { countOf, SysError } from "@aos/protocol";
import {
  type Allowance,
  type Amount,
  inUnit,
  type RunningAmount,
  type Unit,
  unitName,
  units,
} from "./amount.ts";

/** When something is wanted, and what for: `model:NAME` or `tool:NAME`. */
export interface SpendPurpose {
  readonly nowMs: number;
  readonly what: string;
  /** The longest answer that could be paid for, where it is a model's; 0 for none. */
  readonly fitting?: number | undefined;
}

/** What is said of a limit that does not cover: whose it is, where it is set, and when it begins anew. */
export interface RefusalWords {
  readonly whose: string;
  readonly where: (unit: string) => string;
  readonly retryAfter?: number;
}

interface Limited extends Readonly<RunningAmount> {
  readonly limit: Allowance;
  readonly reserved: Readonly<RunningAmount>;
  readonly owed: Readonly<RunningAmount>;
}

/** What is left of one unit of a limit; never less than nothing. */
export const leftOf = (limited: Limited, unit: Unit): number =>
  Math.max(
    0,
    (limited.limit[unit] ?? Infinity) - limited[unit] - limited.reserved[unit] - limited.owed[unit],
  );

/** Asked for words only when it refuses. */
export function requireCover(
  limited: Limited,
  worst: Amount,
  { what, fitting }: SpendPurpose,
  words: () => RefusalWords,
): void {
  const { limit, reserved, owed } = limited;
  if (worst.unpriced === true && limit.microUsd !== undefined) throw noPrice(what);
  for (const unit of units) {
    const most = limit[unit];
    if (most === undefined || worst[unit] === 0) continue;
    const left = most - limited[unit] - reserved[unit] - owed[unit];
    if (worst[unit] <= left) continue;
    const { whose, where, retryAfter } = words();
    const [name, say] = [unitName(unit), (amount: number) => inUnit(unit, amount)];
    const debt =
      owed[unit] > 0 ? `; providers reported ${say(owed[unit])} more than was reserved` : "";
    throw new SysError(
      "EBUDGET",
      `this call could cost ${say(worst[unit])} ${name}, but only ${say(Math.max(0, left))} of ${say(most)} are left${whose}${debt}`,
      { hint: `${shorter(fitting)}${where(name)}`, retryAfter },
    );
  }
}

const shorter = (fitting: number | undefined): string =>
  fitting === undefined || fitting === 0
    ? ""
    : `ask for a shorter answer (maxTokens: ${fitting}), or `;

/** For a model that nobody knows the price of, where money is limited. */
export const noPrice = (what: string): SysError =>
  new SysError("EBUDGET", `the price of ${what.replace(/^model:/, "")} is unknown`, {
    hint: "set its price under `models:` in config.yaml, or limit tokens instead of usd",
  });

/** What is owed beyond what was reserved. */
export interface Overrun {
  readonly microUsd: number;
  readonly tokens: number;
}

export const NO_OVERRUN: Overrun = { microUsd: 0, tokens: 0 };

export interface ChargedCost {
  readonly spent: Amount;
  readonly over: Overrun;
}

/** OVERRUN-1, OVERRUN-2. */
export function chargedOf(reported: Amount, worst: Amount): ChargedCost {
  if (isWithin(reported, worst)) return { spent: reported, over: NO_OVERRUN };
  const part = (unit: "microUsd" | "tokens" | "toolCalls") => {
    const said = countOf(reported[unit]) ?? worst[unit];
    return { charged: Math.min(said, worst[unit]), over: Math.max(0, said - worst[unit]) };
  };
  const [microUsd, tokens] = [part("microUsd"), part("tokens")];
  return {
    spent: {
      microUsd: microUsd.charged,
      tokens: tokens.charged,
      toolCalls: part("toolCalls").charged,
      ...(reported.unpriced === true ? { unpriced: true } : {}),
    },
    over: { microUsd: microUsd.over, tokens: tokens.over },
  };
}

const isCount = (said: number, most: number): boolean =>
  said >= 0 && said <= most && Number.isInteger(said);

const isWithin = (reported: Amount, worst: Amount): boolean =>
  isCount(reported.microUsd, worst.microUsd) &&
  isCount(reported.tokens, worst.tokens) &&
  isCount(reported.toolCalls, worst.toolCalls);
