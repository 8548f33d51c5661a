// Amounts for tests, in dollars with decimals.

import { toMicroUsd } from "@aos/protocol";
import type { Amount } from "../../../kernel/src/budget/amount.ts";

type Written = Partial<Omit<Amount, "microUsd">> & { readonly usd?: number };

export const amountOf = ({ usd = 0, ...more }: Written): Amount => ({
  microUsd: toMicroUsd(usd),
  tokens: 0,
  toolCalls: 0,
  ...more,
});
