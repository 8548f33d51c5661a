// Removal: the rows of compacted runs go, whole trees at a time. The same SQL for both databases.
//
// REMOVAL-1  A tree goes when all of it is compacted, and none of it has given power to a process that is
//     not.
// REMOVAL-2  What it has spent stays: by hour, agent and thing in the rows of `spend`, with no tree (0),
//     and as the sum of its chains in the row of the removal (SPEND-1 of spend.ts).
// REMOVAL-3  It is one transaction, and goes through only while every one of these runs is there as it
//     was read.
// REMOVAL-4  Runs that were archived go with their history in that one transaction, under the same rules.

import { MAY_COMPACT } from "./compaction.ts";
import type { RemovalRow, ResultRun, TreeProcess } from "./queries.ts";
import { numberValue, orNull, textValue, type Row } from "./row-values.ts";
import type { ProcessKey } from "./rows.ts";
import type { SpendOverrun, SpendAmounts } from "./spend-row.ts";
import type { Statement } from "./writes.ts";

/** So many runs are removed with one row. */
export const MOST_REMOVED = 200;

/** The tree of what was spent by runs that are removed. */
export const NO_TREE = 0;

/** What is signed. */
export const removalText = (row: RemovalRow): string =>
  JSON.stringify([
    "aos removal",
    row.key,
    row.tenant,
    row.node,
    row.at,
    row.pids,
    row.microUsd,
    row.tokens,
    row.toolCalls,
    row.overMicroUsd,
    row.overTokens,
  ]);

const SPENT = "micro_usd, tokens, tool_calls, over_micro_usd, over_tokens";

const spentOf = (row: Row): SpendAmounts & SpendOverrun => ({
  microUsd: numberValue(row["micro_usd"]),
  tokens: numberValue(row["tokens"]),
  toolCalls: numberValue(row["tool_calls"]),
  overMicroUsd: numberValue(row["over_micro_usd"]),
  overTokens: numberValue(row["over_tokens"]),
});

export const removalRow = (row: Row): RemovalRow => ({
  key: numberValue(row["key"]),
  tenant: numberValue(row["tenant"]),
  node: textValue(row["node"]),
  at: numberValue(row["at"]),
  pids: textValue(row["pids"]).split(" "),
  ...spentOf(row),
  signature: orNull(row["signature"], String),
});

export const resultRun = (row: Row): ResultRun => ({
  key: numberValue(row["key"]),
  pid: textValue(row["pid"]),
  tenant: numberValue(row["tenant"]),
  root: numberValue(row["root"]),
  ...spentOf(row),
});

export const treeProcess = (row: Row): TreeProcess => ({
  ...resultRun(row),
  endedAt: orNull(row["ended_at"], Number),
  isCompacted: numberValue(row["compacted"]) === 1,
});

/** `?1` and `?2` are the root. */
export const TREE = `
  select key, pid, process.tenant as tenant, root, ended_at, compacted, ${SPENT}
    from process join chain on chain.process = process.key where key = ?
  union all
  select key, pid, process.tenant as tenant, root, ended_at, compacted, ${SPENT}
    from process join chain on chain.process = process.key where key <> root and root = ?`;

/** A holder that is not compacted is proven by whoever gave. */
const gaveElsewhere = (pid: string) => `
  select 1 from holding join process holder on holder.key = holding.process
    where holding.given_by = ${pid} and holder.compacted = 0`;

/** REMOVAL-1. `?1` is when they ended at the latest, `?2` how many trees: the oldest. */
export const OLDEST_RESULTS = `
  with top (key) as (
    select key from process
      where compacted = 1 and key = root and ended_at < ?
        and not exists (select 1 from process member
          where member.root = process.key and member.key <> member.root and member.compacted = 0)
        and not exists (${gaveElsewhere("process.pid")})
        and not exists (select 1 from process member
          where member.root = process.key and member.key <> member.root and exists (${gaveElsewhere("member.pid")}))
      order by ended_at, key limit ?)
  select key, pid, process.tenant as tenant, root, ${SPENT}
    from process join chain on chain.process = process.key where key in (select key from top)
  union all
  select key, pid, process.tenant as tenant, root, ${SPENT}
    from process join chain on chain.process = process.key
    where key <> root and root in (select key from top)`;

const GAVE_AWAY = "and holder.root <> ?";

/** REMOVAL-1. Whether a process of a tree gave power to one of another that is not compacted; four times the root. */
export const GIVEN_AWAY = `
  select 1 from process where key = ? and exists (${gaveElsewhere("process.pid")} ${GAVE_AWAY})
  union all
  select 1 from process where key <> root and root = ? and exists (${gaveElsewhere("process.pid")} ${GAVE_AWAY})`;

/** Always as many: one text for each statement, however many are removed. */
const padded = (keys: readonly ProcessKey[]): ProcessKey[] =>
  Array.from({ length: MOST_REMOVED }, (_, nth) => keys[nth] ?? keys[0]!);
const MARKS = Array.from({ length: MOST_REMOVED }, () => "?").join(", ");

/** REMOVAL-3. Those of them that are there. */
export const removableOf = (keys: readonly ProcessKey[]): Statement => [
  `select key from process where compacted = 1 and key in (${MARKS})`,
  padded(keys),
];

/** REMOVAL-4. Those of them that may go with their history. */
export const finishedOf = (keys: readonly ProcessKey[]): Statement => [
  `select key from process where key in (${MARKS}) and (compacted = 1 or (${MAY_COMPACT}))`,
  padded(keys),
];

/** REMOVAL-1. Those of them that gave power to a process that stays. */
export const giversOf = (keys: readonly ProcessKey[]): Statement => [
  `select process.key as key from process join holding on holding.given_by = process.pid
       join process holder on holder.key = holding.process
     where process.key in (${MARKS}) and holder.compacted = 0 and holder.key not in (${MARKS})`,
  [...padded(keys), ...padded(keys)],
];

const UNITS = [
  "micro_usd",
  "tokens",
  "tool_calls",
  "calls",
  "unpriced",
  "over_micro_usd",
  "over_tokens",
];

/** REMOVAL-2. */
export function removalStatements(row: RemovalRow, keys: readonly ProcessKey[]): Statement[] {
  const all = padded(keys);
  return [
    [
      `insert into spend (tenant, hour, agent, root, what, ${UNITS.join(", ")})
         select tenant, hour, agent, ${NO_TREE}, what, ${UNITS.map((unit) => `sum(${unit})`).join(", ")}
           from spend where root in (${MARKS}) group by tenant, hour, agent, what
         on conflict (tenant, hour, agent, root, what) do update
           set ${UNITS.map((unit) => `${unit} = spend.${unit} + excluded.${unit}`).join(", ")}`,
      all,
    ],
    [`delete from spend where root in (${MARKS})`, all],
    [`delete from holding where process in (${MARKS})`, all],
    [`delete from chain where process in (${MARKS})`, all],
    [`delete from process where key in (${MARKS})`, all],
    [
      `insert into removal (key, tenant, node, at, pids, ${SPENT}, signature)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        row.key,
        row.tenant,
        row.node,
        row.at,
        row.pids.join(" "),
        row.microUsd,
        row.tokens,
        row.toolCalls,
        row.overMicroUsd,
        row.overTokens,
        row.signature,
      ],
    ],
  ];
}
