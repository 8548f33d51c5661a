// Backup: looks at a database file that nobody has open, and copies it whole, before a newer release changes it.

import { DatabaseSync } from "node:sqlite";
import { storeFailure } from "../store-failure.ts";
import { SCHEMA_VERSION } from "../schema.ts";

/** The schema of a database file, and the one of this release; 0 for a file that is not a database yet. */
export function schemaOfFile(file: string): { readonly found: number; readonly ours: number } {
  return withFile(file, (db) => {
    const table = db.prepare("select 1 from sqlite_master where name = 'aos_version'").get();
    if (table === undefined) return { found: 0, ours: SCHEMA_VERSION };
    const row = db.prepare("select coalesce(max(version), 0) as found from aos_version").get()!;
    return { found: Number(row["found"]), ours: SCHEMA_VERSION };
  });
}

/** How many processes a database file has, ended ones included; 0 where it has no tables yet. */
export function countRuns(file: string): number {
  return withFile(file, (db) => {
    const table = db.prepare("select 1 from sqlite_master where name = 'process'").get();
    if (table === undefined) return 0;
    return Number(db.prepare("select count(*) as found from process").get()!["found"]);
  });
}

/** What is committed, WAL included, as one new file. */
export function copyDatabase(file: string, to: string): void {
  withFile(file, (db) => db.prepare("vacuum into ?").run(to));
}

function withFile<T>(file: string, use: (db: DatabaseSync) => T): T {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file);
    db.exec("pragma busy_timeout = 500");
    return use(db);
  } catch (error) {
    throw storeFailure(error, `the database ${file}`);
  } finally {
    db?.close();
  }
}
