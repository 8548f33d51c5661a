// Tenants: who has processes here, what they have spent, and what is left of their budgets.

import { usdOf, type TenantReport } from "@aos/protocol";
import type { WideBook } from "../budget/wide-book.ts";
import type { Journal } from "../journal/journal.ts";
import type { Store } from "../store/contract.ts";

interface Parts {
  readonly store: Store;
  readonly journal: Journal;
  readonly wide: WideBook;
}

export async function tenantReports({ store, journal, wide }: Parts): Promise<TenantReport[]> {
  await journal.durable();
  const tenants = await store.tenants();
  return Promise.all(
    tenants.map(async ({ key, name, states, microUsd, tokens, toolCalls }) => ({
      name,
      states,
      spent: { usd: usdOf(microUsd), tokens, toolCalls },
      budgets: await wide.reportsOf(key, name),
    })),
  );
}
