// Overrun: reported cost beyond the reservation of a call.
//
// OVERRUN-1  A charge is never negative and never above the reservation, whatever is reported. An invalid figure is
//     charged as the whole reservation.
// OVERRUN-2  The excess is recorded as owed: it is in no sum of spending, and reduces what is left of a limit. No
//     limit is exceeded, and nothing is counted twice.

import { countOf } from "@aos/protocol";
import type { Amount } from "./amount.ts";

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
