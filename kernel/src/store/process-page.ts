// Process page: which rows a list of processes has, newest first. The same SQL for both databases.
//
// PROCESS-PAGE-1  A page is read by an index that has its rows in its order: it costs what it shows,
//     however many there are that it does not show. A list by state, or of a tenant, is one walk for each
//     state, merged by pid.
// PROCESS-PAGE-2  Of a row that is not on the page only its key and its pid are read, and what it is searched by.

import { processStates } from "@aos/protocol/process";
import type { ProcessQuery } from "./queries.ts";
import type { SqlValue } from "./writes.ts";

const DEFAULT_LIMIT = 1000;

interface Tests {
  readonly sql: readonly string[];
  readonly values: readonly SqlValue[];
}

const none: Tests = { sql: [], values: [] };

const and = (tests: Tests, sql: string, ...values: readonly SqlValue[]): Tests => ({
  sql: [...tests.sql, sql],
  values: [...tests.values, ...values],
});

/** `columns` of the rows of a page, which are those of `process`. */
export function processPage(
  columns: string,
  query: ProcessQuery,
): { sql: string; values: SqlValue[] } {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const walks = walksOf(query);
  const sql = walks.map(
    (walk, n) => `select * from (select key, pid from process ${where(walk)}
      order by pid desc limit ?) walk${n}`,
  );
  return {
    sql: `with page as (${sql.join(" union all ")} order by pid desc limit ?)
      select ${columns} from page join process on process.key = page.key order by page.pid desc`,
    values: [...walks.flatMap(({ values }) => [...values, limit]), limit],
  };
}

const where = ({ sql }: Tests): string => (sql.length === 0 ? "" : `where ${sql.join(" and ")}`);

/** PROCESS-PAGE-1. */
function walksOf(query: ProcessQuery): Tests[] {
  const { tenant, states, parent, pids, name } = query;
  const rest = restOf(query);
  if (name !== undefined) return [joined(few(and(none, "name = ?", name), query), rest)];
  if (parent !== undefined) return [joined(few(and(none, "parent = ?", parent), query), rest)];
  if (pids !== undefined) {
    if (pids.length === 0) return [and(none, "1 = 0")];
    const places = pids.map(() => "?").join(", ");
    return [joined(few(and(none, `pid in (${places})`, ...pids), query), rest)];
  }
  if (tenant === undefined && states === undefined) return [rest];
  const ofTenant = tenant === undefined ? none : and(none, "tenant = ?", tenant);
  const walked = [...new Set(states ?? processStates)];
  return walked.map((state) => joined(and(ofTenant, "state = ?", state), rest));
}

const joined = (a: Tests, b: Tests): Tests => ({
  sql: [...a.sql, ...b.sql],
  values: [...a.values, ...b.values],
});

/**
 * Named ones, or the children of one, are few beside all that there are: they are one walk, whatever their states.
 * `coalesce` keeps SQLite from taking an index by tenant and state for the better one.
 */
function few(named: Tests, { tenant, states }: ProcessQuery): Tests {
  const ofTenant = tenant === undefined ? named : and(named, "coalesce(tenant, 0) = ?", tenant);
  if (states === undefined) return ofTenant;
  const places = states.map(() => "?").join(", ");
  return and(ofTenant, `state in (${places})`, ...states);
}

function restOf(query: ProcessQuery): Tests {
  const { node, root, endedSince, isKept, before, prefix, find, startedSince } = query;
  let rest = none;
  if (node !== undefined)
    rest = and(
      rest,
      "exists (select 1 from chain where chain.process = process.key and node = ?)",
      node,
    );
  if (root !== undefined) rest = and(rest, "root = ?", root);
  if (endedSince !== undefined) rest = and(rest, "(ended_at is null or ended_at >= ?)", endedSince);
  if (isKept === true) rest = and(rest, "compacted = 0");
  if (before !== undefined) rest = and(rest, "pid < ?", before);
  if (prefix !== undefined) rest = and(rest, "pid >= ? and pid < ?", prefix, `${prefix}~`);
  if (startedSince !== undefined) rest = and(rest, "started_at >= ?", startedSince);
  if (find !== undefined) {
    const part = `%${find.toLowerCase().replaceAll(/[\\%_]/g, "\\$&")}%`;
    const columns = ["lower(agent)", "pid", "lower(coalesce(name, ''))"];
    const any = columns.map((column) => `${column} like ? escape '\\'`).join(" or ");
    rest = and(rest, `(${any})`, part, part, part);
  }
  return rest;
}
