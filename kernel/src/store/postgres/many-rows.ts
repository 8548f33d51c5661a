// Many rows: inserts of one row each as inserts of many, table by table, in their order.
//
// MANY-ROWS-1  Each statement ends with the values of its one row. None of them sees what another has
//     inserted.

import type { Statement, SqlValue } from "../writes.ts";

/** Few numbers of rows, so that few statements are prepared. */
const SIZES = [64, 16, 4, 1];

export function manyRows(inserts: readonly Statement[]): Statement[] {
  const rowsOf = new Map<string, (readonly SqlValue[])[]>();
  for (const [sql, values] of inserts) {
    const rows = rowsOf.get(sql);
    if (rows === undefined) rowsOf.set(sql, [values]);
    else rows.push(values);
  }
  return [...rowsOf].flatMap(([sql, rows]) => inParts(sql, rows));
}

function inParts(sql: string, rows: readonly (readonly SqlValue[])[]): Statement[] {
  const row = sql.slice(sql.lastIndexOf("("));
  const parts: Statement[] = [];
  for (let from = 0; from < rows.length;) {
    const size = SIZES.find((size) => size <= rows.length - from)!;
    const text = sql + `, ${row}`.repeat(size - 1);
    parts.push([text, rows.slice(from, from + size).flat()]);
    from += size;
  }
  return parts;
}
