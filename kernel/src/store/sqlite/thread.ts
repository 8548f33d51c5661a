// SqliteThread: the embedded store on a thread of its own, so that while one batch is written and
// synced the kernel goes on with the next. It is asked by messages and answers each one in turn.
//
// Where the kernel has nothing to go on with, the way there and back is half of the time: `commitNow` writes
// on the caller's thread, by a second connection that shares the first one's pages and its lock on the file.
//
// SQLITE-THREAD-1  Only one of the two connections is at work: `commitNow` writes nothing while the
//     thread has a question, or rows that it has not folded (redo-log.ts).
// SQLITE-THREAD-2  Whichever writes after the other goes on from where that one has left off.
// SQLITE-THREAD-3  A disk that lets the kernel wait for long is left to the thread.
// STANDING-CACHE-1  An answer from before a commit that touches standing holdings is not given after that commit.

import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import { type FailureText, SysError } from "@aos/protocol";
import { monotonicMs } from "../../platform/clock.ts";
import type { CommitResult, Extension, Write } from "../contract.ts";
import type { OpenedStore } from "../mail-reports.ts";
import { readAhead } from "../record-pages.ts";
import type { HoldingRow, TenantKey } from "../rows.ts";
import { storedProcess, type StoredRows } from "../stored-process.ts";
import { pagesOf } from "./checks.ts";
import { SqliteCommits, type RedoUse } from "./commits.ts";
import { SqliteConnection } from "./connection.ts";
import { LoneWrites } from "./lone-writes.ts";
import { OnlineBackup } from "./online-backup.ts";
import { pack, type PackedBatch } from "./packed-batch.ts";

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
  "lastPlace",
  "recordsWith",
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
  "deadLetter",
  "deadLetterKey",
  "subscribers",
  "durableSubscription",
  "durableByKey",
  "topics",
  "mailboxes",
  "mailOfTenants",
  "expiredMessages",
  "strandedMessages",
  "schedules",
  "schedule",
  "scheduleByKey",
  "claimSchedules",
  "tick",
  "ticks",
  "openTicks",
  "tickTime",
  "tickOfRun",
  "startsSince",
  "backlog",
  "fleets",
  "fleet",
  "fleetByKey",
  "claimFleets",
  "fleetItem",
  "fleetItems",
  "fleetCounts",
  "dueItems",
  "nextDue",
  "runningItems",
  "endedItems",
  "fleetRuns",
  "itemsOfVersion",
  "fleetEvents",
  "fleetEvent",
  "endedRuns",
  "addPost",
  "takePosts",
  "changePost",
  "post",
  "posts",
  "postBefore",
  "postSums",
  "countPosts",
  "prunePosts",
  "useLink",
  "usedLink",
  "freeLink",
  "postMark",
  "setPostMark",
  "endedRoots",
  "signals",
  "file",
  "files",
  "fileNames",
  "fileUsage",
  "fileSize",
  "embeddings",
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
  "finishedBetween",
  "compact",
  "countResults",
  "oldestResults",
  "remove",
  "removeFinished",
  "tree",
  "hasGivenAway",
  "removals",
  "dropStates",
  "textHolders",
  "dividedBlobs",
  "blobUsers",
  "heirsOf",
  "erasures",
  "erase",
  "shrink",
  "allKeys",
  "unreached",
  "notify",
] as const satisfies readonly (keyof OpenedStore)[];

export type ThreadMethod = (typeof ASKED)[number];

export interface ThreadReply {
  readonly ok?: unknown;
  readonly err?: FailureText;
  /** After a commit. */
  readonly nextPos?: number;
  /** Whether it left rows to a later one (redo-log.ts). */
  readonly isUnfolded?: boolean;
}

export async function openSqliteThread(
  file: string,
  lone = new LoneWrites(),
  redoUse?: RedoUse,
): Promise<OpenedStore> {
  const env = withCompileCache(process.env);
  const worker = new Worker(new URL("./thread-main.ts", import.meta.url), {
    workerData: { file, redoUse },
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
  let nextPos = 0;
  let hasUnfolded = false;
  worker.on("message", ({ ok, err, nextPos: next, isUnfolded }: ThreadReply) => {
    nextPos = next ?? nextPos;
    hasUnfolded = isUnfolded ?? hasUnfolded;
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

  const commit = (
    packed: PackedBatch,
    extensions: readonly Extension[],
    writes: readonly Write[],
  ): Promise<CommitResult> => {
    standing.committing(extensions, writes);
    const answer = expect<CommitResult>();
    if (gone === undefined) {
      const from = isAhead ? { nextPos } : undefined;
      isAhead = false;
      worker.postMessage({ method: "commit", packed, writes, ...from }, [
        packed.numbers.buffer,
        packed.hashes.buffer,
      ]);
    }
    return answer;
  };

  let beside: SqliteCommits | undefined;
  let isAhead = false; // SQLITE-THREAD-2: it has written since the thread's last commit
  const openBeside = () => {
    try {
      return SqliteCommits.beside(SqliteConnection.openBeside(file));
    } catch {
      lone.leaveIt(); // too many open files, for one: the thread has its connection
      return undefined;
    }
  };

  const backup = new OnlineBackup(file, {
    pin: () => ask("pin", []),
    unpin: () => ask("unpin", []),
    logEnd: (after) => ask("logEnd", [file, after]),
    logTail: (after) => ask("logTail", [file, after]),
  });
  const standing = new StandingCache((...of) => ask("standing", of));
  const name = await expect<string>(); // the first message says that it is open, or why not
  const asked = Object.fromEntries(
    ASKED.map((method) => [method, (...args: unknown[]) => ask(method, args)]),
  );
  return {
    ...(asked as unknown as Pick<OpenedStore, ThreadMethod>),
    kind: "sqlite",
    commitsAhead: 2, // the thread takes one after the other; the next is there when it has done the last
    name,
    commit: (extensions, writes) => commit(pack(extensions), extensions, writes),
    linkAndCommit: (extensions, befores, writes) =>
      commit(pack(extensions, befores), extensions, writes),
    commitNow(extensions, writes) {
      if (gone !== undefined || waiting.length > 0 || hasUnfolded) return undefined; // SQLITE-THREAD-1
      if (!lone.takeNext()) return undefined; // SQLITE-THREAD-3
      beside ??= openBeside();
      if (beside === undefined) return undefined;
      standing.committing(extensions, writes);
      if (!isAhead) beside.goOnFrom(nextPos);
      isAhead = true;
      const since = monotonicMs();
      const result = beside.commit(extensions, writes);
      nextPos = beside.nextPos;
      if (lone.took(monotonicMs() - since) === "checkpoint")
        void ask("checkpoint", []).catch(() => {}); // what stands against it the next commit says
      return result;
    },
    backUp: (sink) => backup.run(sink),
    standing: (tenant, agent) => standing.of(tenant, agent),
    async stored(key, query) {
      const rows = await ask<StoredRows | undefined>("storedRows", [key, query]);
      return rows && storedProcess(rows); // flat rows travel between threads sooner than what they are read as
    },
    async *recordPages(key) {
      const places = await ask<Float64Array>("placesOf", [key]);
      yield* readAhead(key, places.length - 1, (first, count) =>
        ask("recordsAt", [first, places.slice(first, first + count)]),
      );
    },
    async *blobs() {
      yield* pagesOf((after) => ask("blobPage", [after]));
    },
    async listen() {}, // one machine: nobody to hear
    async close() {
      beside?.close();
      beside = undefined;
      if (gone === undefined) await ask<void>("close", []);
      await worker.terminate();
      await backup.close();
    },
  };
}

/** A thread has the compile cache of its process only by its environment, and without it starts for 100 ms. */
function withCompileCache(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  return folder === undefined ? env : { ...env, NODE_COMPILE_CACHE: dirname(folder) };
}

/** To forget all costs asking again. */
const MOST_AGENTS = 1000;

const touchesHoldings = ({ op }: Write): boolean => op === "holding.add" || op === "holding.set";

/**
 * The standing holdings of agents, as the database has them: read with every spawn, and hardly ever changed. On one
 * machine every change passes here.
 */
class StandingCache {
  readonly #ask: (tenant: TenantKey, agent?: string) => Promise<HoldingRow[]>;
  readonly #known = new Map<string, Promise<HoldingRow[]>>();

  constructor(ask: (tenant: TenantKey, agent?: string) => Promise<HoldingRow[]>) {
    this.#ask = ask;
  }

  of(tenant: TenantKey, agent?: string): Promise<HoldingRow[]> {
    if (agent === undefined) return this.#ask(tenant);
    const name = `${tenant} ${agent}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const asking = this.#ask(tenant, agent);
    if (this.#known.size >= MOST_AGENTS) this.#known.clear();
    this.#known.set(name, asking);
    asking.catch(() => this.#known.delete(name)); // whoever asks next is told by the database itself
    return asking;
  }

  /** To be called with every commit, before anything is asked after it. */
  committing(extensions: readonly Extension[], writes: readonly Write[]): void {
    for (const { writes: own } of extensions)
      for (const write of own) if (touchesHoldings(write)) return this.#known.clear();
    if (writes.some(touchesHoldings)) this.#known.clear();
  }
}
