// Commit queue: commits are made in the order in which they are given, and answered in that order.
//
//   records and spend alone   one statement of the pipeline, sent while those before it are under way: one
//                             round trip, and the server has the next when it has made the last
//   anything else             a transaction, once all before it are answered (commit.ts)
//
// COMMIT-QUEUE-1  A statement that the pipeline refuses is made again as a transaction: there it is
//     decided which of its extensions go through. What was sent behind it is refused with it
//     (COMMIT-PIPELINE-2), and is made after it.
// COMMIT-QUEUE-2  What is given while one is under way that fails, fails with it: it may stand on what is
//     not there.

import type { CommitResult, Extension, Write } from "../contract.ts";
import { columnsOf } from "./commit-columns.ts";
import { PIPELINED_CALL } from "./commit-function.ts";
import { commitInTransaction } from "./commit.ts";
import type { CommitPipeline } from "./commit-pipeline.ts";
import type { Clients } from "./connection.ts";
import { isLoneRecord, LONE_RECORD, loneRecordValues } from "./lone-record.ts";

const NONE_FENCED: CommitResult = { fenced: [] };

export class CommitQueue {
  readonly #clients: Clients;
  readonly #pipeline: CommitPipeline;
  /** The last that was given and is not answered. */
  #last: Promise<CommitResult> | undefined;
  /** How many wait for those before them, or are transactions that were given as such. */
  #unsent = 0;

  constructor(clients: Clients, pipeline: CommitPipeline) {
    this.#clients = clients;
    this.#pipeline = pipeline;
  }

  commit(extensions: readonly Extension[], writes: readonly Write[]): Promise<CommitResult> {
    const before = this.#last;
    const made =
      this.#unsent === 0 && this.#pipeline.isInTurn && areRecordsAlone(extensions, writes)
        ? this.#send(extensions)
        : undefined;
    const done =
      made === undefined
        ? this.#behind(before, extensions, writes)
        : this.#sent(before, made, extensions);
    this.#last = done;
    const answered = () => {
      if (this.#last === done) this.#last = undefined;
    };
    done.then(answered, answered);
    return done;
  }

  async close(): Promise<void> {
    await this.#last?.catch(() => {});
    await this.#pipeline.close();
  }

  #send(extensions: readonly Extension[]): Promise<boolean> {
    return isLoneRecord(extensions)
      ? this.#pipeline.send(LONE_RECORD, loneRecordValues(extensions[0]!))
      : this.#pipeline.send(PIPELINED_CALL, columnsOf(extensions));
  }

  async #sent(
    before: Promise<CommitResult> | undefined,
    made: Promise<boolean>,
    extensions: readonly Extension[],
  ): Promise<CommitResult> {
    made.catch(() => {}); // said below, unless one before it has failed
    await before;
    if (await made) return NONE_FENCED;
    return commitInTransaction(this.#clients, extensions, []);
  }

  async #behind(
    before: Promise<CommitResult> | undefined,
    extensions: readonly Extension[],
    writes: readonly Write[],
  ): Promise<CommitResult> {
    this.#unsent++;
    let made: Promise<boolean> | undefined;
    try {
      await before;
      if (areRecordsAlone(extensions, writes)) made = this.#send(extensions);
      else return await commitInTransaction(this.#clients, extensions, writes);
    } finally {
      this.#unsent--;
    }
    return this.#sent(undefined, made, extensions);
  }
}

const areRecordsAlone = (extensions: readonly Extension[], writes: readonly Write[]): boolean =>
  writes.length === 0 &&
  extensions.length > 0 &&
  extensions.every((extension) => extension.writes.length === 0 && extension.records.length > 0) &&
  new Set(extensions.map(({ process }) => process)).size === extensions.length;
