// Copy tables: everything that one database has, into another that is empty.
//
// COPY-2  Nothing is left out and nothing changed: after the last row the target is read again, and each table has the
//     rows that were read from the source.

import { SysError } from "@aos/protocol/failures";
import { Fingerprint, type TableShape, type TableSource, type TableTarget } from "./table.ts";

export interface CopyReport {
  /** Rows by table. */
  readonly tables: Readonly<Record<string, number>>;
  readonly rows: number;
}

export async function copyTables(
  source: TableSource,
  target: TableTarget,
  onProgress: (table: string, rows: number) => void = () => {},
): Promise<CopyReport> {
  const tables = journalLast(await source.tables());
  mustBeTheSame(tables, await target.tables(), target.name);
  const copied = new Map<string, Fingerprint>();
  for (const table of tables) {
    const print = new Fingerprint();
    for await (const rows of source.rows(table)) {
      for (const row of rows) print.add(row);
      await target.insert(table, rows);
      onProgress(table.name, print.count);
    }
    copied.set(table.name, print);
  }
  await target.finish();
  for (const table of tables) {
    const found = new Fingerprint();
    for await (const rows of target.rows(table)) for (const row of rows) found.add(row);
    const given = copied.get(table.name)!;
    if (String(found) !== String(given))
      throw new SysError(
        "ECORRUPT",
        `${target.name} does not have what was written to it: table ${table.name} was given ${String(given)} and has ${String(found)}`,
      ); // COPY-2
    onProgress(table.name, found.count);
  }
  const counts = [...copied].map(([name, { count }]) => [name, count] as const);
  return {
    tables: Object.fromEntries(counts),
    rows: counts.reduce((sum, [, count]) => sum + count, 0),
  };
}

/** What leads into the journal is there before it. */
const journalLast = (tables: readonly TableShape[]): TableShape[] => [
  ...tables.filter(({ name }) => name !== "journal"),
  ...tables.filter(({ name }) => name === "journal"),
];

function mustBeTheSame(
  source: readonly TableShape[],
  target: readonly TableShape[],
  name: string,
): void {
  const said = (tables: readonly TableShape[]) =>
    tables
      .map((table) => `${table.name} (${table.columns.toSorted().join(", ")})`)
      .toSorted()
      .join("\n");
  if (said(source) === said(target)) return;
  throw new SysError("ESTORE", `the tables of ${name} are not those of this release`, {
    hint: "use an empty database",
  });
}
