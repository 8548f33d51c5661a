// Audit of what was spent: the rows by hour, agent and tree must add up to what the chains have spent.

import type { Store } from "../store/contract.ts";

/** Sums of many small numbers differ in their last digits by the order in which they are made. */
const ROUNDING = 1e-6;

export async function spendProblem(store: Store): Promise<string | undefined> {
  const { rows, chains } = await store.spendBalance();
  const isSame =
    rows.tokens === chains.tokens &&
    rows.toolCalls === chains.toolCalls &&
    Math.abs(rows.usd - chains.usd) <= ROUNDING * Math.max(1, chains.usd);
  if (isSame) return undefined;
  return `the rows of what was spent say ${said(rows)}, and the chains ${said(chains)}`;
}

const said = ({ usd, tokens, toolCalls }: { usd: number; tokens: number; toolCalls: number }) =>
  `${usd} usd, ${tokens} tokens and ${toolCalls} tool calls`;
