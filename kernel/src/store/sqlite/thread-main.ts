// The other side of SqliteThread: asks the store one thing after another, and answers in that order.

import { parentPort, workerData } from "node:worker_threads";
import { SysError } from "@aos/protocol/failures"; // loads in a moment: every store has a thread of its own
import type { CommitResult, Write } from "../contract.ts";
import type { RedoUse } from "./commits.ts";
import { BatchLinks } from "./batch-links.ts";
import { unpack, type PackedBatch } from "./packed-batch.ts";
import { openSqliteStore, type SqliteStore } from "./sqlite-store.ts";
import type { ThreadReply } from "./thread.ts";

interface Request {
  readonly method: string;
  readonly args?: readonly unknown[];
  readonly packed?: PackedBatch;
  readonly writes?: readonly Write[];
  /** Where the other connection has left off, if it has written since our last commit. */
  readonly nextPos?: number;
}

const { file, redoUse } = workerData as { file: string; redoUse?: RedoUse };
const port = parentPort!;
const answer = (message: ThreadReply) => port.postMessage(message);

const failed = (error: unknown): ThreadReply => ({
  err: (error instanceof SysError
    ? error
    : new SysError("ESTORE", String((error as Error).stack ?? error))
  ).toText(),
});

/** What the other connection has to know. */
const commitsOf = ({ commits: { nextPos, isUnfolded } }: SqliteStore) => ({ nextPos, isUnfolded });

function open(): SqliteStore | undefined {
  try {
    const store = openSqliteStore(file, redoUse);
    answer({ ok: store.name, ...commitsOf(store) });
    return store;
  } catch (error) {
    answer(failed(error));
    return undefined;
  }
}

const store = open();
const links = new BatchLinks();

async function commit(packed: PackedBatch, writes: readonly Write[]): Promise<CommitResult> {
  const extensions = unpack(packed);
  if (packed.befores === undefined) return store!.commit(extensions, writes);
  const ends = links.link(extensions, packed.befores); // before any SQL has them
  return { ...(await store!.commit(extensions, writes)), ends };
}

/** The store's own methods run without a pause, so that answers come in the order of the questions. */
port.on("message", ({ method, args, packed, writes, nextPos }: Request) => {
  if (nextPos !== undefined) store!.commits.goOnFrom(nextPos);
  const run = (store as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[
    method
  ];
  const work = packed === undefined ? run!.apply(store, [...args!]) : commit(packed, writes!);
  inOrder = inOrder
    .then(() => work)
    .then(
      (ok) => answer(packed === undefined ? { ok } : { ok, ...commitsOf(store!) }),
      (error: unknown) => answer(failed(error)),
    );
});

let inOrder: Promise<void> = Promise.resolve();
