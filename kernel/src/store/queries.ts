// Queries: what a list of the store is asked for, and what it has of each row.

import type { ProcessState } from "@aos/protocol";
import type {
  DeadLetterRow,
  FileRow,
  ProcessKey,
  ProcessRow,
  QuestionRow,
  TenantKey,
} from "./rows.ts";

/** A page of the files below a path. */
export interface FileQuery {
  readonly tenant: TenantKey;
  readonly space: ProcessKey;
  readonly under: string;
  /** The path that it goes on after. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface QuestionQuery {
  readonly tenant?: TenantKey | undefined;
  readonly process?: ProcessKey | undefined;
  /** Of this process, and of all that it has started. */
  readonly below?: ProcessKey | undefined;
  readonly batch?: string | undefined;
}

/** Whose question it is, for the limits of people's attention. */
export interface QuestionSource {
  /** The first process of its tree. */
  readonly root: ProcessKey;
  /** The names of its own agent and of its tree's first. */
  readonly agents: readonly string[];
  /** Who started the tree; null where nobody said so. */
  readonly starter: string | null;
}

export interface AskedAt extends QuestionSource {
  readonly at: number;
}

export interface ProcessQuery {
  readonly tenant?: TenantKey;
  readonly states?: readonly ProcessState[];
  /** Held by this node. */
  readonly node?: string;
  readonly parent?: ProcessKey;
  readonly root?: ProcessKey;
  /** Those that live, or have ended since then. */
  readonly endedSince?: number;
  /** Only those whose history is there. */
  readonly isKept?: boolean;
  readonly before?: string;
  /** `pid` starts with this. */
  readonly prefix?: string;
  readonly limit?: number;
}

export interface DeadLetterQuery {
  readonly tenant?: TenantKey;
  /** The one that they were sent to. */
  readonly process?: ProcessKey;
  /** None that died before. */
  readonly sinceMs: number;
  /** Those that were buried before this one, by its key. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** With the pid of the one that it was sent to. */
export type ListedLetter = DeadLetterRow & { readonly to: string | null };

/** As a list has it: how large it is, and not what is in it. */
export type ListedFile = Omit<FileRow, "data"> & { readonly bytes: number };

/** As a list has it: what it is about may be large. */
export type ListedQuestion = Pick<
  QuestionRow,
  "id" | "tenant" | "process" | "pid" | "batch" | "askedAt" | "expiresAt" | "answeredAt"
>;

/** As `ps` shows it, and no more: there may be thousands on a page. */
export type ProcessSummary = Pick<
  ProcessRow,
  | "key"
  | "pid"
  | "agent"
  | "parentPid"
  | "state"
  | "waitingOn"
  | "exitCode"
  | "startedAt"
  | "endedAt"
  | "lane"
  | "microUsd"
> & { readonly deadlineAt: number | null };
