// Spend: what was spent, by the hour, by whom, on what. The same SQL for both databases.
//
// SPEND-1  A row is added to in the transaction of the record that tells of the cost: the sum of all rows
//     is the sum of what the chains have spent, those that were removed (removal.ts) included.

import { numberValue, textValue, type RunQuery } from "./row-values.ts";
import type { TenantKey } from "./rows.ts";
import type { SpendOverrun, SpendQuery, SpendRow, SpendSum, SpendAmounts } from "./spend-row.ts";
import type { Statement, SqlValue } from "./writes.ts";

const ADD_SPEND = `
  insert into spend (tenant, hour, agent, root, what, micro_usd, tokens, tool_calls, calls, unpriced, over_micro_usd, over_tokens)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (tenant, hour, agent, root, what) do update
    set micro_usd = spend.micro_usd + excluded.micro_usd, tokens = spend.tokens + excluded.tokens,
      tool_calls = spend.tool_calls + excluded.tool_calls, calls = spend.calls + excluded.calls,
      unpriced = spend.unpriced + excluded.unpriced, over_micro_usd = spend.over_micro_usd + excluded.over_micro_usd,
      over_tokens = spend.over_tokens + excluded.over_tokens`;

export const addSpend = (row: SpendRow): Statement => [
  ADD_SPEND,
  [row.tenant, row.hour, row.agent, row.root, row.what, ...amountsOf(row)],
];

/** What is added, in the order of the columns. A fraction counts for nothing. */
export const amountsOf = (row: SpendRow): number[] => [
  Math.floor(row.microUsd),
  Math.floor(row.tokens),
  Math.floor(row.toolCalls),
  row.calls,
  row.unpriced,
  row.overMicroUsd,
  row.overTokens,
];

const SUMS = `coalesce(sum(micro_usd), 0) as micro_usd, coalesce(sum(over_micro_usd), 0) as over_micro_usd,
  coalesce(sum(over_tokens), 0) as over_tokens, coalesce(sum(tokens), 0) as tokens,
  coalesce(sum(tool_calls), 0) as tool_calls, coalesce(sum(calls), 0) as calls, coalesce(sum(unpriced), 0) as unpriced`;

const GROUPS: Readonly<Record<SpendQuery["by"], string | null>> = {
  all: null,
  agent: "agent",
  root: "root",
  what: "what",
  tenant: "tenant",
  hour: "hour",
};

export const spendReads = (query: RunQuery) => ({
  async spend({ by, tenant, agent, root, sinceMs }: SpendQuery): Promise<SpendSum[]> {
    const tests: string[] = [];
    const values: SqlValue[] = [];
    const test = (column: string, value: SqlValue | undefined) => {
      if (value === undefined) return;
      tests.push(column);
      values.push(value);
    };
    test("tenant = ?", tenant);
    test("agent = ?", agent);
    test("root = ?", root);
    test("hour >= ?", sinceMs);
    const where = tests.length === 0 ? "" : `where ${tests.join(" and ")}`;
    const group = GROUPS[by];
    const rows = await query(
      group === null
        ? `select ${SUMS} from spend ${where}`
        : `select ${group}, ${SUMS} from spend ${where} group by ${group} order by ${group}`,
      values,
    );
    return rows.map((row) => ({
      key: group === null ? "" : String(row[group]),
      microUsd: numberValue(row["micro_usd"]),
      tokens: numberValue(row["tokens"]),
      toolCalls: numberValue(row["tool_calls"]),
      calls: numberValue(row["calls"]),
      unpriced: numberValue(row["unpriced"]),
      overMicroUsd: numberValue(row["over_micro_usd"]),
      overTokens: numberValue(row["over_tokens"]),
    }));
  },

  async spendBalance(): Promise<{
    rows: SpendAmounts & SpendOverrun;
    chains: SpendAmounts & SpendOverrun;
  }> {
    const sum = (unit: string, table: string) => `(select coalesce(sum(${unit}), 0) from ${table})`;
    const sums = ["micro_usd", "tokens", "tool_calls", "over_micro_usd", "over_tokens"].flatMap(
      (unit) => [
        `${sum(unit, "spend")} as spend_${unit}`,
        `${sum(unit, "chain")} + ${sum(unit, "removal")} as chain_${unit}`,
      ],
    );
    const [row] = await query(`select ${sums.join(", ")}`, []);
    const spentOf = (table: string) => ({
      microUsd: numberValue(row![`${table}_micro_usd`]),
      tokens: numberValue(row![`${table}_tokens`]),
      toolCalls: numberValue(row![`${table}_tool_calls`]),
      overMicroUsd: numberValue(row![`${table}_over_micro_usd`]),
      overTokens: numberValue(row![`${table}_over_tokens`]),
    });
    return { rows: spentOf("spend"), chains: spentOf("chain") };
  },

  /** What the last runs of an agent that ended have cost, each with all that it spawned; newest first. */
  async pastRuns(tenant: TenantKey, agent: string, limit: number): Promise<SpendAmounts[]> {
    const rows = await query(
      `select process.key, (select coalesce(sum(micro_usd), 0) from spend where spend.root = process.root) as micro_usd,
           (select coalesce(sum(tokens), 0) from spend where spend.root = process.root) as tokens,
           (select coalesce(sum(tool_calls), 0) from spend where spend.root = process.root) as calls
         from process where tenant = ? and agent = ? and key = root and ended_at is not null
         order by ended_at desc, key desc limit ?`,
      [tenant, agent, limit],
    );
    return rows.map((row) => ({
      microUsd: numberValue(row["micro_usd"]),
      tokens: numberValue(row["tokens"]),
      toolCalls: numberValue(row["calls"]),
    }));
  },

  /** The nodes that are alive beside this one, and whether each must be alone. */
  async otherNodes(node: string, nowMs: number): Promise<{ name: string; isAlone: boolean }[]> {
    const rows = await query(
      "select name, alone from node where name <> ? and expires_at > ? order by name",
      [node, nowMs],
    );
    return rows.map((row) => ({
      name: textValue(row["name"]),
      isAlone: numberValue(row["alone"]) === 1,
    }));
  },
});
