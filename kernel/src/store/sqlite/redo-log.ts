// RedoLog: what commits have added to chains and to spend, and what is not in the rows of these yet.
//
// With many agents at once a row of `chain` and one of `spend` for each record is most of what a commit writes. So a
// commit may put down all that it adds as one row of `redo`; a fold adds up the rows of many commits, and writes each
// row of `chain` and of `spend` once.
//
//   note(move, spend); flush()   in the transaction of the records
//   fold()                       in any transaction
//
// REDO-1  A row of `redo` comes in the transaction of its records and goes in the one that folds it. After a crash
//     each is folded once.
// REDO-2  While there is a row, nobody reads or writes `chain` and `spend` but after a fold (connection.ts).
// REDO-3  A chain that is not where its row says, or without the record that it is to end with, was changed by somebody
//     else: it stays, with what its records cost, and audits find the records that it does not lead to.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ProcessKey } from "../rows.ts";
import { isSameSpend, type SpendRow } from "../spend-row.ts";
import { ChainRows, type ChainExtension } from "./chain-rows.ts";
import { readRedoRow, RedoRow, type StoredRedoRow } from "./redo-row.ts";
import { SpendRows } from "./spend-rows.ts";

/** A fold is due after so many commits, or so many additions: it takes about a microsecond for each process. */
const MOST_ROWS = 64;
const MOST_ADDED = 8192;

export class RedoLog {
  readonly #db: DatabaseSync;
  readonly #chains: ChainRows;
  readonly #spend: SpendRows;
  readonly #insert: StatementSync;
  readonly #hashAt: StatementSync;
  readonly #row = new RedoRow();
  /** In the table; infinite where that is not known. */
  #rows: number;
  #added = 0;

  constructor(db: DatabaseSync, chains: ChainRows, spend: SpendRows) {
    this.#db = db;
    this.#chains = chains;
    this.#spend = spend;
    this.#insert = db.prepare("insert into redo values (?, ?, ?, ?)");
    this.#rows = Number(db.prepare("select count(*) as found from redo").get()!["found"]);
    this.#hashAt = db.prepare("select hash from journal where pos = ?");
  }

  get isPending(): boolean {
    return this.#rows > 0 || !this.#row.isEmpty;
  }

  get isDue(): boolean {
    return this.#rows >= MOST_ROWS || this.#added >= MOST_ADDED;
  }

  note(move: ChainExtension, spend: readonly SpendRow[]): void {
    this.#row.add(move, spend);
    this.#added++;
  }

  /** One row of what was noted. */
  flush(): void {
    if (this.#row.isEmpty) return;
    const { pos, at, numbers, words } = this.#row.take();
    this.#insert.run(pos, at, numbers, words);
    this.#rows++;
  }

  /** After a rollback: what was noted or folded may be so no longer. */
  forget(): void {
    this.#row.clear();
    this.#rows = Infinity;
  }

  fold(): void {
    this.flush();
    const all = new Map<ProcessKey, Sum>();
    const rows = this.#db.prepare("select pos, at, numbers, words from redo order by pos");
    for (const row of rows.iterate())
      readRedoRow(row as unknown as StoredRedoRow, (move, spend) => add(all, move, spend));
    for (const { move, spend } of all.values()) {
      const hash = this.#hashAt.get(move.pos)?.["hash"] as Uint8Array | undefined;
      if (hash === undefined || !this.#chains.move(move, hash)) continue; // REDO-3
      for (const row of spend) this.#spend.add(row);
    }
    this.#db.exec("delete from redo");
    this.#rows = 0;
    this.#added = 0;
  }
}

/** Of one process: from the beginning of the first to the end of the last. */
interface Sum {
  readonly move: Mutable<ChainExtension>;
  readonly spend: Mutable<SpendRow>[];
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

function add(all: Map<ProcessKey, Sum>, move: ChainExtension, spend: readonly SpendRow[]): void {
  const sum = all.get(move.process);
  if (sum === undefined) {
    all.set(move.process, { move, spend: [...spend] });
    return;
  }
  const to = sum.move;
  to.seq = move.seq;
  to.pos = move.pos;
  to.at = move.at;
  to.bytes += move.bytes;
  to.microUsd += move.microUsd;
  to.tokens += move.tokens;
  to.toolCalls += move.toolCalls;
  to.overMicroUsd += move.overMicroUsd;
  to.overTokens += move.overTokens;
  for (const row of spend) addSpend(sum.spend, row);
}

function addSpend(rows: Mutable<SpendRow>[], row: SpendRow): void {
  const to = rows.find((one) => isSameSpend(one, row));
  if (to === undefined) return void rows.push(row);
  to.microUsd += row.microUsd;
  to.tokens += row.tokens;
  to.toolCalls += row.toolCalls;
  to.calls += row.calls;
  to.unpriced += row.unpriced;
  to.overMicroUsd += row.overMicroUsd;
  to.overTokens += row.overTokens;
}

/** Folds what a database file has, that no store has open; in a transaction of the caller's. */
export function foldRedo(db: DatabaseSync): void {
  const table = db.prepare("select 1 from sqlite_master where name = 'redo'").get();
  if (table !== undefined) new RedoLog(db, new ChainRows(db), new SpendRows(db)).fold();
}
