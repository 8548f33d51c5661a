// Migrate: everything that one database has, into another of the other kind. To be called while no daemon runs.
//
// MIGRATE-1  The target is empty before, and has everything or nothing afterwards: one transaction, or one new file.
// MIGRATE-2  Of the two that have the same afterwards, daemons go on from the new one only.

import { SysError } from "@aos/protocol";
import { existsSync, renameSync, rmSync } from "node:fs";
import { copyTables, type CopyReport } from "../store/copy/copy-tables.ts";
import { newSqliteTables } from "../store/copy/new-database.ts";
import { markMovedAway, PostgresTables } from "../store/copy/postgres-tables.ts";
import { SqliteTables } from "../store/copy/sqlite-tables.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { storeFailure } from "../store/store-failure.ts";

type OnProgress = (table: string, rows: number) => void;

interface ToPostgres {
  readonly file: string;
  readonly url: string;
  readonly onProgress?: OnProgress;
  /** Called when all is written and verified, before it counts. */
  readonly beforeCommit?: () => void;
}

export async function migrateToPostgres(options: ToPostgres): Promise<CopyReport> {
  const { file, url, onProgress, beforeCommit } = options;
  await openSqliteStore(file).close(); // of this release's schema, with nothing in its log
  const target = await PostgresTables.openTarget(url);
  try {
    const source = new SqliteTables(file);
    let report: CopyReport;
    try {
      report = await copyTables(source, target, onProgress);
    } finally {
      source.close();
    }
    beforeCommit?.();
    await target.commit();
    return report;
  } finally {
    await target.close();
  }
}

interface ToSqlite {
  readonly url: string;
  readonly file: string;
  readonly nowMs: number;
  readonly onProgress?: OnProgress;
  /** Called with the whole file, before daemons go on from it: what it throws leaves the source as it was. */
  readonly beforeMove?: () => Promise<void>;
}

export async function migrateToSqlite(options: ToSqlite): Promise<CopyReport> {
  const { url, file, nowMs, onProgress, beforeMove } = options;
  if (existsSync(file))
    throw new SysError("EEXIST", `${file} already exists`, { hint: "move it away first" });
  const half = `${file}.half`;
  removeDatabase(half);
  try {
    const source = await PostgresTables.openSource(url);
    let report: CopyReport;
    try {
      const nodes = await source.livingNodes(nowMs);
      if (nodes.length > 0) throw inUse(source.name, nodes);
      const target = newSqliteTables(half);
      try {
        report = await copyTables(source, target, onProgress);
      } finally {
        target.close();
      }
    } finally {
      await source.close();
    }
    renameSync(half, file);
    try {
      await beforeMove?.();
      await markMovedAway(url); // MIGRATE-2
    } catch (error) {
      removeDatabase(file);
      throw error;
    }
    return report;
  } catch (error) {
    throw isOfSqlite(error) ? storeFailure(error, file) : error;
  } finally {
    removeDatabase(half);
  }
}

const isOfSqlite = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === "ERR_SQLITE_ERROR";

const inUse = (name: string, nodes: readonly string[]) =>
  new SysError("ESTATE", `${name} is in use by ${nodes.join(", ")}`, {
    hint: "stop every daemon that uses it (`aos down`); one that died is known to be gone after its lease (10 s)",
  });

function removeDatabase(file: string): void {
  for (const end of ["", "-wal", "-shm", "-lock"]) rmSync(`${file}${end}`, { force: true });
}
