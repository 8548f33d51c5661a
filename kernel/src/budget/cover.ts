// Cover: whether what is left of a limit is enough for the worst case, and the words where it is not.

import { SysError } from "@aos/protocol";
import { units, type Allowance, type Amount, type Tally } from "./amount.ts";

/** When something is wanted, and what for: `model:NAME` or `tool:NAME`. */
export interface Purpose {
  readonly nowMs: number;
  readonly what: string;
}

/** What is said of a limit that does not cover: whose it is, where it is set, and when it begins anew. */
export interface Words {
  readonly whose: string;
  readonly where: (unit: string) => string;
  readonly retryAfter?: number;
}

interface Limited extends Readonly<Tally> {
  readonly limit: Allowance;
  readonly reserved: Readonly<Tally>;
}

/** Asked for words only when it refuses. */
export function mustCover(limited: Limited, worst: Amount, what: string, words: () => Words): void {
  const { limit, reserved } = limited;
  if (worst.unpriced === true && limit.usd !== undefined) throw noPrice(what);
  for (const unit of units) {
    const most = limit[unit];
    if (most === undefined || worst[unit] === 0) continue;
    const left = most - limited[unit] - reserved[unit];
    if (worst[unit] <= left) continue;
    const { whose, where, retryAfter } = words();
    throw new SysError(
      "EBUDGET",
      `this could cost ${worst[unit]} ${unit}, and ${Math.max(0, left)} of ${most} are left${whose}`,
      { hint: `a larger budget: ${where(unit)}`, retryAfter },
    );
  }
}

/** For a model that nobody knows the price of, where money is limited. */
export const noPrice = (what: string): SysError =>
  new SysError("EBUDGET", `no price is known for ${what.replace(/^model:/, "")}`, {
    hint: "say what it costs under models: in config.yaml, or limit tokens and not usd",
  });
