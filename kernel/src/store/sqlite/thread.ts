// SqliteThread: the embedded store on a thread of its own, so that while one batch is written and
// synced the kernel goes on with the next. It is asked by messages and answers each one in turn.

import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { SysError, type FailureText } from "@aos/protocol";
import type { CommitResult, Extension, Store, Write } from "../contract.ts";
import { pack } from "./packed-batch.ts";
import { pagesOf } from "./sqlite-store.ts";

/** Everything of the contract that is asked by name; what is missing here is written out below. */
const ASKED = [
  "reserveKeys",
  "tenantKey",
  "findTenant",
  "tenantName",
  "tenantRows",
  "tenants",
  "process",
  "processByKey",
  "processes",
  "processSummaries",
  "livingChildren",
  "countByState",
  "countTree",
  "chain",
  "chainEnds",
  "missingBlobs",
  "quickCheck",
  "spentByTree",
  "spend",
  "spendBalance",
  "pastRuns",
  "grownSince",
  "lastGrownAt",
  "records",
  "placeOf",
  "writtenAfter",
  "blob",
  "blobOf",
  "manifest",
  "core",
  "block",
  "messages",
  "hasMessage",
  "countMessages",
  "request",
  "requestsTo",
  "deadLetters",
  "deadLetterKey",
  "subscribers",
  "signals",
  "file",
  "files",
  "fileNames",
  "question",
  "questionsOf",
  "openQuestions",
  "openInBatch",
  "settledQuestions",
  "askedSince",
  "asker",
  "votes",
  "votesInBatch",
  "allVotes",
  "holding",
  "holdingsOf",
  "holdingsBy",
  "livingElsewhere",
  "standing",
  "revokedIds",
  "resourceLabel",
  "resourceLabelsBelow",
  "resourceMarksBelow",
  "allFiles",
  "blocksWith",
  "secrets",
  "ledger",
  "ledgerHas",
  "ledgerOf",
  "ledgerAfter",
  "ledgerTail",
  "ledgerEnd",
  "ledgersGrownSince",
  "renewNode",
  "otherNodes",
  "dropNode",
  "claim",
  "orphans",
  "due",
  "finished",
  "compact",
  "dropStates",
  "shrink",
  "allKeys",
  "unreached",
  "notify",
] as const satisfies readonly (keyof Store)[];

export type Asked = (typeof ASKED)[number];

export interface Answer {
  readonly ok?: unknown;
  readonly err?: FailureText;
}

export async function openSqliteThread(file: string): Promise<Store> {
  const env = withCompileCache(process.env);
  const worker = new Worker(new URL("./thread-main.ts", import.meta.url), {
    workerData: { file },
    env,
  });
  const waiting: { resolve: (value: never) => void; reject: (error: unknown) => void }[] = [];
  let gone: SysError | undefined;

  // The thread keeps this process alive only while somebody waits for it.
  const expect = <T>(): Promise<T> =>
    new Promise((resolve, reject) => {
      if (gone !== undefined) return reject(gone);
      if (waiting.length === 0) worker.ref();
      waiting.push({ resolve, reject });
    });
  const leave = (why: string) => {
    gone ??= new SysError("ESTORE", why);
    for (const { reject } of waiting.splice(0)) reject(gone);
  };
  worker.on("message", ({ ok, err }: Answer) => {
    const { resolve, reject } = waiting.shift()!;
    if (waiting.length === 0) worker.unref();
    if (err === undefined) resolve(ok as never);
    else reject(SysError.from(err));
  });
  worker.on("error", (error) =>
    leave(`the thread of the database ${file} ended: ${error.message}`),
  );
  worker.on("exit", () => leave(`the database ${file} is closed`));

  const ask = <T>(method: string, args: readonly unknown[]): Promise<T> => {
    const answer = expect<T>();
    if (gone === undefined) worker.postMessage({ method, args });
    return answer;
  };

  const name = await expect<string>(); // the first message says that it is open, or why not
  const asked = Object.fromEntries(
    ASKED.map((method) => [method, (...args: unknown[]) => ask(method, args)]),
  );
  return {
    ...(asked as unknown as Pick<Store, Asked>),
    kind: "sqlite",
    commitsAhead: 2, // the thread takes one after the other; the next is there when it has done the last
    name,
    commit(extensions: readonly Extension[], writes: readonly Write[]): Promise<CommitResult> {
      const packed = pack(extensions);
      const answer = expect<CommitResult>();
      if (gone === undefined) {
        worker.postMessage({ method: "commit", packed, writes }, [
          packed.numbers.buffer,
          packed.hashes.buffer,
        ]);
      }
      return answer;
    },
    async *blobs() {
      yield* pagesOf((after) => ask("blobPage", [after]));
    },
    async listen() {}, // one machine: nobody to hear
    async close() {
      if (gone === undefined) await ask<void>("close", []);
      await worker.terminate();
    },
  };
}

/** A thread has the compile cache of its process only by its environment, and without it starts for 100 ms. */
function withCompileCache(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  return folder === undefined ? env : { ...env, NODE_COMPILE_CACHE: dirname(folder) };
}
