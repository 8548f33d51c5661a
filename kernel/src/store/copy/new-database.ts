// A new SQLite file with this release's tables, to copy into.

import { openSqliteStore } from "../sqlite/sqlite-store.ts";
import { SqliteTables } from "./sqlite-tables.ts";

export function newSqliteTables(file: string): SqliteTables {
  // The store makes the tables, and closes at once: nothing in it waits.
  void openSqliteStore(file).close();
  const tables = new SqliteTables(file);
  tables.begin();
  return tables;
}
