// Online backup: the bytes of a database that goes on being written.
//
//   file   read while nothing is moved into it from the write-ahead log (`pin`)
//   log    its committed part, in pieces; the last piece is read by the thread that writes
//
// ONLINE-BACKUP-1  Whatever was committed before the last piece of the log was asked for is in the copy: the thread
//     answers in order, and nobody else commits while it has a question.
// ONLINE-BACKUP-2  What is copied of the log is never changed again: frames up to the last commit stay as they are
//     until the log is moved into the file, which does not happen while it is pinned.
// ONLINE-BACKUP-3  The file is opened once and stays open as long as the store: to close it would give up the lock that
//     SQLite holds on it, since such locks belong to a process and not to an open file.

import { open, type FileHandle } from "node:fs/promises";
import { SysError } from "@aos/protocol/failures";
import type { BackupSink } from "../contract.ts";

const PIECE_BYTES = 1024 * 1024;
/** What is left of the log for the thread that writes, if it does not grow faster than it is read. */
const SMALL_TAIL_BYTES = 4 * 1024 * 1024;
const MAX_ROUNDS = 20;

/** What the thread of the database does for a backup. */
export interface PinnedDatabase {
  pin(): Promise<{ readonly fileBytes: number }>;
  unpin(): Promise<void>;
  logEnd(after: number): Promise<number>;
  logTail(after: number): Promise<Uint8Array>;
}

export class OnlineBackup {
  readonly #file: string;
  readonly #database: PinnedDatabase;
  #opened: FileHandle | undefined;
  #isRunning = false;

  constructor(file: string, database: PinnedDatabase) {
    this.#file = file;
    this.#database = database;
  }

  async run(sink: BackupSink): Promise<void> {
    if (this.#isRunning)
      throw new SysError("EEXIST", "another backup of this database is in progress");
    this.#isRunning = true;
    try {
      const { fileBytes } = await this.#database.pin();
      try {
        this.#opened ??= await open(this.#file, "r"); // ONLINE-BACKUP-3
        await sink.file("aos.db", piecesOf(this.#opened, 0, fileBytes));
        await sink.file("aos.db-wal", this.#log(sink));
      } finally {
        await this.#database.unpin();
      }
    } finally {
      this.#isRunning = false;
    }
  }

  async *#log(sink: BackupSink): AsyncGenerator<Uint8Array> {
    let at = 0;
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const end = await this.#database.logEnd(at);
      if (end - at <= SMALL_TAIL_BYTES) break;
      const log = await open(`${this.#file}-wal`, "r");
      try {
        yield* piecesOf(log, at, end); // ONLINE-BACKUP-2
      } finally {
        await log.close();
      }
      at = end;
    }
    sink.lastMoment(); // ONLINE-BACKUP-1
    yield await this.#database.logTail(at);
  }

  /** After the store is closed. */
  async close(): Promise<void> {
    await this.#opened?.close();
    this.#opened = undefined;
  }
}

async function* piecesOf(file: FileHandle, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at < to;) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, to - at));
    const { bytesRead } = await file.read(piece, 0, piece.length, at);
    if (bytesRead === 0)
      throw new SysError("ESTORE", "the database became shorter during a backup");
    yield piece.subarray(0, bytesRead);
    at += bytesRead;
  }
}
