// Amount: usage in the units of budgets. All are whole numbers; money is micro-dollars, and dollars only for people.

import { limitMicroUsd, usdOf } from "@aos/protocol";

export interface Amount {
  readonly microUsd: number;
  readonly tokens: number;
  readonly toolCalls: number;
  /** No price is known: a budget of money cannot cover it. */
  readonly unpriced?: true;
}

export const units = ["microUsd", "tokens", "toolCalls"] as const;
export type Unit = (typeof units)[number];

/** The most of each unit; one that is not there is not limited. */
export type Allowance = { readonly [U in Unit]?: number };

/** What is counted, and changes. */
export type RunningAmount = { -readonly [U in Unit]: number };

export const NOTHING: Amount = { microUsd: 0, tokens: 0, toolCalls: 0 };
export const ONE_TOOL_CALL: Amount = { microUsd: 0, tokens: 0, toolCalls: 1 };

/** A budget as people write it. */
export interface BudgetText {
  readonly usd?: number | undefined;
  readonly tokens?: number | undefined;
  readonly toolCalls?: number | undefined;
}

export const allowanceOf = ({ usd, tokens, toolCalls }: BudgetText): Allowance => ({
  ...(usd === undefined ? {} : { microUsd: limitMicroUsd(usd) }),
  ...(tokens === undefined ? {} : { tokens }),
  ...(toolCalls === undefined ? {} : { toolCalls }),
});

/** The name of a unit, and a number of it, as people read them. */
export const unitName = (unit: Unit): "usd" | "tokens" | "toolCalls" =>
  unit === "microUsd" ? "usd" : unit;
export const inUnit = (unit: Unit, amount: number): number =>
  unit === "microUsd" ? usdOf(amount) : amount;

export const plus = (a: Amount, b: Amount): Amount => ({
  microUsd: a.microUsd + b.microUsd,
  tokens: a.tokens + b.tokens,
  toolCalls: a.toolCalls + b.toolCalls,
  ...(a.unpriced === true || b.unpriced === true ? { unpriced: true } : {}),
});

export const runningAmount = ({
  microUsd,
  tokens,
  toolCalls,
}: Readonly<RunningAmount>): RunningAmount => ({
  microUsd,
  tokens,
  toolCalls,
});

export function add(tally: RunningAmount, amount: Readonly<RunningAmount>, sign: 1 | -1 = 1): void {
  tally.microUsd += sign * amount.microUsd;
  tally.tokens += sign * amount.tokens;
  tally.toolCalls += sign * amount.toolCalls;
}
