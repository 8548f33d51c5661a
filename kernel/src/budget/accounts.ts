// Accounts: money, tokens and tool calls, per process and up its whole tree, and of all runs of its
// agent, of its tenant, and of all (shared-accounts.ts).
//
// BUDGET-ACCOUNTS-1  The worst case is reserved before anything is sent, in the process's account, in
//     that of every process above it, and in all that are wider; if one of them does not cover it, in
//     none.
// BUDGET-ACCOUNTS-2  What was really spent replaces the reservation when the call is over, also when it
//     failed. It is never less than nothing and never more than was reserved, whatever is reported
//     (cover.ts).
// BUDGET-ACCOUNTS-3  A reservation is settled once.

import type { Budget } from "@aos/protocol";
import type { ProcessKey } from "../store/rows.ts";
import {
  add,
  allowanceOf,
  NOTHING,
  plus,
  runningAmount,
  unitName,
  units,
  type Allowance,
  type Amount,
  type RunningAmount,
  type Unit,
} from "./amount.ts";
import {
  type ChargedCost,
  chargedOf,
  leftOf,
  NO_OVERRUN,
  type Overrun,
  requireCover,
  type SpendPurpose,
} from "./cover.ts";
import { NO_SHARED_ACCOUNTS, type SharedAccounts } from "./shared-accounts.ts";
import type { WindowCounter } from "./gauges.ts";

export { NOTHING, ONE_TOOL_CALL, plus, type Amount } from "./amount.ts";
export type { SpendPurpose } from "./cover.ts";

/** The parts of a limit, in percent, at which a process is told. */
export const noticeParts = [50, 80] as const;
export type NoticePart = (typeof noticeParts)[number];

/** A limit of a run of which more than a part is now spent. */
export interface ThresholdCrossing {
  readonly key: ProcessKey;
  readonly unit: ReturnType<typeof unitName>;
  readonly part: NoticePart;
}

/** What a call is charged, what it owes beyond that, and the limits of which a part is passed by it. */
export interface SettledCost extends ChargedCost {
  readonly crossings: readonly ThresholdCrossing[];
}

const NO_CROSSINGS: readonly ThresholdCrossing[] = [];
const SETTLED_BEFORE: SettledCost = { spent: NOTHING, over: NO_OVERRUN, crossings: NO_CROSSINGS };

const partOf = (spent: number, limit: number): NoticePart | 0 =>
  limit === 0 ? 0 : spent >= limit * 0.8 ? 80 : spent >= limit * 0.5 ? 50 : 0;

export class Account {
  readonly key: ProcessKey;
  readonly limit: Allowance;
  readonly wallMs: number | undefined;
  readonly parent: Account | null;
  readonly shared: SharedAccounts;
  /** This one and all above it. */
  readonly chain: readonly Account[];
  /** Settled, with all of the tree below. */
  microUsd: number;
  tokens: number;
  toolCalls: number;
  readonly reserved: RunningAmount = runningAmount(NOTHING);
  /** Reported beyond what was reserved (cover.ts). */
  readonly owed: RunningAmount;
  /** The last part of each limit that was told of. */
  readonly #told: RunningAmount = runningAmount(NOTHING);

  constructor(
    key: ProcessKey,
    budget: Budget,
    parent: Account | null,
    spent: Amount,
    shared: SharedAccounts = NO_SHARED_ACCOUNTS,
    owed: Overrun = NO_OVERRUN,
  ) {
    const limit = allowanceOf(budget);
    this.key = key;
    this.limit = limit;
    this.wallMs = budget.wallMs;
    this.owed = { ...owed, toolCalls: 0 };
    this.parent = parent;
    this.shared = shared;
    this.chain = [this, ...(parent === null ? [] : parent.chain)];
    this.microUsd = spent.microUsd;
    this.tokens = spent.tokens;
    this.toolCalls = spent.toolCalls;
    for (const unit of units)
      if (limit[unit] !== undefined) this.#told[unit] = partOf(spent[unit], limit[unit]);
  }

  /** Takes the worst case out of every account that applies, or out of none. */
  reserve(worst: Amount, purpose: SpendPurpose): Reservation {
    return new Reservation(this, worst, purpose);
  }

  /** Refuses what this account, one above it, or one that is wider does not cover. */
  mustCover(worst: Amount, purpose: SpendPurpose): void {
    if (worst === NOTHING) return;
    this.mustCoverIn(this.shared.counters(this.shared.wallMs(purpose.nowMs)), worst, purpose);
  }

  /** The same, in these windows. */
  mustCoverIn(counters: readonly WindowCounter[], worst: Amount, purpose: SpendPurpose): void {
    for (const account of this.chain) requireCover(account, worst, purpose, ownWords);
    this.shared.mustCover(counters, worst, purpose);
  }

  /** What is left of a unit in this account, those above it and all that are wider; Infinity without a limit. */
  left(unit: Unit, nowMs: number): number {
    let left = this.shared.left(unit, nowMs);
    for (const account of this.chain)
      if (account.limit[unit] !== undefined) left = Math.min(left, leftOf(account, unit));
    return left;
  }

  /** Adds what was spent, and to `crossings` the limits of which a part is passed by it. */
  settled(spent: Amount, crossings: readonly ThresholdCrossing[]): readonly ThresholdCrossing[] {
    add(this, spent);
    for (const unit of units) {
      const limit = this.limit[unit];
      if (limit === undefined) continue;
      const part = partOf(this[unit], limit);
      if (part === 0 || part <= this.#told[unit]) continue;
      this.#told[unit] = part;
      crossings = [...crossings, { key: this.key, unit: unitName(unit), part }];
    }
    return crossings;
  }
}

const ownWords = () => ({
  whose: "",
  where: (unit: string) => `raise budget.${unit} in the manifest or in the parent process`,
});

/** What is taken out of accounts for one call, until it is known what it cost. */
export class Reservation {
  /** The time of day when it was made: what is spent belongs to that hour. */
  readonly atMs: number;
  readonly #account: Account;
  readonly #counters: readonly WindowCounter[];
  #worst: Amount = NOTHING;
  #isSettled = false;

  constructor(account: Account, worst: Amount, purpose: SpendPurpose) {
    this.atMs = worst === NOTHING ? purpose.nowMs : account.shared.wallMs(purpose.nowMs);
    this.#account = account;
    this.#counters = worst === NOTHING ? NO_COUNTERS : account.shared.counters(this.atMs);
    if (worst === NOTHING) return;
    account.mustCoverIn(this.#counters, worst, purpose);
    this.#hold(worst);
  }

  get worst(): Amount {
    return this.#worst;
  }

  /** Reserves as much more as `worst` needs, in the same windows; keeps what it has where that is more. */
  growTo(worst: Amount, purpose: SpendPurpose): void {
    const more: Amount = {
      microUsd: Math.max(0, worst.microUsd - this.#worst.microUsd),
      tokens: Math.max(0, worst.tokens - this.#worst.tokens),
      toolCalls: Math.max(0, worst.toolCalls - this.#worst.toolCalls),
      ...(worst.unpriced === true ? { unpriced: true } : {}),
    };
    this.#account.mustCoverIn(this.#counters, more, purpose);
    this.#hold(more);
  }

  settle(reported: Amount, nowMs: number): SettledCost {
    if (this.#isSettled) return SETTLED_BEFORE; // BUDGET-ACCOUNTS-3
    this.#isSettled = true;
    const worst = this.#worst;
    if (worst === NOTHING && reported === NOTHING) return SETTLED_BEFORE;
    const { spent, over } = chargedOf(reported, worst); // BUDGET-ACCOUNTS-2
    let crossings = NO_CROSSINGS;
    for (const account of this.#account.chain) {
      add(account.reserved, worst, -1);
      if (over !== NO_OVERRUN) add(account.owed, { ...over, toolCalls: 0 });
      crossings = account.settled(spent, crossings);
    }
    this.#account.shared.settle(this.#counters, worst, { spent, over }, nowMs);
    return { spent, over, crossings };
  }

  #hold(more: Amount): void {
    this.#worst = this.#worst === NOTHING ? more : plus(this.#worst, more);
    for (const account of this.#account.chain) add(account.reserved, more);
    this.#account.shared.hold(this.#counters, more);
  }
}

const NO_COUNTERS: readonly WindowCounter[] = [];
