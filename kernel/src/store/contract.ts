// Store: the contract of SQLite and PostgreSQL. All SQL of the kernel is below this folder.
//
// STORE-1  `commit` is one transaction: all of it is durable when it resolves, or none of it happened.
// STORE-2  An extension whose epoch is not the chain's present epoch, or that does not continue from the
//     chain's last record, is refused whole, with its writes, in that same transaction; the other
//     extensions of the batch go through.
// STORE-3  Within a batch, extensions are applied in order, each with its records before its writes and
//     what it spent.
// STORE-4  Every row carries its tenant.

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
import type {
  QuestionSource,
  QuestionTime,
  FileQuery,
  ListedFile,
  ListedQuestion,
  ProcessQuery,
  ProcessSummary,
  QuestionQuery,
} from "./queries.ts";
import type { SpendOverrun, SpendQuery, SpendRow, SpendSum, SpendAmounts } from "./spend-row.ts";
import type { RecordPage } from "./record-pages.ts";
import type { LoadQuery, RemovalRow, ResultRun, StateSpan } from "./queries.ts";
import type { StoredProcess, TopicReaders, TreeProcess } from "./queries.ts";
import type { Write } from "./write-kinds.ts";

export type { QuestionSource, QuestionTime, ProcessQuery, ProcessSummary } from "./queries.ts";
export type { SpendQuery, SpendSum } from "./spend-row.ts";
export type { ProcessPatch, SharedHistory, Write } from "./write-kinds.ts";

/** What one process adds to its chain in one commit. */
export interface Extension {
  readonly process: ProcessKey;
  readonly tenant: TenantKey;
  readonly pid: string;
  readonly epoch: number;
  /** When it was begun, in milliseconds since 1970. */
  readonly at: number;
  /** The seq that the first of `records` has. */
  readonly firstSeq: number;
  readonly records: { readonly text: string; readonly hash: Uint8Array }[];
  readonly writes: Write[];
  /** What its records tell of, added to the rows of spend; no two of one row. */
  readonly spend: SpendRow[];
  microUsd: number;
  tokens: number;
  toolCalls: number;
  /** Reported beyond what was reserved. */
  overMicroUsd: number;
  overTokens: number;
}

export interface CommitResult {
  /** The processes whose extensions were refused (STORE-2). */
  readonly fenced: readonly ProcessKey[];
}

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

export interface Store {
  readonly kind: "sqlite" | "postgres";
  /** What it is, for people: the file or the server, without a password. */
  readonly name: string;
  /** How many commits it may be given at once and still makes in order, each on top of the last. */
  readonly commitsAhead: number;
  close(): Promise<void>;
  /**
   * A copy of all that is committed, as a SQLite database: `aos.db`, and `aos.db-wal` where it has a log. `scratch`
   * is a file that is not there, and is gone at the end.
   */
  backUp(sink: BackupSink, scratch: string): Promise<void>;

  commit(extensions: readonly Extension[], writes: readonly Write[]): Promise<CommitResult>;
  /**
   * The same, done when it returns, where the store can do so now and it is quicker than to wait for another
   * thread; undefined, with nothing done, where not.
   */
  commitNow?(extensions: readonly Extension[], writes: readonly Write[]): CommitResult | undefined;
  /** Keys for new rows: the first of `count` that nobody else gets. */
  reserveKeys(count: number): Promise<number>;
  tenantKey(name: string): Promise<TenantKey>;
  /** The same for one that must be there already. */
  findTenant(name: string): Promise<TenantKey | undefined>;
  tenantName(key: TenantKey): Promise<string>;
  /** All that there ever were, the oldest first. */
  tenantRows(): Promise<TenantRow[]>;
  /** All that there are, the oldest first, with their processes and what these have spent. */
  tenants(): Promise<TenantSum[]>;

  process(pid: string): Promise<ProcessRow | undefined>;
  processByKey(key: ProcessKey): Promise<ProcessRow | undefined>;
  /** All that a process is loaded from, at one moment. */
  stored(key: ProcessKey, query: LoadQuery): Promise<StoredProcess | undefined>;
  processes(query: ProcessQuery): Promise<ListedProcess[]>;
  processSummaries(query: ProcessQuery): Promise<ProcessSummary[]>;
  livingChildren(key: ProcessKey): Promise<ListedProcess[]>;
  countByState(tenant?: TenantKey): Promise<Partial<Record<ProcessState, number>>>;
  /** Living processes of a tree. */
  countTree(root: ProcessKey): Promise<number>;
  chain(key: ProcessKey): Promise<ChainRow | undefined>;
  /** The ends of all chains, for a comparison with what was logged. */
  chainEnds(): Promise<StoredEnd[]>;
  /** Of the living: what their records speak of and is not there. */
  missingBlobs(): Promise<{ process: ProcessKey; digest: string }[]>;
  /** What the database finds wrong with its own pages, where it is no larger than this; else undefined. */
  quickCheck(maxBytes: number): Promise<string[] | undefined>;
  /** What a process and all that it spawned, directly or not, have spent. */
  spentByTree(key: ProcessKey): Promise<SpendAmounts & SpendOverrun>;
  /** What was spent, summed up by one thing. */
  spend(query: SpendQuery): Promise<SpendSum[]>;
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
  blob(tenant: TenantKey, digest: string): Promise<string | undefined>;
  /** Only if the process itself has put it. */
  blobOf(process: ProcessKey, digest: string): Promise<string | undefined>;
  manifest(tenant: TenantKey, hash: string): Promise<string | undefined>;
  core(key: ProcessKey): Promise<string | undefined>;

  /** The state of a capability block whose uses are counted. */
  block(id: string): Promise<string | undefined>;
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
  embeddings(tenant: TenantKey, model: string, digests: readonly string[]): Promise<EmbeddingRow[]>;
  question(id: string): Promise<QuestionRow | undefined>;
  questionsOf(key: ProcessKey): Promise<QuestionRow[]>;
  /** What the living wait for, whether its time is over or not; without what they are about. */
  openQuestions(query?: QuestionQuery): Promise<ListedQuestion[]>;
  openInBatch(batch: string): Promise<QuestionRow[]>;
  settledQuestions(): Promise<QuestionRow[]>;
  /** The new things that people were asked since then, the oldest first, and by whom. */
  askedSince(tenant: TenantKey, sinceMs: number): Promise<QuestionTime[]>;
  asker(process: ProcessKey): Promise<QuestionSource>;
  votes(question: string): Promise<VoteRow[]>;
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
  /** What every process of an agent holds. */
  standing(tenant: TenantKey, agent?: string): Promise<HoldingRow[]>;
  revokedIds(): Promise<string[]>;
  resourceLabel(tenant: TenantKey, resource: string): Promise<string | undefined>;
  resourceLabelsBelow(tenant: TenantKey, prefix: string): Promise<string[]>;
  resourceMarksBelow(
    tenant: TenantKey,
    prefix: string,
  ): Promise<{ resource: string; label: string }[]>;
  /** Every file, for a full check. */
  allFiles(): Promise<FileRow[]>;
  /** Blocks whose id starts so. */
  blocksWith(prefix: string): Promise<{ id: string; state: string }[]>;
  secrets(): Promise<SecretRow[]>;
  /** Every entry, for a full check: node by node, each in order. */
  ledger(): Promise<LedgerRow[]>;
  /** Is there an entry of this sort? */
  ledgerHas(what: string): Promise<boolean>;
  /** All entries of this sort, of all nodes. */
  ledgerOf(what: string): Promise<LedgerRow[]>;
  /** The entries of one node after this one, in their order. */
  ledgerAfter(node: string, seq: number, limit: number): Promise<LedgerRow[]>;
  /** The last entries of all nodes, newest first. */
  ledgerTail(limit: number): Promise<LedgerRow[]>;
  ledgerEnd(node: string): Promise<LedgerRow | undefined>;
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
  /** Gives the space that was freed back to the file system, where the store can. */
  shrink(): Promise<void>;

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
