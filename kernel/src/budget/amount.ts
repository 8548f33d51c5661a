// Amount: what something uses up, in the units that budgets are given in.

export interface Amount {
  readonly usd: number;
  readonly tokens: number;
  readonly toolCalls: number;
  /** No price is known: a budget of money cannot cover it. */
  readonly unpriced?: true;
}

export const units = ["usd", "tokens", "toolCalls"] as const;
export type Unit = (typeof units)[number];

/** The most of each unit; one that is not there is not limited. */
export type Allowance = { readonly [U in Unit]?: number };

/** What is counted, and changes. */
export type Tally = { -readonly [U in Unit]: number };

export const NOTHING: Amount = { usd: 0, tokens: 0, toolCalls: 0 };

export const plus = (a: Amount, b: Amount): Amount => ({
  usd: a.usd + b.usd,
  tokens: a.tokens + b.tokens,
  toolCalls: a.toolCalls + b.toolCalls,
  ...(a.unpriced === true || b.unpriced === true ? { unpriced: true } : {}),
});

export const tallyOf = ({ usd, tokens, toolCalls }: Readonly<Tally>): Tally => ({
  usd,
  tokens,
  toolCalls,
});

export function add(tally: Tally, amount: Amount, sign: 1 | -1 = 1): void {
  tally.usd += sign * amount.usd;
  tally.tokens += sign * amount.tokens;
  tally.toolCalls += sign * amount.toolCalls;
}
