// Accounts: money, tokens and tool calls, per process and up its whole tree.
//
// A1  The worst case is reserved before anything is sent, in the process's account and in that of every
//     process above it; one that does not cover it refuses.
// A2  What was really spent replaces the reservation when the call is over, also when it failed.

import { SysError, type Budget } from "@aos/protocol";
import type { ProcessKey } from "../store/rows.ts";

export interface Amount {
  readonly usd: number;
  readonly tokens: number;
  readonly toolCalls: number;
  /** No price is known: a budget of money cannot cover it. */
  readonly unpriced?: true;
}

export const NOTHING: Amount = { usd: 0, tokens: 0, toolCalls: 0 };

export const plus = (a: Amount, b: Amount): Amount => ({
  usd: a.usd + b.usd,
  tokens: a.tokens + b.tokens,
  toolCalls: a.toolCalls + b.toolCalls,
  ...(a.unpriced === true || b.unpriced === true ? { unpriced: true } : {}),
});

export class Account {
  readonly key: ProcessKey;
  readonly limit: Budget;
  readonly parent: Account | null;
  /** This one and all above it. */
  readonly #chain: readonly Account[];
  /** Settled, with all of the tree below. */
  usd: number;
  tokens: number;
  toolCalls: number;
  #reserved = { usd: 0, tokens: 0, toolCalls: 0 };

  constructor(key: ProcessKey, limit: Budget, parent: Account | null, spent: Amount) {
    this.key = key;
    this.limit = limit;
    this.parent = parent;
    this.#chain = [this, ...(parent === null ? [] : parent.#chain)];
    this.usd = spent.usd;
    this.tokens = spent.tokens;
    this.toolCalls = spent.toolCalls;
  }

  /** Takes the worst case out of every account up to the root, or out of none. */
  reserve(worst: Amount): void {
    if (worst === NOTHING) return;
    this.mustCover(worst);
    for (const account of this.#chain) account.#hold(worst, 1);
  }

  settle(worst: Amount, spent: Amount): void {
    if (worst === NOTHING && spent === NOTHING) return;
    for (const account of this.#chain) {
      account.#hold(worst, -1);
      account.usd += spent.usd;
      account.tokens += spent.tokens;
      account.toolCalls += spent.toolCalls;
    }
  }

  #hold(amount: Amount, sign: 1 | -1): void {
    this.#reserved.usd += sign * amount.usd;
    this.#reserved.tokens += sign * amount.tokens;
    this.#reserved.toolCalls += sign * amount.toolCalls;
  }

  /** Refuses what this account, or one above it, does not cover. */
  mustCover(worst: Amount): void {
    if (worst === NOTHING) return;
    for (const account of this.#chain) account.#mustCover(worst);
  }

  #mustCover(worst: Amount): void {
    for (const unit of ["usd", "tokens", "toolCalls"] as const) {
      const limit = this.limit[unit];
      if (limit === undefined || worst[unit] === 0) continue;
      const left = limit - this[unit] - this.#reserved[unit];
      if (worst[unit] <= left) continue;
      throw new SysError(
        "EBUDGET",
        `this could cost ${worst[unit]} ${unit}, and ${Math.max(0, left)} of ${limit} are left`,
        {
          hint: `a larger budget: budget.${unit} in the manifest, or of the process above`,
        },
      );
    }
  }
}
