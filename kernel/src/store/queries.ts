// Queries: what a list of the store is asked for, and what it has of each row.

import type { ProcessState } from "@aos/protocol";
import type {
  ChainRow,
  HoldingRow,
  MessageRow,
  SignalRow,
  FileRow,
  ProcessKey,
  ProcessRow,
  TenantKey,
} from "./rows.ts";
import type { SpendOverrun, SpendAmounts } from "./spend-row.ts";

/** A page of the files below a path. */
export interface FileQuery {
  readonly tenant: TenantKey;
  readonly space: ProcessKey;
  readonly under: string;
  /** The path that it goes on after. */
  readonly after?: string | undefined;
  readonly since?: number | undefined; // written then or later, in milliseconds since 1970
  readonly limit: number;
}

/** A span of the places of records, and what their texts are looked through for. */
export interface RecordTextQuery {
  readonly tenant: TenantKey;
  readonly after: number;
  readonly upTo: number;
  /** One of them is enough; of each, all have to be there. */
  readonly words: readonly (readonly string[])[];
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
  /** Only these. */
  readonly pids?: readonly string[];
  /** What a person calls it. */
  readonly name?: string;
  /** In the name of the agent, in that of the run or in the pid, in any case. */
  readonly find?: string;
  readonly startedSince?: number;
  readonly limit?: number;
}

/** To a topic or a pattern, which may be of other topics; `durable` is the key of a durable subscription. */
export interface Subscriber {
  readonly process: ProcessKey;
  readonly topic: string;
  readonly isPattern: boolean;
  readonly durable: number | null;
  readonly isLiving: boolean;
}

/** Of one topic; `schema` is JSON text. */
export interface TopicReaders {
  readonly schema: string | null;
  readonly subscribers: readonly Subscriber[];
}

/** As a list has it: how large it is, and not what is in it. */
export type ListedFile = Omit<FileRow, "data"> & { readonly bytes: number };

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
> & { readonly deadlineAt: number | null; readonly name: string | null };

/** A compacted run that may be removed. */
export interface ResultRun extends SpendAmounts, SpendOverrun {
  readonly key: ProcessKey;
  readonly pid: string;
  readonly tenant: TenantKey;
  readonly root: ProcessKey;
}

/** A process of a tree, with or without its history. */
export interface TreeProcess extends ResultRun {
  readonly endedAt: number | null;
  readonly isCompacted: boolean;
}

export interface RemovalRow extends SpendAmounts, SpendOverrun {
  readonly key: number;
  readonly tenant: TenantKey;
  readonly node: string;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly pids: readonly string[];
  /** Of `removalText`; null where no log is kept. */
  readonly signature: string | null;
}

/** Records whose states may leave the store. */
export interface StateSpan {
  readonly process: ProcessKey;
  readonly tenant: TenantKey;
  /** The records of the span come after this one, up to that one. */
  readonly after: number;
  readonly upTo: number;
}

/** What is wanted of a process that is loaded. */
export interface LoadQuery {
  /** Of the living: all, those from its base on, or none. */
  readonly records: "all" | "base" | "none";
  /** Whether what its tree has spent is wanted. */
  readonly spent: boolean;
}

export interface StoredProcess {
  readonly row: ProcessRow;
  readonly chain: ChainRow;
  readonly tenantName: string;
  /** Living processes of its tree. */
  readonly treeCount: number;
  /** Somebody waits for an answer of it. */
  readonly wasAsked: boolean;
  /** It waits for an answer of somebody. */
  readonly hasAsked: boolean;
  readonly holdings: readonly HoldingRow[];
  /** What every process of its agent holds. */
  readonly standing: readonly HoldingRow[];
  readonly messages: readonly MessageRow[];
  readonly signals: readonly SignalRow[];
  /** The states of those of its blocks whose uses are counted, by id. */
  readonly blockStates: ReadonlyMap<string, string>;
  readonly spent: (SpendAmounts & SpendOverrun) | undefined;
  /** The seq of the first of `texts`. */
  readonly first: number;
  /** Its records, to the last. */
  readonly texts: readonly string[];
}

/** How much memory files take: how many, and the bytes of their paths and data. */
export interface FileUsage {
  readonly files: number;
  readonly bytes: number;
}
