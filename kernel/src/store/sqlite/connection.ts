// SqliteConnection: a database file that is open (or one in memory), by node:sqlite, and its prepared statements.
//
// SQLITE-STORE-1  The file is held exclusively: a second store, or any other program, is refused when it
//     opens it. A second connection of this process shares the first one's pages and lock (thread.ts):
//     only one of the two is at work at any moment, and each is told where the other has left off.
// SQLITE-STORE-2  WAL with synchronous=FULL: a commit is on the disk when it returns.
// SQLITE-STORE-4  The file is its owner's alone from the moment it is there, whatever the umask is;
//     SQLite gives the WAL the same mode.

import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Row } from "../row-values.ts";
import { SCHEMA_VERSION, steps } from "../schema.ts";
import { newerSchemaFailure, storeFailure } from "../store-failure.ts";
import type { SqlValue } from "../writes.ts";
import { createEmptyPrivateFile, isOnDisk, lockFile, type FileLock } from "./file-lock.ts";

/**
 * The log is moved to the file when it has so many pages, which whoever writes then waits for. It must be less
 * than `journal_size_limit`, or the log is cut and grown again each time.
 */
export const CHECKPOINT_PAGES = 3000;

export class SqliteConnection {
  readonly name: string;
  readonly db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  /** The texts of statements that need what commits have added to be in its rows (REDO-2). */
  readonly #ofFolded = new Set<string>();
  /** Puts it there. */
  fold: () => void = () => {};
  readonly #lock: FileLock | undefined;

  private constructor(db: DatabaseSync, name: string, lock?: FileLock) {
    this.db = db;
    this.name = name;
    this.#lock = lock;
  }

  static open(file: string): SqliteConnection {
    const name = nameOf(file);
    let db: DatabaseSync | undefined;
    let lock: FileLock | undefined;
    try {
      lock = lockFile(file);
      createEmptyPrivateFile(file);
      db = new DatabaseSync(sharing(file));
      db.exec("pragma busy_timeout = 500; pragma locking_mode = exclusive");
      db.exec(
        "pragma journal_mode = wal; pragma synchronous = full; pragma journal_size_limit = 16777216",
      );
      db.exec("pragma cache_size = -16384; pragma temp_store = memory");
      db.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      db.exec("begin immediate; commit"); // takes the lock now, not at the first write
      migrate(db, name);
      return new SqliteConnection(db, name, lock);
    } catch (error) {
      db?.close();
      lock?.release();
      throw storeFailure(error, name);
    }
  }

  /** A second connection of the process that has the file open, for commits only (SQLITE-STORE-1). It never moves the log along. */
  static openBeside(file: string): SqliteConnection {
    const db = new DatabaseSync(sharing(file));
    db.exec("pragma synchronous = full; pragma wal_autocheckpoint = 0");
    return new SqliteConnection(db, nameOf(file));
  }

  close(): void {
    this.db.close();
    this.#lock?.release();
  }

  /** For everybody but commits. */
  statement(sql: string): StatementSync {
    const statement = this.prepared(sql);
    if (this.#ofFolded.has(sql)) this.fold();
    return statement;
  }

  prepared(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.db.prepare(sql);
      this.#prepared.set(sql, statement);
      if (OF_FOLDED.test(sql)) this.#ofFolded.add(sql);
    }
    return statement;
  }

  /** What was prepared may speak of a table that is gone. */
  forgetStatements(): void {
    this.#prepared.clear();
    this.#ofFolded.clear();
  }

  async query(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    try {
      return this.statement(sql).all(...(values as SqlValue[])) as Row[];
    } catch (error) {
      throw storeFailure(error, this.name);
    }
  }

  transaction<T>(work: (prepare: (sql: string) => StatementSync) => T): T {
    this.fold(); // before it begins: it may be rolled back
    try {
      this.db.exec("begin immediate");
      const done = work((sql) => this.statement(sql));
      this.db.exec("commit");
      return done;
    } catch (error) {
      if (this.db.isTransaction) this.db.exec("rollback");
      throw storeFailure(error, this.name);
    }
  }
}

const OF_FOLDED = /\b(?:chain|spend)\b/;

const nameOf = (file: string): string =>
  file === ":memory:" ? "the database in memory" : `the database ${file}`;

/** SQLITE-STORE-1. Connections of one process to this have one set of pages and one lock between them. */
function sharing(file: string): string | URL {
  if (!isOnDisk(file)) return file;
  const url = process.getBuiltinModule("node:url").pathToFileURL(file);
  url.searchParams.set("cache", "shared");
  return url;
}

function migrate(db: DatabaseSync, name: string): void {
  db.exec(
    "create table if not exists aos_version (version integer not null, applied_at text not null)",
  );
  const found = Number(
    db.prepare("select coalesce(max(version), 0) as version from aos_version").get()!["version"],
  );
  if (found > SCHEMA_VERSION) throw newerSchemaFailure(name, found, SCHEMA_VERSION);
  for (const step of steps.filter((step) => step.version > found)) {
    db.exec("begin immediate");
    for (const statement of step.statements("sqlite")) db.exec(statement);
    db.prepare("insert into aos_version values (?, datetime('now'))").run(step.version);
    db.exec("commit");
  }
}
