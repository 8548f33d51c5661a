// History: where the records of a process are, and how they go.
//
// A chain's `pos` is the first seq of its own; what is before it is shared with the process that it
// was forked from, which may itself share what is before its own.

import { COMPACTED_TABLES, MAY_COMPACT, RETURN_BACKLOG } from "../compaction.ts";
import { finishedOf, giversOf, removableOf, removalStatements } from "../removal.ts";
import type { RemovalRow } from "../queries.ts";
import type { ProcessKey } from "../rows.ts";
import { candidates, drops, forkBases, keptStates, partsOf } from "../state-drop.ts";
import type { StateSpan } from "../queries.ts";
import type { Statement, SqlValue } from "../writes.ts";
import type { RunStatement } from "./connection.ts";
import { locks } from "./locks.ts";

const LINE = `
  with recursive line (process, first, last) as (
    select chain.process, chain.pos, chain.seq from chain join process on process.key = chain.process
      where chain.process = ? and compacted = 0
    union all
    select chain.process, chain.pos, least(line.last, line.first - 1)
      from line join process on process.key = line.process join chain on chain.process = process.shared_from
      where line.first > 0)`;

const OF_LINE = `from line
    join journal on journal.process = line.process and journal.seq between line.first and line.last
    where journal.seq > ? and journal.seq <= ? order by journal.seq`;

/** `?1` is the process, `?2` the seq after which, `?3` the seq up to which. */
export const RECORDS = `${LINE}
  select journal.process, journal.tenant, journal.seq, record, journal.hash ${OF_LINE}`;

/** The same with nothing but the texts. */
export const RECORD_TEXTS = `${LINE} select record ${OF_LINE}`;

export const UNREACHED = `
  select journal.process, record from journal
    left join (chain join process on process.key = chain.process and compacted = 0) on chain.process = journal.process
    where chain.process is null or journal.seq > chain.seq or journal.seq < chain.pos
    order by journal.process, journal.seq`;

const LOCK_PROCESSES =
  "select key from process where key = any(?::bigint[]) order by key for update";

const FREE = `select key from process where key = any(?::bigint[]) and ${MAY_COMPACT}`;

const DROP_USES = "delete from blob_use where process = any(?::bigint[]) returning tenant, digest";

const DROP_FILES = `
  delete from file using process
    where process.key = any(?::bigint[]) and file.tenant = process.tenant and file.space = process.key`;

const DROP_THOSE_UNUSED = `
  delete from blob using unnest(?::bigint[], ?::text[]) as freed (tenant, digest)
    where blob.tenant = freed.tenant and blob.digest = freed.digest and not exists (
      select 1 from blob_use where blob_use.tenant = blob.tenant and blob_use.digest = blob.digest)`;

/** Removes what a finished run keeps besides its result and chain end; answers how many records went. */
export async function compactPostgresRuns(
  run: RunStatement,
  keys: readonly ProcessKey[],
): Promise<number> {
  // Locked first and then looked at: a fork that came in between has to be seen.
  await run(LOCK_PROCESSES, [keys]);
  const free = (await run(FREE, [keys])).map((row) => Number(row["key"]));
  if (free.length === 0) return 0;

  const records = await run("delete from journal where process = any(?::bigint[]) returning 1", [
    free,
  ]);
  const freed = await run(DROP_USES, [free]);
  await run(`${RETURN_BACKLOG} = any(?::bigint[])`, [free]);
  for (const table of COMPACTED_TABLES)
    await run(`delete from ${table} where process = any(?::bigint[])`, [free]);
  await run(DROP_FILES, [free]);
  await run("update process set compacted = 1 where key = any(?::bigint[])", [free]);

  await run("select pg_advisory_xact_lock(?)", [locks.blobs]);
  await run(DROP_THOSE_UNUSED, [
    freed.map((row) => row["tenant"]!),
    freed.map((row) => row["digest"]!),
  ]);
  return records.length;
}

/** Removes what is left of compacted runs; false, and nothing is done, where one is not there (REMOVAL-3). */
export async function removePostgresRuns(
  run: RunStatement,
  row: RemovalRow,
  keys: readonly ProcessKey[],
): Promise<boolean> {
  // Two nodes would add to the same rows of what was spent, each in its own order.
  await run("select pg_advisory_xact_lock(?)", [locks.removal]);
  await run(LOCK_PROCESSES, [keys]);
  if ((await run(...removableOf(keys))).length !== keys.length) return false;
  for (const [sql, values] of removalStatements(row, keys)) await run(sql, values);
  return true;
}

/** The same of finished runs, with their history (REMOVAL-4). */
export async function removeFinishedPostgresRuns(
  run: RunStatement,
  row: RemovalRow,
  keys: readonly ProcessKey[],
): Promise<boolean> {
  await run("select pg_advisory_xact_lock(?)", [locks.removal]);
  await run(LOCK_PROCESSES, [keys]); // before it is looked at: a fork that came in between has to be seen
  if ((await run(...finishedOf(keys))).length !== keys.length) return false;
  if ((await run(...giversOf(keys))).length > 0) return false;
  await compactPostgresRuns(run, keys);
  return removePostgresRuns(run, row, keys);
}

/** Drops the superseded states of a span; answers how many parts went. */
export async function dropPostgresStates(run: RunStatement, span: StateSpan): Promise<number> {
  await run("select pg_advisory_xact_lock(?)", [locks.blobs]);
  const all = ([sql, values]: Statement) => run(sql, values as SqlValue[]);
  const found = (await all(candidates(span))).map((row) => row["digest"] as string);
  const records = await run(RECORDS, [span.process, span.after, Number.MAX_SAFE_INTEGER]);
  const bases = (await all(forkBases(span))).map((row) => Number(row["base"]));
  const texts = records.map((row) => row["record"] as string);
  const parts = partsOf(span.tenant, keptStates(span, texts, bases));
  let step = parts.next([]);
  while (step.done !== true) step = parts.next(await all(step.value));
  const needed = step.value;
  const gone = found.filter((digest) => !needed.has(digest));
  for (const statement of drops(span, gone)) await all(statement);
  return gone.length;
}
