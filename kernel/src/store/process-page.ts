// Process page: which rows a list of processes has, newest first. The same SQL for both databases.
//
// PROCESS-PAGE-1  A page is read by an index that has its rows in its order: it costs what it shows,
//     however many there are that it does not show. A list by state, or of a tenant, is one walk for each
//     state, merged by pid.
// PROCESS-PAGE-2  Of a row that is not on the page only its key and its pid are read.

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
  const { tenant, states, parent } = query;
  const rest = restOf(query);
  if (parent !== undefined) return [joined(childrenOf(parent, query), rest)];
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
 * A process has few children beside all that there are: they are one walk, whatever their states. `coalesce`
 * keeps SQLite from taking an index by tenant and state for the better one.
 */
function childrenOf(parent: number, { tenant, states }: ProcessQuery): Tests {
  let children = and(none, "parent = ?", parent);
  if (tenant !== undefined) children = and(children, "coalesce(tenant, 0) = ?", tenant);
  if (states === undefined) return children;
  const places = states.map(() => "?").join(", ");
  return and(children, `state in (${places})`, ...states);
}

function restOf({ node, root, endedSince, isKept, before, prefix }: ProcessQuery): Tests {
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
  return rest;
}
