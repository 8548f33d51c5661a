// Rows: what the store keeps. Every row has its tenant; every query names the tenant or a key that is bound to one.

import type {
  FailureText,
  Json,
  Label,
  Lane,
  Narrowing,
  PipeEdge,
  ProcessState,
  SignalName,
  WaitKind,
} from "@aos/protocol";

/** A process inside the store: small, so that a journal row costs few bytes. Nobody outside sees it. */
export type ProcessKey = number;
export type TenantKey = number;

/** One block of a chain of capabilities, as it was minted. */
export interface BlockSpec {
  readonly id: string;
  readonly holder: string;
  readonly mintedAt: number;
  readonly capabilities: readonly string[];
  readonly expiresAt?: number;
  /** False when whoever minted it had read what is not to be trusted: its pins replace no person. */
  readonly trusted?: boolean;
  /** The rule that a person answered with "always", and the digest of what would have run then. */
  readonly standing?: string;
  readonly runs?: string;
  /** What whoever wrote the capabilities had read, as text; absent where that is nothing (block-label.ts). */
  readonly label?: string;
}

/** What is fixed at spawn. */
/** Of a stage of a pipe that takes or gives items while it runs: what the kernel lets out of it, and to whom. */
export interface PipePlace {
  readonly in?: true;
  readonly out?: PipeEdge & {
    readonly to: string;
    readonly key: ProcessKey;
    readonly edge: string;
  };
}

export interface ProcessSpec {
  readonly program: string;
  readonly programVersion: string;
  readonly manifestHash: string;
  readonly command?: readonly string[];
  readonly folder?: string;
  /** What `/work` is for it; `tree` where it is not the first of its tree. */
  readonly workspace?: {
    readonly folder?: string;
    readonly isCow?: true;
    readonly tree?: string;
  };
  /** The chain of capability blocks, outermost first: each a list of canonical texts. */
  readonly blocks: readonly BlockSpec[];
  readonly budget: {
    readonly usd?: number;
    readonly tokens?: number;
    readonly toolCalls?: number;
    readonly wallMs?: number;
  };
  /** Who started its tree, for the limits on questions. Only in a tree's first process. */
  readonly startedBy?: string;
  /** What was given to its agent from then on is not for it: its power was fixed when a schedule was written. */
  readonly standingUntil?: number;
  /** By when it should be done. */
  readonly deadlineAt?: number;
  /** When all of its tree must have ended. */
  readonly expiresAt?: number;
  /** How many spawns deep it may still go. */
  readonly hops?: number;
  readonly label: Label;
  /** What held its parent's tools when it was started holds its own. */
  readonly narrowing?: Narrowing;
  /** The policy layers that bind it beside the kernel's own; those of its parent are among them. */
  readonly layers?: readonly string[];
  /** Whose long-term memory it has (process/memory-space.ts); absent before there were spaces. */
  readonly memorySpace?: string;
  readonly step?: string; // what of its parent's work it is for
  /** What a person calls this run; not its agent. */
  readonly name?: string;
  /** Its manifest has a schema for the bodies of messages to it. */
  readonly mailbox?: true;
  readonly pipe?: PipePlace;
  readonly forkedFrom?: {
    readonly pid: string;
    readonly key: ProcessKey;
    readonly at: number;
    /** All whose history it shares, the oldest first. */
    readonly origins: readonly ProcessKey[];
  };
}

export interface ProcessRow {
  readonly key: ProcessKey;
  readonly tenant: TenantKey;
  readonly pid: string;
  readonly agent: string;
  readonly parent: ProcessKey | null;
  readonly parentPid: string | null;
  readonly root: ProcessKey;
  readonly depth: number;
  readonly state: ProcessState;
  readonly waitingOn: WaitKind | null;
  readonly wakeAt: number | null;
  /** The seq that replay starts from: the last checkpoint or restart; 0 when there was none. */
  readonly base: number;
  /** What it had read when it ended. Before that null, or what adds to its journal's (process/recorded-state.ts). */
  readonly label: string | null;
  readonly exitCode: number | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly spec: ProcessSpec;
  readonly output: Json;
  readonly error: FailureText | null;
  readonly compacted: boolean;
  /** How urgent it is, where that was said. */
  lane?: Lane | null;
  /** When its program first ran, where it had to wait for that; null for one that began at its birth. */
  begunAt?: number | null;
  readonly microUsd?: number; // its own spending; only where a list asks for it
}

/** As a list has it: an output may have megabytes, and no list shows it. */
export type ListedProcess = Omit<ProcessRow, "output">;

/** The end of a process's chain, who may extend it, and what it has spent. */
export interface ChainRow {
  readonly process: ProcessKey;
  readonly node: string;
  readonly epoch: number;
  /** The last record's; -1 before the first. */
  readonly seq: number;
  readonly hash: Uint8Array;
  readonly microUsd: number;
  readonly tokens: number;
  readonly toolCalls: number;
  /** Reported beyond what was reserved: owed, and not spent. */
  readonly overMicroUsd: number;
  readonly overTokens: number;
  /** Dollars as they were kept before money was whole numbers; 0 for what was born since. */
  readonly formerUsd: number;
}

export interface RecordRow {
  readonly process: ProcessKey;
  readonly tenant: TenantKey;
  readonly seq: number;
  readonly text: string;
  readonly hash: Uint8Array;
}

export interface MessageRow {
  readonly key: number;
  readonly tenant: TenantKey;
  readonly process: ProcessKey;
  readonly id: string;
  readonly from: string;
  readonly type: string;
  readonly topic: string | null;
  readonly replyTo: string | null;
  /** JSON text. */
  readonly body: string;
  /** `pid#seq` of the record that sent it. */
  readonly cause: string;
  readonly sentAt: number;
  readonly label: string;
  /** Its place in `lanes`; absent for the usual one. */
  readonly lane?: number | null;
  /** In milliseconds since 1970; absent where it does not expire. */
  readonly expiresAt?: number | null;
  /** Of a stream: JSON text of `{id, end?}`. */
  readonly stream?: string | null;
  /** The durable subscription that it came by. */
  readonly subscription?: number | null;
}

/** A subscription that outlives its process, the last that subscribed by its name. Its backlog is in the mailbox `-key`. */
export interface DurableRow {
  readonly key: number;
  readonly tenant: TenantKey;
  readonly agent: string;
  readonly name: string;
  readonly topic: string;
  readonly isPattern: boolean;
  readonly process: ProcessKey;
}

/** A request that waits for its answer. */
export interface RequestRow {
  /** What its answer names as `replyTo`. */
  readonly id: string;
  readonly tenant: TenantKey;
  /** The one that asks. */
  readonly process: ProcessKey;
  /** The one that is asked. */
  readonly target: ProcessKey;
}

/** A message that nobody will take. */
export interface DeadLetterRow {
  readonly key: number;
  readonly tenant: TenantKey;
  /** The one that it was sent to. */
  readonly process: ProcessKey;
  readonly id: string;
  readonly from: string;
  readonly type: string;
  readonly topic: string | null;
  readonly replyTo: string | null;
  /** JSON text; a long one is cut, and a text then. */
  readonly body: string;
  readonly isCut: boolean;
  readonly cause: string;
  readonly lane: number | null;
  readonly label: string;
  readonly sentAt: number;
  readonly diedAt: number;
  readonly reason: string;
}

export interface SignalRow {
  readonly key: number;
  readonly tenant: TenantKey;
  readonly process: ProcessKey;
  readonly signal: SignalName;
  readonly cause: string;
  readonly sentAt: number;
}

/** Of a text with this SHA-256, by this model; base64. */
export type EmbeddingRow = { tenant: TenantKey } & Record<"model" | "digest" | "vector", string>;

export interface FileRow {
  readonly tenant: TenantKey;
  /** The process whose own tree this is in; 0 for what is shared. */
  readonly space: ProcessKey;
  readonly path: string;
  /** JSON text. */
  readonly data: string;
  readonly writer: string;
  readonly label: string;
  readonly writtenAt: number;
}

export interface QuestionRow {
  readonly id: string;
  readonly tenant: TenantKey;
  readonly process: ProcessKey;
  readonly pid: string;
  readonly n: number;
  readonly kind: "question" | "doubt" | "policy" | "proposal";
  readonly question: string;
  readonly choices: readonly string[];
  readonly digest: string;
  readonly askedAt: number;
  readonly expiresAt: number | null;
  /** Null while it is open, and for one that was withdrawn. */
  readonly answer: string | null;
  /** What the one who answered had to say about it. */
  readonly reason: string | null;
  readonly answeredBy: string | null;
  /** When it was answered or withdrawn; null while it is open. */
  readonly answeredAt: number | null;
  /** The group of people that is asked; null for whoever may answer at all. */
  readonly channel: string | null;
  /** How many of them must say yes. */
  readonly quorum: number;
  /** The same for questions that one answer settles. Null for those from before there were votes. */
  readonly batch: string | null;
  /** The batch was open when it was asked: people had nothing new to look at. */
  readonly joined: boolean;
  /** What it is about, for people and for what an "always" would give. */
  readonly about: Json;
}

export interface VoteRow {
  readonly question: string;
  readonly tenant: TenantKey;
  /** The one that asked. */
  readonly process: ProcessKey;
  readonly person: string;
  readonly choice: string;
  readonly reason: string | null;
  readonly at: number;
  /** By the key of the audit log, over all of the above and the question's digest. */
  readonly signature: string | null;
}

/** A chain of capabilities that a process, or every process of an agent, holds beside its birth's. */
export interface HoldingRow {
  readonly handle: string;
  readonly tenant: TenantKey;
  /** 0 for one that stands for all processes of the agent. */
  readonly process: ProcessKey;
  readonly agent: string;
  /** `new` and `revoking` until the node that runs the process has recorded it. */
  readonly state: "new" | "held" | "revoking" | "revoked";
  /** Outermost first. */
  readonly blocks: readonly BlockSpec[];
  readonly givenBy: string;
  readonly givenAt: number;
  readonly expiresAt: number | null;
  readonly reason: string | null;
}

export interface TenantRow {
  readonly key: TenantKey;
  readonly name: string;
  /** JSON text of what the operator said of its ceiling; null where nothing was said. */
  readonly ceiling: string | null;
  /** In milliseconds since 1970. */
  readonly removedAt: number | null;
}

export interface SecretRow {
  readonly tenant: TenantKey;
  readonly name: string;
  readonly sealed: string;
  readonly updatedAt: number;
}

/** What an operator did that is no record of any process. */
export interface LedgerRow {
  readonly node: string;
  readonly seq: number;
  readonly tenant: TenantKey;
  /** In milliseconds since 1970. */
  readonly at: number;
  /** JSON text. */
  readonly entry: string;
  readonly hash: Uint8Array;
}
