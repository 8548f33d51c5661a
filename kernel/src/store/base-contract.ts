// BaseStore: what the trusted base asks of a database: commits, and the rows that decisions depend on. The whole
// contract of SQLite and PostgreSQL, with what operators, boot and audits ask, is in contract.ts.
//
// STORE-1  `commit` is one transaction: all of it is durable when it resolves, or none of it happened.
// STORE-2  An extension whose epoch is not the chain's present epoch, or that does not continue from the
//     chain's last record, is refused whole, with its writes, in that same transaction; the other
//     extensions of the batch go through.
// STORE-3  Within a batch, extensions are applied in order, each with its records before its writes and
//     what it spent.
// STORE-4  Every row carries its tenant.

import type {
  HoldingRow,
  LedgerRow,
  ProcessKey,
  ProcessRow,
  QuestionRow,
  TenantKey,
  VoteRow,
} from "./rows.ts";
import type { SpendQuery, SpendRow, SpendSum } from "./spend-row.ts";
import type { Write } from "./write-kinds.ts";

export type { SpendQuery } from "./spend-row.ts";
export type { Write } from "./write-kinds.ts";

/** What one process adds to its chain in one commit. */
export interface Extension {
  readonly process: ProcessKey;
  readonly tenant: TenantKey;
  readonly pid: string;
  readonly epoch: number;
  /** When its commit was begun, in milliseconds since 1970: none of its records is later. */
  at: number;
  /** The seq that the first of `records` has. */
  readonly firstSeq: number;
  /** The hashes are empty until they are linked (record-links.ts). */
  readonly records: { readonly text: string; hash: Uint8Array }[];
  /** The hash in hex that it ends with, once it is linked by whoever made it. */
  end?: string;
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
  /** Of a commit that links: the hash in hex of the last record of each extension, one after the other. */
  readonly ends?: string;
}

export interface QuestionQuery {
  readonly tenant?: TenantKey | undefined;
  readonly process?: ProcessKey | undefined;
  /** Of this process, and of all that it has started. */
  readonly below?: ProcessKey | undefined;
  readonly batch?: string | undefined;
}

/** Whose question it is, for the limits on questions. */
export interface QuestionSource {
  /** The first process of its tree. */
  readonly root: ProcessKey;
  /** The names of its own agent and of its tree's first. */
  readonly agents: readonly string[];
  /** Who started the tree; null where nobody said so. */
  readonly starter: string | null;
}

export interface QuestionTime extends QuestionSource {
  readonly at: number;
}

/** As a list has it: what it is about may be large. */
export type ListedQuestion = Pick<
  QuestionRow,
  "id" | "tenant" | "process" | "pid" | "batch" | "askedAt" | "expiresAt" | "answeredAt"
>;

export interface BaseStore {
  readonly kind: "sqlite" | "postgres";
  /** What it is, for people: the file or the server, without a password. */
  readonly name: string;
  /** How many commits it may be given at once and still makes in order, each on top of the last. */
  readonly commitsAhead: number;
  commit(extensions: readonly Extension[], writes: readonly Write[]): Promise<CommitResult>;
  /**
   * The same, done when it returns, where the store can do so now and it is quicker than to wait for another
   * thread; undefined, with nothing done, where not.
   */
  commitNow?(extensions: readonly Extension[], writes: readonly Write[]): CommitResult | undefined;
  /** The same with records that are not linked: `befores` are the hashes that they go on from (RECORD-LINKS-1). */
  linkAndCommit?(
    extensions: readonly Extension[],
    befores: string,
    writes: readonly Write[],
  ): Promise<CommitResult>;
  /** The same for one that must be there already. */
  findTenant(name: string): Promise<TenantKey | undefined>;
  processByKey(key: ProcessKey): Promise<ProcessRow | undefined>;
  /** Living processes of a tree. */
  countTree(root: ProcessKey): Promise<number>;
  /** What was spent, summed up by one thing. */
  spend(query: SpendQuery): Promise<SpendSum[]>;
  /** The state of a capability block whose uses are counted. */
  block(id: string): Promise<string | undefined>;
  question(id: string): Promise<QuestionRow | undefined>;
  /** Open questions of live processes, expired or not, without their details. */
  openQuestions(query?: QuestionQuery): Promise<ListedQuestion[]>;
  openInBatch(batch: string): Promise<QuestionRow[]>;
  /** The new things that people were asked since then, the oldest first, and by whom. */
  askedSince(tenant: TenantKey, sinceMs: number): Promise<QuestionTime[]>;
  asker(process: ProcessKey): Promise<QuestionSource>;
  votes(question: string): Promise<VoteRow[]>;
  /** What every process of an agent holds. */
  standing(tenant: TenantKey, agent?: string): Promise<HoldingRow[]>;
  resourceLabel(tenant: TenantKey, resource: string): Promise<string | undefined>;
  resourceLabelsBelow(tenant: TenantKey, prefix: string): Promise<string[]>;
  resourceMarksBelow(
    tenant: TenantKey,
    prefix: string,
  ): Promise<{ resource: string; label: string }[]>;
  /** Blocks whose id starts so. */
  blocksWith(prefix: string): Promise<{ id: string; state: string }[]>;
  /** The last entries of all nodes, newest first. */
  ledgerTail(limit: number): Promise<LedgerRow[]>;
  ledgerEnd(node: string): Promise<LedgerRow | undefined>;
}
