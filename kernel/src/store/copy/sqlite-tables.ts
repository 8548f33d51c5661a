// The tables of a SQLite file that no store has open, to copy from or to.
//
// SQLITE-TABLES-1  A record names the row before it: that of the same process, or, for the first one of a fork, the
//     row at which it was forked. A place comes after all that it leads to.

import { DatabaseSync } from "node:sqlite";
import { SysError } from "@aos/protocol/failures";
import { foldRedo } from "../sqlite/redo-log.ts";
import type { SqlValue } from "../writes.ts";
import {
  batchesOf,
  JOURNAL,
  seqOf,
  type CopiedRow,
  type TableShape,
  type TableTarget,
} from "./table.ts";

/** Where a process's history comes from: before `first` it is that of `from`. */
interface History {
  readonly first: number;
  readonly from: number | null;
  readonly isCompacted: boolean;
  readonly last: number;
}

export class SqliteTables implements TableTarget {
  readonly name: string;
  readonly #db: DatabaseSync;
  #histories: Map<number, History> | undefined;
  /** The last record of each process that was inserted. */
  readonly #ends = new Map<number, { seq: number; place: number }>();
  /** The places of records at which others were forked. */
  readonly #forkedAt = new Map<string, number | undefined>();

  constructor(file: string) {
    this.name = `the database ${file}`;
    this.#db = new DatabaseSync(file);
    this.#db.exec("pragma busy_timeout = 500; pragma synchronous = full; begin immediate");
    foldRedo(this.#db);
    this.#db.exec("commit");
  }

  async tables(): Promise<TableShape[]> {
    const names = this.#db
      .prepare(
        "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not in ('aos_version', 'redo')",
      )
      .all()
      .map((row) => row["name"] as string);
    return names.map((name) =>
      name === "journal" ? JOURNAL : { name, columns: this.#columns(name) },
    );
  }

  #columns(table: string): string[] {
    const rows = this.#db.prepare(`select name from pragma_table_info('${table}')`).all();
    return rows.map((row) => row["name"] as string).toSorted();
  }

  async *rows(table: TableShape): AsyncGenerator<CopiedRow[]> {
    if (table.name === "journal") return yield* batchesOf(this.#records());
    yield* batchesOf(this.#plain(table));
  }

  *#plain({ name, columns }: TableShape): Generator<CopiedRow> {
    const firstOwn =
      "(select coalesce(json_extract(spec, '$.forkedFrom.at') + 1, 0) from process where key = chain.process) as pos";
    const read = columns.map((column) =>
      name === "chain" && column === "pos" ? firstOwn : column,
    );
    const statement = this.#db.prepare(`select ${read.join(", ")} from ${name}`);
    for (const row of statement.iterate()) yield columns.map((column) => row[column] as SqlValue);
  }

  *#records(): Generator<CopiedRow> {
    const rows = this.#db.prepare(
      "select pos, process, tenant, record, hash from journal order by pos",
    );
    for (const row of rows.iterate()) {
      const { pos, process, tenant, record, hash } = row as Record<string, SqlValue>;
      const seq = seqOf(record as string, pos as number);
      yield [pos!, process!, seq, tenant!, record!, hash!];
    }
  }

  /** All that follows is there at the end of it, or nothing. */
  begin(): void {
    this.#db.exec("begin immediate");
    for (const name of ["tenant", "counter"]) this.#db.exec(`delete from ${name}`);
  }

  async insert(table: TableShape, rows: readonly CopiedRow[]): Promise<void> {
    if (table.name === "journal") return this.#insertRecords(rows);
    const { name, columns } = table;
    const places = columns.map(() => "?").join(", ");
    const statement = this.#db.prepare(
      `insert into ${name} (${columns.join(", ")}) values (${places})`,
    );
    for (const row of rows) statement.run(...(row as SqlValue[]));
  }

  #insertRecords(rows: readonly CopiedRow[]): void {
    this.#histories ??= this.#readHistories();
    const statement = this.#db.prepare("insert into journal values (?, ?, ?, ?, ?, ?)");
    for (const row of rows) {
      const [place, process, seq, tenant, record, hash] = row as [
        number,
        number,
        number,
        number,
        string,
        Uint8Array,
      ];
      const prev = this.#placeBefore(process, seq);
      if (prev >= place) throw outOfOrder(place);
      statement.run(place, tenant, process, prev, record, hash);
      this.#ends.set(process, { seq, place });
      const name = `${process} ${seq}`;
      if (this.#forkedAt.has(name)) this.#forkedAt.set(name, place);
    }
  }

  /** SQLITE-TABLES-1. */
  #placeBefore(process: number, seq: number): number {
    if (seq === 0) return 0;
    const end = this.#ends.get(process);
    if (end?.seq === seq - 1) return end.place;
    return this.#forkedAt.get(this.#ownerOf(process, seq - 1)) ?? 0; // 0: nothing is before it, which audits find
  }

  /** Whose record it is that a process has under this seq. */
  #ownerOf(process: number, seq: number): string {
    for (let owner = process; ;) {
      const history = this.#histories!.get(owner);
      if (history === undefined || seq >= history.first || history.from === null)
        return `${owner} ${seq}`;
      owner = history.from;
    }
  }

  #readHistories(): Map<number, History> {
    const rows = this.#db.prepare(
      "select key, shared_from, compacted, pos, seq from process join chain on chain.process = key",
    );
    const found = new Map<number, History>();
    for (const row of rows.iterate())
      found.set(Number(row["key"]), {
        first: Number(row["pos"]),
        from: row["shared_from"] as number | null,
        isCompacted: row["compacted"] !== 0,
        last: Number(row["seq"]),
      });
    this.#histories = found;
    for (const [process, { first }] of found)
      if (first > 0) this.#forkedAt.set(this.#ownerOf(process, first - 1), undefined);
    return found;
  }

  /** Chains end where their last records are. */
  async finish(): Promise<void> {
    const histories = (this.#histories ??= this.#readHistories());
    const statement = this.#db.prepare("update chain set pos = ? where process = ?");
    for (const [process, { isCompacted, last }] of histories) {
      const end = this.#ends.get(process);
      const place =
        end?.seq === last ? end.place : this.#forkedAt.get(this.#ownerOf(process, last));
      statement.run(isCompacted ? 0 : (place ?? 0), process);
    }
    this.#db.exec("commit");
  }

  count(table: string): number {
    return Number(this.#db.prepare(`select count(*) as found from ${table}`).get()!["found"]);
  }

  close(): void {
    this.#db.close();
  }
}

const outOfOrder = (place: number) =>
  new SysError("ESTORE", `the record at place ${place} comes before one that it continues from`, {
    hint: "the order of these records was lost when an earlier release changed the database",
  });
