// PostgreSQL backup: one snapshot of the database as a SQLite file. Whatever it came from, a backup has the same form
// and can be restored to either.

import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { BackupSink } from "../contract.ts";
import { copyTables } from "./copy-tables.ts";
import { newSqliteTables } from "./new-database.ts";
import { PostgresTables } from "./postgres-tables.ts";

export async function backUpPostgres(url: string, sink: BackupSink, file: string): Promise<void> {
  try {
    sink.lastMoment(); // what is committed after this is not in the snapshot
    const source = await PostgresTables.openSource(url);
    try {
      const target = newSqliteTables(file);
      try {
        await copyTables(source, target);
      } finally {
        target.close();
      }
    } finally {
      await source.close();
    }
    await sink.file("aos.db", createReadStream(file, { highWaterMark: 1024 * 1024 }));
  } finally {
    for (const end of ["", "-wal", "-shm", "-lock"]) await rm(`${file}${end}`, { force: true });
  }
}
