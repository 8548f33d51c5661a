// Store: the whole contract of SQLite and PostgreSQL: that of the trusted base (base-contract.ts), and what operators,
// boot, retention and audits ask. All SQL of the kernel is below this folder.

import type { ProcessState } from "@aos/protocol";
import type {
  ChainRow,
  DurableRow,
  EmbeddingRow,
  FileRow,
  HoldingRow,
  LedgerRow,
  MessageRow,
  ProcessKey,
  ListedProcess,
  ProcessRow,
  QuestionRow,
  RecordRow,
  RequestRow,
  SecretRow,
  SignalRow,
  TenantKey,
  TenantRow,
  VoteRow,
} from "./rows.ts";
import type { FileQuery, FileUsage, ListedFile, ProcessQuery, ProcessSummary } from "./queries.ts";
import type { ErasureBatch, ErasureRow, HolderKind, TextHolder } from "./erasure.ts";
import type { SpendAmounts, SpendOverrun } from "./spend-row.ts";
import type { RecordPage } from "./record-pages.ts";
import type { LoadQuery, RemovalRow, ResultRun, StateSpan } from "./queries.ts";
import type { RecordTextQuery, StoredProcess, TopicReaders, TreeProcess } from "./queries.ts";
import type { BaseStore } from "./base-contract.ts";

export type { BaseStore, CommitResult, Extension } from "./base-contract.ts";
export type { ProcessQuery, ProcessSummary } from "./queries.ts";
export type { SpendQuery, SpendSum } from "./spend-row.ts";
export type { ProcessPatch, SharedHistory, Write } from "./write-kinds.ts";

/** A finished run that still has its history, for retention. */
export interface FinishedRun {
  readonly key: ProcessKey;
  readonly pid: string;
  readonly root: ProcessKey;
  readonly endedAt: number;
  readonly records: number;
  readonly bytes: number;
}

/** The end of a chain, as the store has it. */
export interface StoredEnd {
  readonly key: ProcessKey;
  readonly pid: string;
  readonly root: ProcessKey;
  readonly seq: number;
  readonly hash: Uint8Array;
  readonly isEnded: boolean;
}

/** A tenant, how many processes it has in each state, and what they have spent. */
export interface TenantSum extends SpendAmounts {
  readonly key: TenantKey;
  readonly name: string;
  readonly states: Readonly<Partial<Record<ProcessState, number>>>;
}

/** A record by its place among all. */
export interface WrittenRow {
  readonly place: number;
  readonly process: ProcessKey;
  readonly text: string;
}

/** Takes the files of a database while it is in use. */
export interface BackupSink {
  file(name: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Whatever was acknowledged before this is called is in the copy. */
  lastMoment(): void;
}

export interface Store extends BaseStore {
  close(): Promise<void>;
  /**
   * A copy of all that is committed, as a SQLite database: `aos.db`, and `aos.db-wal` where it has a log. `scratch`
   * is a file that is not there, and is gone at the end.
   */
  backUp(sink: BackupSink, scratch: string): Promise<void>;
  /** Keys for new rows: the first of `count` that nobody else gets. */
  reserveKeys(count: number): Promise<number>;
  tenantKey(name: string): Promise<TenantKey>;
  tenantName(key: TenantKey): Promise<string>;
  /** All that there ever were, the oldest first. */
  tenantRows(): Promise<TenantRow[]>;
  /** All that there are, the oldest first, with their processes and what these have spent. */
  tenants(): Promise<TenantSum[]>;

  process(pid: string): Promise<ProcessRow | undefined>;
  /** All that a process is loaded from, at one moment. */
  stored(key: ProcessKey, query: LoadQuery): Promise<StoredProcess | undefined>;
  processes(query: ProcessQuery): Promise<ListedProcess[]>;
  processSummaries(query: ProcessQuery): Promise<ProcessSummary[]>;
  livingChildren(key: ProcessKey): Promise<ListedProcess[]>;
  countByState(tenant?: TenantKey): Promise<Partial<Record<ProcessState, number>>>;
  chain(key: ProcessKey): Promise<ChainRow | undefined>;
  /** The ends of all chains, for a comparison with what was logged. */
  chainEnds(): Promise<StoredEnd[]>;
  /** Of the living: what their records speak of and is not there. */
  missingBlobs(): Promise<{ process: ProcessKey; digest: string }[]>;
  /** What the database finds wrong with its own pages, where it is no larger than this; else undefined. */
  quickCheck(maxBytes: number): Promise<string[] | undefined>;
  /** What a process and all that it spawned, directly or not, have spent. */
  spentByTree(key: ProcessKey): Promise<SpendAmounts & SpendOverrun>;
  /** All of it, by these rows and by the chains, at one moment: for a full check. */
  spendBalance(): Promise<{
    rows: SpendAmounts & SpendOverrun;
    chains: SpendAmounts & SpendOverrun;
  }>;
  /** Each of the last runs of an agent that ended, with all that it spawned; newest first. */
  pastRuns(tenant: TenantKey, agent: string, limit: number): Promise<SpendAmounts[]>;
  /** When a chain last grew; 0 where none did. */
  lastGrownAt(): Promise<number>;
  /** The chains that grew at or after this time, for a log that may have missed them. */
  grownSince(ms: number): Promise<{ pid: string; seq: number; hash: Uint8Array }[]>;
  /** The records after `after` in order, those shared with the process it was forked from included. */
  records(key: ProcessKey, options?: { after?: number; upTo?: number }): Promise<RecordRow[]>;
  recordPages(key: ProcessKey): AsyncIterable<RecordPage>;
  /** Where a record of its own stands among all that were written; undefined where it is not kept. */
  placeOf(key: ProcessKey, seq: number): Promise<number | undefined>;
  /** What was written after that place, in the order of the commits and, in each, of its extensions. */
  writtenAfter(place: number, limit: number): Promise<WrittenRow[]>;
  /** The place of the last record of all; 0 where there is none. */
  lastPlace(): Promise<number>;
  /** Of the records of a tenant in a span of places: those whose text has one of these words, the newest first. */
  recordsWith(query: RecordTextQuery): Promise<WrittenRow[]>;
  blob(tenant: TenantKey, digest: string): Promise<string | undefined>;
  /** Only if the process itself has put it. */
  blobOf(process: ProcessKey, digest: string): Promise<string | undefined>;
  manifest(tenant: TenantKey, hash: string): Promise<string | undefined>;
  core(key: ProcessKey): Promise<string | undefined>;
  messages(key: ProcessKey): Promise<MessageRow[]>;
  /** Whether this message is in its mailbox. */
  hasMessage(key: ProcessKey, id: string): Promise<boolean>;
  /** Those that count against the limit of its mailbox: answers to its requests do not. */
  countMessages(key: ProcessKey, nowMs: number): Promise<number>;
  request(id: string): Promise<RequestRow | undefined>;
  /** The requests to a process that are not answered. */
  requestsTo(target: ProcessKey): Promise<RequestRow[]>;
  /** Those of the topic, and of every pattern. */
  subscribers(tenant: TenantKey, topic: string): Promise<TopicReaders>;
  durableSubscription(t: TenantKey, agent: string, name: string): Promise<DurableRow | undefined>;
  durableByKey(key: number): Promise<DurableRow | undefined>;
  signals(key: ProcessKey): Promise<SignalRow[]>;
  file(tenant: TenantKey, space: ProcessKey, path: string): Promise<FileRow | undefined>;
  /** By their paths. */
  files(query: FileQuery): Promise<FileRow[]>;
  fileNames(query: FileQuery): Promise<ListedFile[]>;
  /** Of what outlives processes, below a path or in all. */
  fileUsage(tenant: TenantKey, under?: string): Promise<FileUsage>;
  /** Of one file; zero where there is none. */
  fileSize(tenant: TenantKey, space: ProcessKey, path: string): Promise<FileUsage>;
  embeddings(tenant: TenantKey, model: string, digests: readonly string[]): Promise<EmbeddingRow[]>;
  questionsOf(key: ProcessKey): Promise<QuestionRow[]>;
  settledQuestions(): Promise<QuestionRow[]>;
  /** On all that are open in it. */
  votesInBatch(batch: string): Promise<VoteRow[]>;
  /** Every vote, for a full check. */
  allVotes(): Promise<VoteRow[]>;
  holding(handle: string): Promise<HoldingRow | undefined>;
  holdingsOf(process: ProcessKey): Promise<HoldingRow[]>;
  /** Those under this handle, or with a block of this id, that are not revoked. */
  holdingsBy(id: string): Promise<HoldingRow[]>;
  /** The living processes of an agent that another node than this one has. */
  livingElsewhere(tenant: TenantKey, agent: string, node: string): Promise<ProcessKey[]>;
  revokedIds(): Promise<string[]>;
  /** Every file, for a full check. */
  allFiles(): Promise<FileRow[]>;
  secrets(): Promise<SecretRow[]>;
  /** Every entry, for a full check: node by node, each in order. */
  ledger(): Promise<LedgerRow[]>;
  /** Is there an entry of this sort? */
  ledgerHas(what: string): Promise<boolean>;
  /** All entries of this sort, of all nodes. */
  ledgerOf(what: string): Promise<LedgerRow[]>;
  /** The entries of one node after this one, in their order. */
  ledgerAfter(node: string, seq: number, limit: number): Promise<LedgerRow[]>;
  /** The ends of the ledgers that grew at or after this time. */
  ledgersGrownSince(ms: number): Promise<LedgerRow[]>;

  /** Says that this node is alive until then, and whether no other may be. */
  renewNode(node: string, untilMs: number, isAlone?: boolean): Promise<void>;
  /** The others that are alive. */
  otherNodes(node: string, nowMs: number): Promise<{ name: string; isAlone: boolean }[]>;
  dropNode(node: string): Promise<void>;
  /**
   * Takes living trees for `node`, with a new epoch each: those of nodes that are not alive, and its
   * own of an earlier boot. Returns the keys of the taken processes that are to be loaded now.
   */
  claim(node: string, nowMs: number): Promise<ProcessKey[]>;
  /** The living of this node whose parent has ended: a crash came before they were told. */
  orphans(node: string): Promise<ProcessKey[]>;
  /** Dormant processes of this node whose time has come, and when the next one's comes. */
  due(node: string, nowMs: number): Promise<{ due: ProcessKey[]; nextAt: number | null }>;

  /** Finished runs with history, oldest end first. */
  finished(): Promise<FinishedRun[]>;
  /** How many of these ended at `from` or later and before `to`, and what they take. */
  finishedBetween(from: number, to: number): Promise<{ runs: number; bytes: number }>;
  /** Removes the history, files and messages of finished runs, and the blobs that only they used; keeps
   * their result and chain head. */
  compact(keys: readonly ProcessKey[]): Promise<{ records: number }>;
  /** How many compacted runs there are. */
  countResults(): Promise<number>;
  /** Compacted runs that may be removed: whole trees, those that ended first, before this time. */
  oldestResults(trees: number, endedBefore: number): Promise<ResultRun[]>;
  /**
   * Removes what is left of compacted runs, at most MOST_REMOVED of them; false, and nothing is done, where
   * one is not there any more.
   */
  remove(row: RemovalRow, keys: readonly ProcessKey[]): Promise<boolean>;
  /** The same of finished runs, with their history; false also where one gave power to a process that stays. */
  removeFinished(row: RemovalRow, keys: readonly ProcessKey[]): Promise<boolean>;
  /** A process and all that were spawned below it, whether they live or not. */
  tree(root: ProcessKey): Promise<TreeProcess[]>;
  /** Whether a process of this tree gave power to one of another tree that has its history. */
  hasGivenAway(root: ProcessKey): Promise<boolean>;
  /** Every removal, for a comparison with what was logged. */
  removals(): Promise<RemovalRow[]>;
  /** Drops the superseded states of a span of records (state-drop.ts); answers how many parts went. */
  dropStates(span: StateSpan): Promise<number>;
  /**
   * Gives the space that was freed back to the file system, where the store can; `isWhole` rewrites the file, so that
   * nothing of what was removed is left in it.
   */
  shrink(isWhole?: boolean): Promise<void>;

  /** Rows of a tenant whose text has one of these words, in lower case, by their ids. */
  textHolders(
    kind: HolderKind,
    tenant: TenantKey,
    words: readonly string[],
    limit: number,
    after?: string,
  ): Promise<TextHolder[]>;
  /** Values that are stored in parts. */
  dividedBlobs(tenant: TenantKey, limit: number, after?: string): Promise<string[]>;
  blobUsers(tenant: TenantKey, digest: string): Promise<ProcessKey[]>;
  /** Processes that share the history of this one, directly or not. */
  heirsOf(process: ProcessKey): Promise<{ pid: string; isEnded: boolean }[]>;
  /** False, and nothing is done, where a process that goes on needs a part of it (erasure.ts). */
  erase(batch: ErasureBatch): Promise<boolean>;
  erasures(): Promise<ErasureRow[]>;

  /** Every process key, for a full check. */
  allKeys(): Promise<ProcessKey[]>;
  /** Every blob, for a full check; without a body where one of its parts is gone. */
  blobs(): AsyncIterable<{ digest: string; body: string | undefined }>;
  /** Records that no chain leads to. */
  unreached(): Promise<{ process: ProcessKey; text: string }[]>;

  /**
   * Tells other nodes that something for these processes has arrived; of none: that this node has left. A no-op
   * on one machine.
   */
  notify(keys: readonly ProcessKey[]): Promise<void>;
  /** Calls back when another node notified. */
  listen(onWake: (keys: readonly ProcessKey[]) => void): Promise<void>;
}
