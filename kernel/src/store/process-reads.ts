// Process reads: processes, one and many: by their names, by their state, and those whose time has come. The
// same words for both databases.

import type { FailureText, Json, Lane, ProcessState, WaitKind } from "@aos/protocol";
import { numberValue, orNull, textValue, type Row, type RunQuery } from "./row-values.ts";
import { LIVING } from "./claim.ts";
import { MAY_COMPACT } from "./compaction.ts";
import type { FinishedRun } from "./contract.ts";
import { GIVEN_AWAY, OLDEST_RESULTS, removalRow, resultRun, TREE, treeProcess } from "./removal.ts";
import type { RemovalRow, ResultRun, TreeProcess } from "./queries.ts";
import type { ProcessQuery, ProcessSummary } from "./queries.ts";
import { processPage } from "./process-page.ts";
import { wholeNumber } from "./writes.ts";
import type { ListedProcess, ProcessKey, ProcessRow, ProcessSpec, TenantKey } from "./rows.ts";

export const processRow = (row: Row): ProcessRow => ({
  ...listedProcess(row),
  output: orNull(row["output"], (value) => JSON.parse(value as string) as Json),
});

/** The columns of a list: neither read nor parsed is what it does not show. */
const LISTED = `process.key, tenant, process.pid, agent, parent, parent_pid, root, depth, state, waiting_on, wake_at, base, label,
  exit_code, started_at, ended_at, spec, error, compacted, lane, begun_at`;

function listedProcess(row: Row): ListedProcess {
  return {
    key: numberValue(row["key"]),
    tenant: numberValue(row["tenant"]),
    pid: textValue(row["pid"]),
    agent: textValue(row["agent"]),
    parent: orNull(row["parent"], Number),
    parentPid: orNull(row["parent_pid"], String),
    root: numberValue(row["root"]),
    depth: numberValue(row["depth"]),
    state: textValue(row["state"]) as ProcessState,
    waitingOn: orNull(row["waiting_on"], String) as WaitKind | null,
    wakeAt: orNull(row["wake_at"], Number),
    base: numberValue(row["base"]),
    label: orNull(row["label"], String),
    exitCode: orNull(row["exit_code"], Number),
    startedAt: numberValue(row["started_at"]),
    endedAt: orNull(row["ended_at"], Number),
    spec: JSON.parse(textValue(row["spec"])) as ProcessSpec,
    error: orNull(row["error"], (value) => JSON.parse(value as string) as FailureText),
    compacted: numberValue(row["compacted"]) === 1,
    lane: orNull(row["lane"], String) as Lane | null,
    begunAt: orNull(row["begun_at"], Number),
    microUsd: numberValue(row["micro_usd"] ?? 0),
  };
}

const OWN_SPENDING = "(select micro_usd from chain where chain.process = process.key) as micro_usd";

/** The columns of a summary. A spec is read where it has the one thing of it that is shown. */
const SUMMARY = `process.key, process.pid, agent, parent_pid, state, waiting_on, exit_code, started_at, ended_at, lane, name,
  case when spec like '%"deadlineAt":%' then spec end as spec`;

function summary(row: Row): ProcessSummary {
  const spec = orNull(row["spec"], (value) => JSON.parse(value as string) as ProcessSpec);
  return {
    key: numberValue(row["key"]),
    pid: textValue(row["pid"]),
    agent: textValue(row["agent"]),
    parentPid: orNull(row["parent_pid"], String),
    state: textValue(row["state"]) as ProcessState,
    waitingOn: orNull(row["waiting_on"], String) as WaitKind | null,
    exitCode: orNull(row["exit_code"], Number),
    startedAt: numberValue(row["started_at"]),
    endedAt: orNull(row["ended_at"], Number),
    lane: orNull(row["lane"], String) as Lane | null,
    deadlineAt: spec?.deadlineAt ?? null,
    name: orNull(row["name"], String),
    microUsd: numberValue(row["micro_usd"] ?? 0),
  };
}

/** What goes with the history of a process and is not in its records: large values, and its own files. */
const BESIDE_RECORDS = `
  coalesce((select sum(octet_length(body)) from blob_use
    join blob on blob.tenant = blob_use.tenant and blob.digest = blob_use.digest
    where blob_use.process = process.key), 0)
  + coalesce((select sum(octet_length(data)) from file
    where file.tenant = process.tenant and space = process.key), 0)`;

/**
 * Those that nobody has in memory, or need not have. `coalesce` keeps SQLite from looking at all that wait, where
 * only those with a time are asked for.
 */
const AT_REST = "coalesce(state, '') in ('waiting', 'pending', 'paused')";

export const processReads = (query: RunQuery) => ({
  async process(pid: string): Promise<ProcessRow | undefined> {
    const rows = await query("select * from process where pid = ?", [pid]);
    return rows[0] && processRow(rows[0]);
  },

  async processByKey(key: ProcessKey): Promise<ProcessRow | undefined> {
    const rows = await query("select * from process where key = ?", [key]);
    return rows[0] && processRow(rows[0]);
  },

  async processes(of: ProcessQuery): Promise<ListedProcess[]> {
    const { sql, values } = processPage(`${LISTED}, ${OWN_SPENDING}`, of);
    return (await query(sql, values)).map(listedProcess);
  },

  async processSummaries(of: ProcessQuery): Promise<ProcessSummary[]> {
    const { sql, values } = processPage(`${SUMMARY}, ${OWN_SPENDING}`, of);
    return (await query(sql, values)).map(summary);
  },

  async livingChildren(key: ProcessKey): Promise<ListedProcess[]> {
    const rows = await query(
      `select ${LISTED} from process where parent = ? and ended_at is null`,
      [key],
    );
    return rows.map(listedProcess);
  },

  async countByState(tenant?: TenantKey): Promise<Partial<Record<ProcessState, number>>> {
    const rows = await query(
      `select state, count(*) as count from process
       ${tenant === undefined ? "" : "where tenant = ?"} group by state`,
      tenant === undefined ? [] : [tenant],
    );
    return Object.fromEntries(
      rows.map((row) => [textValue(row["state"]), numberValue(row["count"])]),
    );
  },

  async countTree(root: ProcessKey): Promise<number> {
    const rows = await query(
      "select count(*) as count from process where root = ? and ended_at is null",
      [root],
    );
    return numberValue(rows[0]!["count"]);
  },

  async finished(): Promise<FinishedRun[]> {
    const rows = await query(
      `select key, pid, root, ended_at, seq, bytes + ${BESIDE_RECORDS} as bytes
         from process join chain on chain.process = process.key
         where ${MAY_COMPACT} order by ended_at, key`,
      [],
    );
    return rows.map((row) => ({
      key: numberValue(row["key"]),
      pid: textValue(row["pid"]),
      root: numberValue(row["root"]),
      endedAt: numberValue(row["ended_at"]),
      records: numberValue(row["seq"]) + 1,
      bytes: numberValue(row["bytes"]),
    }));
  },

  async finishedBetween(from: number, to: number): Promise<{ runs: number; bytes: number }> {
    const [row] = await query(
      `select count(*) as runs, coalesce(sum(bytes + ${BESIDE_RECORDS}), 0) as bytes
         from process join chain on chain.process = process.key
         where ended_at >= ? and ended_at < ? and ${MAY_COMPACT}`,
      [from, Math.min(to, Number.MAX_SAFE_INTEGER)].map(wholeNumber),
    );
    return { runs: numberValue(row!["runs"]), bytes: numberValue(row!["bytes"]) };
  },

  async countResults(): Promise<number> {
    const rows = await query("select count(*) as count from process where compacted = 1", []);
    return numberValue(rows[0]!["count"]);
  },

  async oldestResults(trees: number, endedBefore: number): Promise<ResultRun[]> {
    return (await query(OLDEST_RESULTS, [wholeNumber(endedBefore), trees])).map(resultRun);
  },

  async tree(root: ProcessKey): Promise<TreeProcess[]> {
    return (await query(TREE, [root, root])).map(treeProcess);
  },

  async hasGivenAway(root: ProcessKey): Promise<boolean> {
    return (await query(GIVEN_AWAY, [root, root, root, root])).length > 0;
  },

  async removals(): Promise<RemovalRow[]> {
    return (await query("select * from removal order by key", [])).map(removalRow);
  },

  async orphans(node: string): Promise<ProcessKey[]> {
    const rows = await query(
      `select process.key as key from process join chain on chain.process = process.key
           join process above on above.key = process.parent
         where node = ? and process.${LIVING} and above.ended_at is not null`,
      [node],
    );
    return rows.map((row) => numberValue(row["key"]));
  },

  async due(node: string, nowMs: number): Promise<{ due: ProcessKey[]; nextAt: number | null }> {
    const due = await query(
      `select key from process join chain on chain.process = process.key
         where node = ? and ${AT_REST} and wake_at is not null and wake_at <= ? order by wake_at limit 1000`,
      [node, nowMs],
    );
    const [next] = await query(
      `select min(wake_at) as next from process join chain on chain.process = process.key
         where node = ? and ${AT_REST} and wake_at is not null and wake_at > ?`,
      [node, nowMs],
    );
    return {
      due: due.map((row) => numberValue(row["key"])),
      nextAt: orNull(next?.["next"], Number),
    };
  },
});
