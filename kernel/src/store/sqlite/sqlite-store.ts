// The embedded store, on one SQLite file (or in memory): a connection, what writes to it, and what reads from it.

import type { OpenedStore } from "../mail-reports.ts";
import { TAKE, TO_LOAD } from "../claim.ts";
import { sharedReads } from "../reads.ts";
import type { RunQuery } from "../row-values.ts";
import type { ProcessKey } from "../rows.ts";
import type { LoadQuery } from "../queries.ts";
import { storeFailure } from "../store-failure.ts";
import { readStoredRows, storedProcess } from "../stored-process.ts";
import { sqliteChecks } from "./checks.ts";
import { SqliteCommits, type RedoUse } from "./commits.ts";
import { SqliteConnection } from "./connection.ts";
import { eraseSqlite } from "./erase.ts";
import {
  compactSqliteRuns,
  dropSqliteStates,
  removeFinishedSqliteRuns,
  removeSqliteRuns,
} from "./history.ts";
import { pinnedLog } from "./pinned-log.ts";
import { sqliteRecords } from "./records.ts";

export type SqliteStore = ReturnType<typeof openSqliteStore>;

/** `redoUse`: when commits leave rows to later ones, for tests. */
export function openSqliteStore(file: string, redoUse?: RedoUse) {
  const connection = SqliteConnection.open(file);
  const query: RunQuery = (sql, values) => connection.query(sql, values);
  const commits = SqliteCommits.over(connection, redoUse);
  const checks = sqliteChecks(connection, query);
  const { textsOf, ...records } = sqliteRecords(connection);
  return {
    kind: "sqlite",
    commitsAhead: 1,
    name: connection.name,
    commits,
    ...sharedReads(query),
    ...records,
    ...checks,
    ...pinnedLog(connection, (isWhole) => checks.shrink(isWhole)),
    ...rowsOf(connection),
    async claim(node) {
      commits.forgetEnds(); // their epochs
      connection.statement(TAKE).run(node, Number.MAX_SAFE_INTEGER); // SQLITE-STORE-1: whoever held them is gone
      const rows = connection.statement(TO_LOAD).all(node, node);
      return rows.map((row) => Number(row["key"]));
    },
    async close() {
      try {
        commits.fold();
      } finally {
        connection.close();
      }
    },
    async commit(extensions, writes) {
      return commits.commit(extensions, writes);
    },
    storedRows: (key: ProcessKey, wanted: LoadQuery) => readStoredRows(query, textsOf, key, wanted),
    async stored(key, wanted) {
      const rows = await readStoredRows(query, textsOf, key, wanted);
      return rows && storedProcess(rows);
    },
    async compact(keys) {
      commits.forgetEnds(keys);
      return { records: connection.transaction((prepare) => compactSqliteRuns(prepare, keys)) };
    },
    async remove(row, keys) {
      commits.forgetEnds(keys);
      return connection.transaction((prepare) => removeSqliteRuns(prepare, row, keys));
    },
    async removeFinished(row, keys) {
      commits.forgetEnds(keys);
      return connection.transaction((prepare) => removeFinishedSqliteRuns(prepare, row, keys));
    },
    async erase(batch) {
      connection.db.exec("pragma secure_delete = on");
      try {
        return connection.transaction((prepare) => eraseSqlite(prepare, batch));
      } finally {
        connection.db.exec("pragma secure_delete = off");
      }
    },
    dropStates: async (span) =>
      connection.transaction((prepare) => dropSqliteStates(prepare, span)),
    async renewNode() {}, // SQLITE-STORE-1: nobody else can be there
    async dropNode() {},
    async notify() {}, // one machine: nobody to tell
    async listen() {},
  } satisfies OpenedStore & Record<string, unknown>;
}

/** Rows that are made or taken outside a commit. */
const rowsOf = (connection: SqliteConnection) =>
  ({
    async reserveKeys(count) {
      try {
        const row = connection
          .statement("update counter set next = next + ? where name = 'key' returning next")
          .get(count);
        return Number(row!["next"]) - count;
      } catch (error) {
        throw storeFailure(error, connection.name);
      }
    },
    async tenantKey(name) {
      connection.statement("insert into tenant (name) values (?) on conflict do nothing").run(name);
      return Number(connection.statement("select id from tenant where name = ?").get(name)!["id"]);
    },
  }) satisfies Partial<OpenedStore>;
