// SqliteCommits: writes batches to a connection, records and rows together.
//
// SQLITE-STORE-3  A commit runs without a pause between its first and last statement, so that no read on
//     the same connection can see half of it.
// SQLITE-STORE-5  The end of each chain that has something in `redo` is remembered: its row says an earlier one.

import type { StatementSync } from "node:sqlite";
import type { CommitResult, Extension, Write } from "../contract.ts";
import type { ProcessKey } from "../rows.ts";
import { storeFailure } from "../store-failure.ts";
import { birthCheckOf } from "../birth-claims.ts";
import { isOfUnborn } from "../schedule-writes.ts";
import { statementsOf, wholeNumber, type SqlValue } from "../writes.ts";
import { ChainRows, type ChainExtension } from "./chain-rows.ts";
import type { SqliteConnection } from "./connection.ts";
import { WALK } from "./history.ts";
import { RedoLog } from "./redo-log.ts";
import { SpendRows } from "./spend-rows.ts";

/** How many ends of chains are remembered; a miss costs one look-up. */
const MAX_KNOWN_ENDS = 20_000;

/** When a commit leaves rows of chains and of spend to a later one: of so many chains, after so many commits in a row. */
export interface RedoUse {
  readonly chains: number;
  readonly commits: number;
}

/** One row instead of two for each chain gains nothing for few chains, nor where the next who reads has them folded. */
const WHERE_IT_GAINS: RedoUse = { chains: 8, commits: 4 };
const NEVER: RedoUse = { chains: Infinity, commits: 0 };

interface End {
  readonly epoch: number;
  seq: number;
  pos: number;
}

export class SqliteCommits {
  readonly #connection: SqliteConnection;
  readonly #redoUse: RedoUse;
  #nextPos: number;
  readonly #ends = new Map<ProcessKey, End>();
  readonly #insertRecord: StatementSync;
  readonly #endOfChain: StatementSync;
  readonly #chains: ChainRows;
  readonly #spend: SpendRows;
  readonly #redo: RedoLog;
  /** Commits since somebody read what would have to be folded. */
  #inARow = 0;

  /** A connection that nothing can be written to is closed again. */
  static over(connection: SqliteConnection, redoUse = WHERE_IT_GAINS): SqliteCommits {
    try {
      const commits = new SqliteCommits(connection, redoUse);
      commits.fold(); // what a crash left
      connection.fold = () => commits.fold();
      return commits;
    } catch (error) {
      connection.close();
      throw storeFailure(error, connection.name);
    }
  }

  /** For a connection that writes only while another one has folded all. */
  static beside(connection: SqliteConnection): SqliteCommits {
    return SqliteCommits.over(connection, NEVER);
  }

  private constructor(connection: SqliteConnection, redoUse: RedoUse) {
    const { db } = connection;
    this.#connection = connection;
    this.#redoUse = redoUse;
    this.#nextPos = Number(
      db.prepare("select coalesce(max(pos), 0) + 1 as next from journal").get()!["next"],
    );
    this.#insertRecord = db.prepare("insert into journal values (?, ?, ?, ?, ?, ?)");
    this.#endOfChain = db.prepare("select epoch, seq, pos from chain where process = ?");
    this.#chains = new ChainRows(db);
    this.#spend = new SpendRows(db);
    this.#redo = new RedoLog(db, this.#chains, this.#spend);
  }

  close(): void {
    this.#connection.close();
  }

  /** The place of the next record. */
  get nextPos(): number {
    return this.#nextPos;
  }

  /** Whether rows of chains and of spend wait to be folded: no other connection may write. */
  get isUnfolded(): boolean {
    return this.#redo.isPending;
  }

  /** Another connection has written up to there (SQLITE-STORE-1). */
  goOnFrom(nextPos: number): void {
    this.#nextPos = nextPos;
    this.#ends.clear();
  }

  /** Their records are about to go, or their chains to be another's; without keys, any. Nothing of them is unfolded. */
  forgetEnds(keys: Iterable<ProcessKey> = [...this.#ends.keys()]): void {
    this.fold();
    for (const key of keys) this.#ends.delete(key);
  }

  /** REDO-2. */
  fold(): void {
    this.#inARow = 0;
    if (this.#redo.isPending) this.#transaction(() => this.#redo.fold());
  }

  commit(extensions: readonly Extension[], writes: readonly Write[]): CommitResult {
    const fenced: ProcessKey[] = [];
    this.#transaction(() => {
      if (this.#redo.isDue) this.#redo.fold();
      const isLeft = this.#redo.isPending || this.#isGain(extensions.length);
      this.#writeAll(writes);
      for (const extension of extensions)
        if (!this.#extend(extension, isLeft)) fenced.push(extension.process);
      this.#redo.flush();
      if (this.#ends.size > MAX_KNOWN_ENDS) this.#forgetAllEnds();
    });
    this.#inARow++;
    return { fenced };
  }

  #transaction(work: () => void): void {
    const before = this.#nextPos;
    try {
      this.#connection.prepared("begin immediate").run();
      work();
      this.#connection.prepared("commit").run();
    } catch (error) {
      this.#nextPos = before;
      this.#ends.clear();
      this.#spend.forget();
      this.#redo.forget();
      if (this.#connection.db.isTransaction) this.#connection.db.exec("rollback");
      throw storeFailure(error, this.#connection.name);
    }
  }

  #isGain(chains: number): boolean {
    return chains >= this.#redoUse.chains && this.#inARow >= this.#redoUse.commits;
  }

  /** SQLITE-STORE-5. */
  #forgetAllEnds(): void {
    if (this.#redo.isPending) this.#redo.fold();
    this.#ends.clear();
  }

  #extend(extension: Extension, isLeft: boolean): boolean {
    const { process, tenant, records, spend } = extension;
    const end = this.#endOf(process);
    if (end === undefined || end.epoch !== extension.epoch) return false;
    const isMoved = records.length > 0;
    if (isMoved) {
      if (end.seq !== extension.firstSeq - 1) return false;
      const move = moveOf(extension, end, this.#nextPos + records.length - 1);
      if (isLeft) this.#redo.note(move, spend);
      else if (!this.#chains.move(move, records[records.length - 1]!.hash)) return false;
      for (const record of records) {
        const pos = this.#nextPos++;
        this.#insertRecord.run(pos, tenant, process, end.pos, record.text, record.hash);
        end.pos = pos;
      }
      end.seq = move.seq;
    }
    for (const write of extension.writes) this.#write(write);
    if (!isMoved || !isLeft) for (const row of spend) this.#spend.add(row);
    return true;
  }

  #endOf(process: ProcessKey): End | undefined {
    const known = this.#ends.get(process);
    if (known !== undefined) return known;
    const row = this.#endOfChain.get(process);
    if (row === undefined) return undefined;
    const end = { epoch: Number(row["epoch"]), seq: Number(row["seq"]), pos: Number(row["pos"]) };
    this.#ends.set(process, end);
    return end;
  }

  /** SCHEDULE-WRITES-1: the records of one who is not born find no chain, and are refused as any that lost it. */
  #writeAll(writes: readonly Write[]): void {
    const unborn = new Set<ProcessKey>();
    for (const write of writes) {
      if (isOfUnborn(write, unborn)) continue;
      const claim = birthCheckOf(write);
      if (claim !== undefined) {
        const [sql, values] = claim.statement;
        const claimed = this.#connection.prepared(sql).all(...values.map(wholeNumber));
        if (claimed.length === 0) {
          if (claim.birth !== undefined) unborn.add(claim.birth);
          continue;
        }
      }
      this.#write(write);
    }
  }

  #write(write: Write): void {
    const sharedPos =
      write.op === "process.add" && write.shared !== undefined
        ? this.#posOf(write.shared.from, write.shared.at)
        : 0;
    for (const [sql, values] of statementsOf(write, sharedPos))
      this.#connection.prepared(sql).run(...(values as SqlValue[]));
  }

  /** Where a record is that a fork shares. */
  #posOf(process: ProcessKey, seq: number): number {
    if (this.#redo.isPending) this.#redo.fold();
    const depth = this.#connection.prepared("select seq from chain where process = ?").get(process);
    const steps = Number(depth?.["seq"] ?? -1) - seq;
    const row =
      steps < 0
        ? undefined
        : this.#connection
            .prepared(`${WALK} select pos from walk limit 1 offset ?`)
            .get(process, steps);
    if (row === undefined) throw new Error(`no record ${seq} to share`);
    return Number(row["pos"]);
  }
}

/** What its records, of which the last is at this place, add to its chain. A fraction counts for nothing. */
function moveOf(extension: Extension, end: End, pos: number): ChainExtension {
  const { process, epoch, records, firstSeq, at, toolCalls } = extension;
  let bytes = 0;
  for (const { text } of records) bytes += text.length;
  return {
    process,
    epoch,
    after: end.seq,
    seq: firstSeq + records.length - 1,
    pos,
    at,
    bytes,
    toolCalls,
    microUsd: Math.floor(extension.microUsd),
    tokens: Math.floor(extension.tokens),
    overMicroUsd: extension.overMicroUsd,
    overTokens: extension.overTokens,
  };
}
