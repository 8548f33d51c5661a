// Audit of spending: the rows by hour, agent and tree add up to the spending of the chains.

import { usdOf } from "@aos/protocol";
import type { Store } from "../store/contract.ts";

export async function spendProblem(store: Store): Promise<string | undefined> {
  const { rows, chains } = await store.spendBalance();
  const isSame =
    rows.tokens === chains.tokens &&
    rows.toolCalls === chains.toolCalls &&
    rows.microUsd === chains.microUsd &&
    rows.overMicroUsd === chains.overMicroUsd &&
    rows.overTokens === chains.overTokens;
  if (isSame) return undefined;
  return `the rows of what was spent say ${said(rows)}, and the chains ${said(chains)}`;
}

type Sum = Awaited<ReturnType<Store["spendBalance"]>>["rows"];

const said = ({ microUsd, tokens, toolCalls, overMicroUsd, overTokens }: Sum) =>
  `${usdOf(microUsd)} usd, ${tokens} tokens and ${toolCalls} tool calls, and ${usdOf(overMicroUsd)} usd and ${overTokens} tokens owed`;
