// Cost: reports of spending, and the rest of budgets that are wider than a run.

import { usdOf, type CostGroup, type CostReport, type CostRow } from "@aos/protocol";
import { hourOf } from "../budget/gauges.ts";
import type { SharedBudgets } from "../budget/shared-budgets.ts";
import type { Journal } from "../journal/journal.ts";
import type { Platform } from "../platform/clock.ts";
import type { SpendQuery, SpendSum, Store } from "../store/contract.ts";
import { NO_TREE } from "../store/removal.ts";
import { spendSum } from "../store/spend-row.ts";
import type { Directory, TenantKeys } from "../process/process-table.ts";

export interface CostQuestion {
  readonly by?: CostGroup;
  /** Milliseconds since 1970; since ever when absent. */
  readonly sinceMs?: number;
  readonly tenant?: string;
  /** The tree that this process is of. */
  readonly pid?: string;
}

interface Parts {
  readonly tenants: TenantKeys;
  readonly store: Store;
  readonly journal: Journal;
  readonly platform: Platform;
  readonly wide: SharedBudgets;
  readonly directory: Directory;
}

export const ACCOUNTING_RULE = [
  "Every call of a model or a tool that was begun counts, in the hour (UTC) in which it was begun.",
  "A model costs what its tokens cost at the price of that day; a call that failed, what it used;",
  "one that was killed or ran out of time, the most that it could have cost.",
  "What a vendor reports beyond what was reserved is shown as owed: it is not in the sums, and limits leave",
  "that much less.",
  "Calls without a known price are counted as unpriced and are in no sum of money.",
  "A fork pays for what comes after the fork, and a replay for nothing.",
].join(" ");

const GROUPED: Readonly<Record<CostGroup, SpendQuery["by"]>> = {
  agent: "agent",
  tree: "root",
  model: "what",
  tool: "what",
  tenant: "tenant",
  day: "hour",
};

export async function reportCost(parts: Parts, question: CostQuestion): Promise<CostReport> {
  const { store, journal, platform, wide, directory } = parts;
  const { by = "agent", sinceMs = 0, tenant: name, pid } = question;
  await journal.durable();
  const tenant = name === undefined ? undefined : await parts.tenants.keyOf(name);
  const root = pid === undefined ? undefined : (await directory.find(pid)).root;
  const from = hourOf(sinceMs);
  const sums = await store.spend({
    by: GROUPED[by],
    sinceMs: from,
    ...(tenant === undefined ? {} : { tenant }),
    ...(root === undefined ? {} : { root }),
  });
  const rows = (await named(store, by, sums)).toSorted(inOrderOf(by));
  return {
    by,
    since: new Date(from).toISOString(),
    until: new Date(platform.wall()).toISOString(),
    rows: rows.map(rowOf),
    total: rowOf(rows.reduce(spendSum, { ...NOTHING, key: "total" })),
    rule: ACCOUNTING_RULE,
    budgets: await wide.reports(),
  };
}

const NOTHING: Omit<SpendSum, "key"> = {
  microUsd: 0,
  tokens: 0,
  toolCalls: 0,
  calls: 0,
  unpriced: 0,
  overMicroUsd: 0,
  overTokens: 0,
};

/** As people read it. */
const rowOf = ({ microUsd, overMicroUsd, overTokens, ...sum }: SpendSum): CostRow => ({
  ...sum,
  usd: usdOf(microUsd),
  ...(overMicroUsd > 0 || overTokens > 0
    ? { owed: { usd: usdOf(overMicroUsd), tokens: overTokens } }
    : {}),
});

/** Days in their order; of all else the dearest first. */
const inOrderOf = (by: CostGroup) => (a: SpendSum, b: SpendSum) =>
  by === "day"
    ? a.key < b.key
      ? -1
      : 1
    : b.microUsd - a.microUsd || b.tokens - a.tokens || b.calls - a.calls;

async function named(store: Store, by: CostGroup, sums: readonly SpendSum[]): Promise<SpendSum[]> {
  switch (by) {
    case "agent":
      return [...sums];
    case "model":
    case "tool":
      return sums.flatMap((sum) =>
        sum.key.startsWith(`${by}:`) ? [{ ...sum, key: sum.key.slice(by.length + 1) }] : [],
      );
    case "day":
      return together(sums, ({ key }) => new Date(Number(key)).toISOString().slice(0, 10));
    case "tenant":
      return Promise.all(
        sums.map(async (sum) => ({ ...sum, key: await store.tenantName(Number(sum.key)) })),
      );
    case "tree":
      return Promise.all(
        sums.map(async (sum) => ({
          ...sum,
          key: (await store.processByKey(Number(sum.key)))?.pid ?? nameOfLost(sum.key),
        })),
      );
  }
}

/** Runs whose rows retention has removed are one tree. */
const nameOfLost = (key: string): string => (Number(key) === NO_TREE ? "removed runs" : key);

function together(sums: readonly SpendSum[], keyOf: (sum: SpendSum) => string): SpendSum[] {
  const rows = new Map<string, SpendSum>();
  for (const sum of sums) {
    const key = keyOf(sum);
    rows.set(key, spendSum(rows.get(key) ?? { ...NOTHING, key }, sum));
  }
  return [...rows.values()];
}
