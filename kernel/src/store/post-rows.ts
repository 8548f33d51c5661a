// Post rows: what the daemon is to tell people, and what people told it, until it is done: the outbox and the inbox
// of notifications and of chats.

import type { TenantKey } from "./rows.ts";

export const postBoxes = ["out", "in"] as const;

/**
 * - `waiting`: to be done at `dueAt`. `done`: sent, or answered.
 * - `void`: there is nothing to say any more. `held`: beyond the rate of its target.
 * - `dead`: given up after the last try.
 */
export const postStates = ["waiting", "done", "void", "held", "dead"] as const;
export type PostState = (typeof postStates)[number];

export interface PostRow {
  /** The same for the same thing to say to the same target, whoever finds it and however often. */
  readonly id: string;
  readonly tenant: TenantKey;
  readonly box: (typeof postBoxes)[number];
  /** The row of config.yaml that it goes to or came by. */
  readonly target: string;
  /** What it is about: `approval`, `failure`, `reply` …; of the inbox `message`. */
  readonly kind: string;
  /** The conversation that it belongs to; empty where there is none. */
  readonly thread: string;
  /** What it is of: the id of a question, or a pid. */
  readonly subject: string;
  /** JSON text. Of the inbox the words; empty once they are taken. */
  readonly body: string;
  readonly state: PostState;
  readonly attempts: number;
  readonly dueAt: number;
  /** Until then one node is at it. */
  readonly leaseUntil: number;
  /** Of the inbox: the process that it went to. */
  readonly pid: string | null;
  readonly error: string | null;
  readonly createdAt: number;
  readonly settledAt: number | null;
}

/** What changes of a row; `leaseUntil` is 0 again where nothing is said. */
export interface PostChange {
  readonly state?: PostState;
  readonly dueAt?: number;
  readonly leaseUntil?: number;
  readonly pid?: string;
  readonly body?: string;
  readonly error?: string | null;
  readonly settledAt?: number;
  /** Where it begins anew. */
  readonly attempts?: number;
}

export interface PostQuery {
  readonly tenant?: TenantKey | undefined;
  readonly box?: PostRow["box"] | undefined;
  readonly target?: string | undefined;
  readonly thread?: string | undefined;
  readonly states?: readonly PostState[] | undefined;
  /** Those that came before this one. */
  readonly before?: { readonly createdAt: number; readonly id: string } | undefined;
  readonly limit: number;
}

export interface PostSum {
  readonly tenant: TenantKey;
  readonly box: PostRow["box"];
  readonly target: string;
  readonly state: PostState;
  readonly count: number;
}

/** A link that was answered through, by its person and question: there is one answer of each. */
export interface UsedLinkRow {
  readonly question: string;
  readonly person: string;
  readonly tenant: TenantKey;
  readonly at: number;
}

/** A run that nobody's parent started, and that has ended. */
export interface EndedRootRow {
  readonly key: number;
  readonly pid: string;
  readonly tenant: TenantKey;
  readonly agent: string;
  readonly state: string;
  readonly endedAt: number;
  readonly program: string;
  /** Of its failure. */
  readonly code: string | null;
}

export interface PostReads {
  /** False where it is there already. */
  addPost(row: PostRow): Promise<boolean>;
  /** Those that are due and nobody is at, the oldest first; they are the caller's until `leaseUntil`. */
  takePosts(of: {
    readonly box: PostRow["box"];
    readonly nowMs: number;
    readonly leaseUntil: number;
    readonly limit: number;
  }): Promise<PostRow[]>;
  /** False where it is gone, or no longer in the state that it is `from`. */
  changePost(id: string, change: PostChange, from?: PostState): Promise<boolean>;
  post(id: string): Promise<PostRow | undefined>;
  /** The newest first. */
  posts(query: PostQuery): Promise<PostRow[]>;
  /** An older one of the same thread that is not done. */
  postBefore(row: PostRow): Promise<string | undefined>;
  postSums(): Promise<PostSum[]>;
  /** How many a target was given since then, but for those that were held. */
  countPosts(tenant: TenantKey, target: string, since: number): Promise<number>;
  /** Those that were settled before. */
  prunePosts(before: number): Promise<void>;
  /** False where this person has answered this question by a link already. */
  useLink(row: UsedLinkRow): Promise<boolean>;
  usedLink(question: string, person: string): Promise<UsedLinkRow | undefined>;
  /** After an answer that was refused. */
  freeLink(question: string, person: string): Promise<void>;
  /** How far a target has been told; undefined for a new one. */
  postMark(tenant: TenantKey, target: string): Promise<number | undefined>;
  /** Never back. */
  setPostMark(tenant: TenantKey, target: string, at: number): Promise<void>;
  endedRoots(since: number, after: number, limit: number): Promise<EndedRootRow[]>;
}
