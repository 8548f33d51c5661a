// SqliteStore: the embedded store, on one file (or in memory), by node:sqlite.
//
// SQLITE-STORE-1  The file is held exclusively: a second store, or any other program, is refused when it
//     opens it. A second connection of this process shares the first one's pages and lock (thread.ts):
//     only one of the two is at work at any moment, and each is told where the other has left off.
// SQLITE-STORE-2  WAL with synchronous=FULL: a commit is on the disk when it returns.
// SQLITE-STORE-3  A commit runs without a pause between its first and last statement, so that no read on
//     the same connection can see half of it.
// SQLITE-STORE-4  The file is its owner's alone from the moment it is there, whatever the umask is;
//     SQLite gives the WAL the same mode.

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { CommitResult, Extension, Store, Write, WrittenRow } from "../contract.ts";
import { TAKE, TO_LOAD } from "../claim.ts";
import type { Row } from "../row-values.ts";
import { recordPage, readAhead, type RecordPage } from "../record-pages.ts";
import type { RemovalRow } from "../queries.ts";
import type { ProcessKey, RecordRow, TenantKey } from "../rows.ts";
import { SCHEMA_VERSION, steps } from "../schema.ts";
import { createEmptyPrivateFile, isOnDisk, lockFile, type FileLock } from "./file-lock.ts";
import { SpendRows } from "./spend-rows.ts";
import { newerSchemaFailure, storeFailure } from "../store-failure.ts";
import type { StateSpan } from "../queries.ts";
import { StoredReads } from "../stored-process.ts";
import { statementsOf, type SqlValue } from "../writes.ts";
import {
  compactSqliteRuns,
  dropSqliteStates,
  removeSqliteRuns,
  WALK,
  RECORDS_AT,
  RECORDS_BETWEEN,
  WALK_PLACES,
  WALK_TEXTS,
  type Prepare,
} from "./history.ts";

export interface BlobRow {
  readonly place: number;
  readonly digest: string;
  readonly body: string | undefined;
}

/** All blobs, a page at a time: together they may be larger than memory. */
export async function* pagesOf(
  pageAfter: (place: number) => Promise<BlobRow[]>,
): AsyncGenerator<BlobRow> {
  for (let after = 0; ;) {
    const page = await pageAfter(after);
    yield* page;
    if (page.length === 0) return;
    after = page.at(-1)!.place;
  }
}

/** How many positions of chain ends are remembered; a miss costs one look-up. */
const MAX_KNOWN_ENDS = 20_000;

/** So many records are read one by one sooner than by a walk that has to be set up. */
const FEW_RECORDS = 8;

/**
 * The log is moved to the file when it has so many pages, which whoever writes then waits for. It must be less
 * than `journal_size_limit`, or the log is cut and grown again each time.
 */
const CHECKPOINT_PAGES = 3000;

/** A database of more pages than this is rewritten by way of a file. */
const MAX_PAGES_IN_MEMORY = 4096;

export class SqliteStore extends StoredReads implements Store {
  readonly kind = "sqlite";
  readonly commitsAhead = 1;
  readonly name: string;
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #lock: FileLock | undefined;
  #nextPos: number;
  #ends = new Map<ProcessKey, number>();
  readonly #extendChain: StatementSync;
  readonly #insertRecord: StatementSync;
  readonly #endOfChain: StatementSync;
  readonly #spend: SpendRows;

  private constructor(db: DatabaseSync, name: string, lock?: FileLock) {
    super();
    this.#db = db;
    this.name = name;
    this.#lock = lock;
    this.#nextPos = Number(
      db.prepare("select coalesce(max(pos), 0) + 1 as next from journal").get()!["next"],
    );
    this.#extendChain = db.prepare(
      `update chain set seq = ?, pos = ?, hash = ?, micro_usd = micro_usd + ?, tokens = tokens + ?, tool_calls = tool_calls + ?,
         over_micro_usd = over_micro_usd + ?, over_tokens = over_tokens + ?,
         bytes = bytes + ?, grown_at = ? where process = ? and epoch = ? and seq = ?`,
    );
    this.#insertRecord = db.prepare("insert into journal values (?, ?, ?, ?, ?, ?)");
    this.#endOfChain = db.prepare("select pos from chain where process = ?");
    this.#spend = new SpendRows(db);
  }

  static open(file: string): SqliteStore {
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
      return new SqliteStore(db, name, lock);
    } catch (error) {
      db?.close();
      lock?.release();
      throw storeFailure(error, name);
    }
  }

  /** A second connection of the process that has the file open, for commits only (SQLITE-STORE-1). It never moves the log along. */
  static openBeside(file: string): SqliteStore {
    const db = new DatabaseSync(sharing(file));
    db.exec("pragma synchronous = full; pragma wal_autocheckpoint = 0");
    return new SqliteStore(db, nameOf(file));
  }

  async close(): Promise<void> {
    this.#db.close();
    this.#lock?.release();
  }

  /** The place of the next record. */
  get nextPos(): number {
    return this.#nextPos;
  }

  /** Another connection has written up to there (SQLITE-STORE-1). */
  goOnFrom(nextPos: number): void {
    this.#nextPos = nextPos;
    this.#ends.clear();
  }

  /** Moves what is in the log to the file, as far as nobody reads it. */
  async checkpoint(): Promise<void> {
    this.#db.exec("pragma wal_checkpoint(passive)");
  }

  async commit(extensions: readonly Extension[], writes: readonly Write[]): Promise<CommitResult> {
    return this.commitSync(extensions, writes);
  }

  commitSync(extensions: readonly Extension[], writes: readonly Write[]): CommitResult {
    const fenced: ProcessKey[] = [];
    const before = this.#nextPos;
    try {
      this.#db.exec("begin immediate");
      for (const write of writes) this.#write(write);
      for (const extension of extensions)
        if (!this.#extend(extension)) fenced.push(extension.process);
      this.#db.exec("commit");
    } catch (error) {
      this.#nextPos = before;
      this.#ends.clear();
      this.#spend.forget();
      if (this.#db.isTransaction) this.#db.exec("rollback");
      throw storeFailure(error, this.name);
    }
    return { fenced };
  }

  #extend(extension: Extension): boolean {
    const { process, tenant, records } = extension;
    if (records.length > 0) {
      const last = this.#nextPos + records.length - 1;
      let prev = this.#ends.get(process) ?? this.#lookUpEnd(process);
      const { changes } = this.#extendChain.run(
        extension.firstSeq + records.length - 1,
        last,
        records[records.length - 1]!.hash,
        Math.floor(extension.microUsd),
        Math.floor(extension.tokens),
        extension.toolCalls,
        extension.overMicroUsd,
        extension.overTokens,
        records.reduce((sum, record) => sum + record.text.length, 0),
        extension.at,
        process,
        extension.epoch,
        extension.firstSeq - 1,
      );
      if (changes !== 1) return false;
      for (const record of records) {
        const pos = this.#nextPos++;
        this.#insertRecord.run(pos, tenant, process, prev, record.text, record.hash);
        prev = pos;
      }
      if (this.#ends.size > MAX_KNOWN_ENDS) this.#ends.clear();
      this.#ends.set(process, last);
    } else if (!this.#holds(process, extension.epoch)) {
      return false;
    }
    for (const write of extension.writes) this.#write(write);
    for (const row of extension.spend) this.#spend.add(row);
    return true;
  }

  #holds(process: ProcessKey, epoch: number): boolean {
    return (
      this.#statement("select 1 from chain where process = ? and epoch = ?").get(process, epoch) !==
      undefined
    );
  }

  #lookUpEnd(process: ProcessKey): number {
    return Number(this.#endOfChain.get(process)?.["pos"] ?? 0);
  }

  #write(write: Write): void {
    const sharedPos =
      write.op === "process.add" && write.shared !== undefined
        ? this.#posOf(write.shared.from, write.shared.at)
        : 0;
    for (const [sql, values] of statementsOf(write, sharedPos))
      this.#statement(sql).run(...(values as SqlValue[]));
  }

  #posOf(process: ProcessKey, seq: number): number {
    const depth = this.#statement("select seq from chain where process = ?").get(process);
    const steps = Number(depth?.["seq"] ?? -1) - seq;
    const row =
      steps < 0
        ? undefined
        : this.#statement(`${WALK} select pos from walk limit 1 offset ?`).get(process, steps);
    if (row === undefined) throw new Error(`no record ${seq} to share`);
    return Number(row["pos"]);
  }

  async records(key: ProcessKey, { after = -1, upTo = Infinity } = {}): Promise<RecordRow[]> {
    const end = this.#statement("select seq from chain where process = ?").get(key);
    const last = Number(end?.["seq"] ?? -1);
    let seq = Math.min(last, upTo);
    const count = seq - after;
    if (count <= 0) return [];
    const rows = this.#statement(
      `${WALK} select tenant, process, record, hash from walk limit ? offset ?`,
    ).all(key, count, last - seq);
    const found: RecordRow[] = [];
    for (const row of rows) {
      found.push({
        process: Number(row["process"]),
        tenant: Number(row["tenant"]),
        seq,
        text: row["record"] as string,
        hash: row["hash"] as Uint8Array,
      });
      seq--;
    }
    return found.reverse();
  }

  async *recordPages(key: ProcessKey): AsyncGenerator<RecordPage> {
    const places = await this.placesOf(key);
    yield* readAhead(key, places.length - 1, (first, count) =>
      this.recordsAt(first, places.subarray(first, first + count)),
    );
  }

  /** Where the records of a process are, the first first. */
  async placesOf(key: ProcessKey): Promise<Float64Array> {
    // As one text: a row object for each costs more than the walk.
    const row = this.#statement(`${WALK_PLACES} select json_group_array(pos) as list from walk`);
    const places = JSON.parse(row.get(key)!["list"] as string) as number[];
    return Float64Array.from(places).reverse();
  }

  /** The records at these places, of which the first has this seq. */
  async recordsAt(first: number, places: Float64Array): Promise<RecordPage> {
    const [from, to] = [places[0]!, places.at(-1)!];
    const rows =
      to - from === places.length - 1
        ? this.#statement(RECORDS_BETWEEN).all(from, to)
        : this.#statement(RECORDS_AT).all(JSON.stringify([...places]));
    return recordPage(first, rows);
  }

  protected textsOf(key: ProcessKey, first: number, last: number): string[] {
    const count = last - first + 1;
    if (count <= 0) return [];
    if (count > FEW_RECORDS) {
      const rows = this.#statement(`${WALK_TEXTS} select record from walk limit ?`).all(key, count);
      return rows.map((row) => row["record"] as string).reverse();
    }
    const found: string[] = [];
    for (let pos = this.#lookUpEnd(key), before = Infinity; found.length < count && pos < before;) {
      const row = this.#statement("select prev, record from journal where pos = ?").get(pos);
      if (row === undefined) break;
      found.push(row["record"] as string);
      before = pos;
      pos = Number(row["prev"]);
    }
    return found.reverse();
  }

  async placeOf(key: ProcessKey, seq: number): Promise<number | undefined> {
    const end = this.#statement("select seq from chain where process = ?").get(key);
    const steps = Number(end?.["seq"] ?? -1) - seq;
    if (steps < 0 || seq < 0) return undefined;
    const row = this.#statement(`${WALK} select pos, process from walk limit 1 offset ?`).get(
      key,
      steps,
    );
    return row?.["process"] === key ? Number(row["pos"]) : undefined;
  }

  async writtenAfter(place: number, limit: number): Promise<WrittenRow[]> {
    return (await this.query(
      "select pos as place, process, record as text from journal where pos > ? order by pos limit ?",
      [place, limit],
    )) as unknown as WrittenRow[];
  }

  async reserveKeys(count: number): Promise<number> {
    try {
      const row = this.#statement(
        "update counter set next = next + ? where name = 'key' returning next",
      ).get(count);
      return Number(row!["next"]) - count;
    } catch (error) {
      throw storeFailure(error, this.name);
    }
  }

  async tenantKey(name: string): Promise<TenantKey> {
    this.#statement("insert into tenant (name) values (?) on conflict do nothing").run(name);
    return Number(this.#statement("select id from tenant where name = ?").get(name)!["id"]);
  }

  async renewNode(): Promise<void> {} // SQLITE-STORE-1: nobody else can be there

  async dropNode(): Promise<void> {}

  async claim(node: string): Promise<ProcessKey[]> {
    this.#statement(TAKE).run(node, Number.MAX_SAFE_INTEGER); // SQLITE-STORE-1: whoever held them is gone
    return this.#statement(TO_LOAD)
      .all(node, node)
      .map((row) => Number(row["key"]));
  }

  async compact(keys: readonly ProcessKey[]): Promise<{ records: number }> {
    for (const key of keys) this.#ends.delete(key);
    return { records: this.#transaction((prepare) => compactSqliteRuns(prepare, keys)) };
  }

  async remove(row: RemovalRow, keys: readonly ProcessKey[]): Promise<boolean> {
    return this.#transaction((prepare) => removeSqliteRuns(prepare, row, keys));
  }

  async dropStates(span: StateSpan): Promise<number> {
    return this.#transaction((prepare) => dropSqliteStates(prepare, span));
  }

  #transaction<T>(work: (prepare: Prepare) => T): T {
    try {
      this.#db.exec("begin immediate");
      const done = work((sql) => this.#statement(sql));
      this.#db.exec("commit");
      return done;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("rollback");
      throw storeFailure(error, this.name);
    }
  }

  async shrink(): Promise<void> {
    const free = Number(this.#db.prepare("pragma freelist_count").get()!["freelist_count"]);
    const pages = Number(this.#db.prepare("pragma page_count").get()!["page_count"]);
    if (free * 4 > pages) this.#rewrite(pages);
    this.#db.exec("pragma wal_checkpoint(truncate)");
  }

  /** A copy is made of all that is there: in memory only where that is little. */
  #rewrite(pages: number): void {
    const isLarge = pages > MAX_PAGES_IN_MEMORY;
    try {
      if (isLarge) this.#db.exec("pragma temp_store = file");
      this.#db.exec("vacuum");
    } finally {
      if (isLarge) this.#db.exec("pragma temp_store = memory");
    }
  }

  async quickCheck(maxBytes: number): Promise<string[] | undefined> {
    const size = (pragma: string) => Number(Object.values(this.#db.prepare(pragma).get()!)[0]);
    if (size("pragma page_count") * size("pragma page_size") > maxBytes) return undefined;
    try {
      const said = this.#db.prepare("pragma quick_check(20)").all();
      return said.map((row) => String(Object.values(row)[0])).filter((line) => line !== "ok");
    } catch (error) {
      return [(error as Error).message];
    }
  }

  async *blobs(): AsyncGenerator<{ digest: string; body: string | undefined }> {
    yield* pagesOf((after) => this.blobPage(after));
  }

  async blobPage(after: number): Promise<BlobRow[]> {
    const rows = this.#statement(
      "select rowid as place, tenant, digest, body, in_parts from blob where rowid > ? order by rowid limit 100",
    ).all(after);
    const page: BlobRow[] = [];
    for (const row of rows)
      page.push({
        place: Number(row["place"]),
        digest: row["digest"] as string,
        body: await this.wholeBody(row as Row),
      });
    return page;
  }

  async unreached(): Promise<{ process: ProcessKey; text: string }[]> {
    this.#db.exec("drop table if exists temp.reached"); // of a check that failed
    this.#db.exec("create temp table reached (pos integer primary key)");
    const reach = `insert or ignore into reached select pos from (${WALK} select pos from walk)`;
    for (const key of await this.allKeys()) this.#statement(reach).run(key);
    const rows = this.#statement(
      `select process, record from journal where pos not in (select pos from reached)
         or (prev <> 0 and record like '{"kind":"start",%')`, // a first record that something comes before
    ).all();
    this.#prepared.clear();
    this.#db.exec("drop table reached");
    return rows.map((row) => ({ process: Number(row["process"]), text: row["record"] as string }));
  }

  async notify(): Promise<void> {} // one machine: nobody to tell

  async listen(): Promise<void> {}

  protected async query(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    try {
      return this.#statement(sql).all(...(values as SqlValue[])) as Row[];
    } catch (error) {
      throw storeFailure(error, this.name);
    }
  }

  #statement(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

const nameOf = (file: string): string =>
  file === ":memory:" ? "the database in memory" : `the database ${file}`;

/** SQLITE-STORE-1. Connections of one process to this have one set of pages and one lock between them. */
function sharing(file: string): string | URL {
  if (!isOnDisk(file)) return file;
  const url = pathToFileURL(file);
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
