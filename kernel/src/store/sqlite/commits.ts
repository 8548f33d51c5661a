// SqliteCommits: writes batches to a connection, records and rows together.
//
// SQLITE-STORE-3  A commit runs without a pause between its first and last statement, so that no read on
//     the same connection can see half of it.

import type { StatementSync } from "node:sqlite";
import type { CommitResult, Extension, Write } from "../contract.ts";
import type { ProcessKey } from "../rows.ts";
import { hasNoCost } from "../spend-row.ts";
import { storeFailure } from "../store-failure.ts";
import { statementsOf, type SqlValue } from "../writes.ts";
import type { SqliteConnection } from "./connection.ts";
import { WALK } from "./history.ts";
import { SpendRows } from "./spend-rows.ts";

/** How many positions of chain ends are remembered; a miss costs one look-up. */
const MAX_KNOWN_ENDS = 20_000;

export class SqliteCommits {
  readonly #connection: SqliteConnection;
  #nextPos: number;
  readonly #ends = new Map<ProcessKey, number>();
  readonly #extendChain: StatementSync;
  /** Where nothing was paid, as by most calls: each value that is bound takes its time. */
  readonly #extendUnpaid: StatementSync;
  readonly #insertRecord: StatementSync;
  readonly #endOfChain: StatementSync;
  readonly #spend: SpendRows;

  /** A connection that nothing can be written to is closed again. */
  static over(connection: SqliteConnection): SqliteCommits {
    try {
      return new SqliteCommits(connection);
    } catch (error) {
      connection.close();
      throw storeFailure(error, connection.name);
    }
  }

  private constructor(connection: SqliteConnection) {
    const { db } = connection;
    this.#connection = connection;
    this.#nextPos = Number(
      db.prepare("select coalesce(max(pos), 0) + 1 as next from journal").get()!["next"],
    );
    this.#extendChain = db.prepare(
      `update chain set seq = ?, pos = ?, hash = ?, micro_usd = micro_usd + ?, tokens = tokens + ?, tool_calls = tool_calls + ?,
         over_micro_usd = over_micro_usd + ?, over_tokens = over_tokens + ?,
         bytes = bytes + ?, grown_at = ? where process = ? and epoch = ? and seq = ?`,
    );
    this.#extendUnpaid = db.prepare(
      `update chain set seq = ?, pos = ?, hash = ?, tool_calls = tool_calls + ?, bytes = bytes + ?, grown_at = ?
         where process = ? and epoch = ? and seq = ?`,
    );
    this.#insertRecord = db.prepare("insert into journal values (?, ?, ?, ?, ?, ?)");
    this.#endOfChain = db.prepare("select pos from chain where process = ?");
    this.#spend = new SpendRows(db);
  }

  close(): void {
    this.#connection.close();
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

  /** Their records are about to go. */
  forgetEnds(keys: readonly ProcessKey[]): void {
    for (const key of keys) this.#ends.delete(key);
  }

  commit(extensions: readonly Extension[], writes: readonly Write[]): CommitResult {
    const fenced: ProcessKey[] = [];
    const before = this.#nextPos;
    try {
      this.#connection.statement("begin immediate").run();
      for (const write of writes) this.#write(write);
      for (const extension of extensions)
        if (!this.#extend(extension)) fenced.push(extension.process);
      this.#connection.statement("commit").run();
    } catch (error) {
      this.#nextPos = before;
      this.#ends.clear();
      this.#spend.forget();
      if (this.#connection.db.isTransaction) this.#connection.db.exec("rollback");
      throw storeFailure(error, this.#connection.name);
    }
    return { fenced };
  }

  #extend(extension: Extension): boolean {
    const { process, tenant, records } = extension;
    if (records.length > 0) {
      const last = this.#nextPos + records.length - 1;
      let prev = this.#ends.get(process) ?? this.#lookUpEnd(process);
      if (!this.#moveEnd(extension, last)) return false;
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

  /** Moves the end of its chain to its last record, which is at this place. */
  #moveEnd(extension: Extension, pos: number): boolean {
    const { records, firstSeq, toolCalls, at } = extension;
    const seq = firstSeq + records.length - 1;
    const { hash } = records[records.length - 1]!;
    let bytes = 0;
    for (const { text } of records) bytes += text.length;
    const from = [extension.process, extension.epoch, firstSeq - 1] as const;
    if (hasNoCost(extension))
      return this.#extendUnpaid.run(seq, pos, hash, toolCalls, bytes, at, ...from).changes === 1;
    const { microUsd, tokens, overMicroUsd, overTokens } = extension;
    const cost = [Math.floor(microUsd), Math.floor(tokens), toolCalls, overMicroUsd, overTokens];
    return this.#extendChain.run(seq, pos, hash, ...cost, bytes, at, ...from).changes === 1;
  }

  #holds(process: ProcessKey, epoch: number): boolean {
    return (
      this.#connection
        .statement("select 1 from chain where process = ? and epoch = ?")
        .get(process, epoch) !== undefined
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
      this.#connection.statement(sql).run(...(values as SqlValue[]));
  }

  #posOf(process: ProcessKey, seq: number): number {
    const depth = this.#connection
      .statement("select seq from chain where process = ?")
      .get(process);
    const steps = Number(depth?.["seq"] ?? -1) - seq;
    const row =
      steps < 0
        ? undefined
        : this.#connection
            .statement(`${WALK} select pos from walk limit 1 offset ?`)
            .get(process, steps);
    if (row === undefined) throw new Error(`no record ${seq} to share`);
    return Number(row["pos"]);
  }
}
