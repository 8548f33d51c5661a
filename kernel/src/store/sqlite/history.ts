// History: where the records of a process are, and how they go.
//
// A chain's `pos` is the row of its last record, and each row names the one before it in `prev`: a fork's
// leads into the history that it shares.
//
// HISTORY-1  What goes is found by keys and by digests: what it costs to compact a run depends on that
//     run, and on nothing else that is stored.

import type { StatementSync } from "node:sqlite";
import { COMPACTED_TABLES, DROP_IF_UNUSED, MAY_COMPACT, RETURN_BACKLOG } from "../compaction.ts";
import { finishedOf, giversOf, removableOf, removalStatements } from "../removal.ts";
import type { RemovalRow } from "../queries.ts";
import type { Row } from "../row-values.ts";
import type { ProcessKey, TenantKey } from "../rows.ts";
import { candidates, drops, forkBases, keptStates, partsOf } from "../state-drop.ts";
import type { StateSpan } from "../queries.ts";
import type { Statement, SqlValue } from "../writes.ts";

/** `?1` is the process. */
export const WALK = `
  with recursive walk (pos, tenant, process, prev, record, hash) as (
    select journal.pos, journal.tenant, journal.process, journal.prev, record, journal.hash
      from journal join chain on chain.pos = journal.pos where chain.process = ?
    union all
    select journal.pos, journal.tenant, journal.process, journal.prev, journal.record, journal.hash
      from journal join walk on journal.pos = walk.prev and journal.pos < walk.pos)`; // a damaged one may lead in a circle

/** The same with nothing but the texts. */
export const WALK_TEXTS = `
  with recursive walk (pos, prev, record) as (
    select journal.pos, journal.prev, record from journal join chain on chain.pos = journal.pos where chain.process = ?
    union all
    select journal.pos, journal.prev, journal.record
      from journal join walk on journal.pos = walk.prev and journal.pos < walk.pos)`;

/** The same with nothing but the places. */
export const WALK_PLACES = `
  with recursive walk (pos, prev) as (
    select journal.pos, journal.prev from journal join chain on chain.pos = journal.pos where chain.process = ?
    union all
    select journal.pos, journal.prev from journal join walk on journal.pos = walk.prev and journal.pos < walk.pos)`;

export const RECORDS_BETWEEN =
  "select record, hash from journal where pos between ? and ? order by pos";

/** `?1` is a list of places, in order. */
export const RECORDS_AT = `
  select record, hash from json_each(?) cross join journal where journal.pos = json_each.value order by json_each.key`;

export type Prepare = (sql: string) => StatementSync;

/** Removes what finished runs keep besides their results and chain ends; answers how many records went. */
export function compactSqliteRuns(prepare: Prepare, keys: readonly ProcessKey[]): number {
  let records = 0;
  const freed = new Map<string, readonly [tenant: TenantKey, digest: string]>();
  for (const key of keys) {
    const tenant = tenantToCompact(prepare, key);
    if (tenant === undefined) continue;
    for (const digest of dropUses(prepare, key)) freed.set(`${tenant} ${digest}`, [tenant, digest]);
    records += dropRecords(prepare, key);
    prepare(`${RETURN_BACKLOG} = ?`).run(key);
    for (const table of COMPACTED_TABLES)
      prepare(`delete from ${table} where process = ?`).run(key);
    prepare("delete from file where tenant = ? and space = ?").run(tenant, key);
    prepare("update process set compacted = 1 where key = ?").run(key);
    prepare("update chain set pos = 0 where process = ?").run(key); // its rows' positions may be given again
  }
  for (const [tenant, digest] of freed.values()) prepare(DROP_IF_UNUSED).run(tenant, digest);
  return records;
}

/** Undefined where it may not lose its history. */
function tenantToCompact(prepare: Prepare, key: ProcessKey): TenantKey | undefined {
  const row = prepare(`select tenant from process where key = ? and ${MAY_COMPACT}`).get(key);
  return row === undefined ? undefined : Number(row["tenant"]);
}

const dropUses = (prepare: Prepare, key: ProcessKey): string[] =>
  prepare("delete from blob_use where process = ? returning digest")
    .all(key)
    .map((row) => row["digest"] as string);

function dropRecords(prepare: Prepare, key: ProcessKey): number {
  const own = prepare(`${WALK} select pos from walk where process = ?`).all(key, key);
  for (const { pos } of own) prepare("delete from journal where pos = ?").run(pos as number);
  return own.length;
}

/** Drops the superseded states of a span; answers how many parts went. */
export function dropSqliteStates(prepare: Prepare, span: StateSpan): number {
  const all = ([sql, values]: Statement) => prepare(sql).all(...(values as SqlValue[])) as Row[];
  const { process, tenant, after } = span;
  const found = all(candidates(span)).map((row) => row["digest"] as string);
  const end = Number(
    prepare("select seq from chain where process = ?").get(process)?.["seq"] ?? -1,
  );
  const texts = all([
    `${WALK} select record from walk limit ?`,
    [process, Math.max(0, end - after)],
  ]);
  const bases = all(forkBases(span)).map((row) => Number(row["base"]));
  const kept = keptStates(span, texts.map((row) => row["record"] as string).reverse(), bases);
  const parts = partsOf(tenant, kept);
  let step = parts.next([]);
  while (step.done !== true) step = parts.next(all(step.value));
  const needed = step.value;
  const gone = found.filter((digest) => !needed.has(digest));
  for (const [sql, values] of drops(span, gone)) prepare(sql).run(...(values as SqlValue[]));
  return gone.length;
}

/** Removes what is left of compacted runs; false, and nothing is done, where one is not there (REMOVAL-3). */
export function removeSqliteRuns(
  prepare: Prepare,
  row: RemovalRow,
  keys: readonly ProcessKey[],
): boolean {
  const [sql, values] = removableOf(keys);
  if (prepare(sql).all(...(values as SqlValue[])).length !== keys.length) return false;
  for (const [statement, given] of removalStatements(row, keys))
    prepare(statement).run(...(given as SqlValue[]));
  return true;
}

/** The same of finished runs, with their history (REMOVAL-4). */
export function removeFinishedSqliteRuns(
  prepare: Prepare,
  row: RemovalRow,
  keys: readonly ProcessKey[],
): boolean {
  const count = ([sql, values]: Statement) => prepare(sql).all(...(values as SqlValue[])).length;
  if (count(finishedOf(keys)) !== keys.length || count(giversOf(keys)) > 0) return false;
  compactSqliteRuns(prepare, keys);
  return removeSqliteRuns(prepare, row, keys);
}
