// Api: requests and reports of the kernel's methods for its operator: the daemon, a test, or a program that embeds
// it. The methods are declared, family by family, beside what carries them out: operator/*-methods.ts. Programs
// of agents have only their system calls.

import type {
  AuditReport,
  Budget,
  FailureText,
  InferReply,
  Json,
  JournalRecord,
  Label,
  Lane,
  Manifest,
  ManifestText,
  Message,
  ProcessId,
  ProcessState,
  SyscallArgs,
  Urgency,
} from "@aos/protocol";

/** Takes what a kernel has. */
export interface KernelBackupSink {
  /** Called while the files of the signed log stay as they are. */
  signedLog(): Promise<void>;
  /** A file of the database, whatever the store is: SQLite's. */
  file(name: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** A file that is not there, for what has to be written on the way. */
  readonly scratch: string;
}

export interface KernelBackup {
  readonly schema: number;
  readonly store: "sqlite" | "postgres";
  readonly node: string;
  /** In milliseconds since 1970: whatever was acknowledged before is in it. */
  readonly endedAt: number;
  /** By the key of the signed log; null where there is none. */
  readonly sign: (text: string) => string | null;
}

/** Runs that meet all that is said. */
export interface RunSelection {
  readonly pid?: string;
  readonly agent?: string;
  /** Started then or later, in milliseconds since 1970. */
  readonly sinceMs?: number;
}

/** Runs to archive; those that are beyond the retention where nothing is said. */
export interface ArchiveSelection {
  readonly pid?: string;
  /** In milliseconds since 1970. */
  readonly endedBefore?: number;
  readonly dryRun?: boolean;
}

export interface ExportedRuns {
  readonly runs: number;
  readonly records: number;
  readonly sign: KernelBackup["sign"];
  /** The key that signs, as a verifier key of c2sp.org/signed-note; null where there is none. */
  readonly signer: string | null;
}

export interface ReplayedRun {
  readonly pid: string;
  readonly agent: string;
  readonly state: ProcessState;
  readonly outcome: "identical" | "different" | "compacted" | "not-replayed";
  readonly reason: string | null;
}

/** What an audit and a replay of everything in a database found. */
export interface KernelExamination {
  readonly audit: AuditReport;
  readonly runs: readonly ReplayedRun[];
  readonly processes: number;
  readonly living: number;
}

export interface SpawnRequest {
  /** The name of an agent or program that the kernel knows; or the manifest itself. */
  readonly agent?: string;
  readonly manifest?: ManifestText | Manifest;
  readonly input?: Json;
  /** What the run is called: `show NAME` finds it. Two that live cannot have the same. */
  readonly name?: string;
  /** Its pid, for callers that may repeat the request: an existing process is not started again. */
  readonly pid?: ProcessId;
  /** Narrows the manifest's; every one of both must allow. */
  readonly capabilities?: readonly string[];
  readonly budget?: Budget;
  readonly tenant?: string;
  readonly by?: string; // who starts it, e.g. the id of a token (approval/question-limits.ts, QUESTION-LIMITS-5)
  /** Label of its input. Default: trusted and public. */
  readonly label?: Label;
  /** Where a relative `command` is read from. */
  readonly folder?: string;
  /** The name by which the host itself found the manifest: whose memory it has (process/memory-space.ts). */
  readonly registeredAs?: string;
  /** What `/work` is: a folder of the machine, or a copy of it. Empty and its own when absent. */
  readonly workspace?: { readonly folder: string; readonly isCow: boolean };
  /** Priority. Default: the manifest's. */
  /** `/work` is that of this process, which has ended: one that does again what it did. */
  readonly workspaceOf?: ProcessId;
  /** How urgent it is; what its manifest says, unless said here. */
  readonly lane?: Lane;
  /** Time until its deadline. Default: the manifest's. */
  readonly deadlineMs?: number;
  /** How many spawns deep its task may go, and how long all of its tree may take; its manifest's too. */
  readonly ttl?: { readonly hops?: number; readonly wallMs?: number };
}

export interface InvokeRequest {
  readonly input?: Json;
  /** Takes the place of its context before it is asked. */
  readonly context?: readonly Message[];
  /** The same key of the same process is one question, however often it is asked. */
  readonly key?: string;
  readonly label?: Label;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** A process, or all processes of an agent. */
export type Holder =
  | { readonly pid: string }
  | { readonly agent: string; readonly tenant?: string };

export interface GrantRequest {
  /** Or a token that has them. */
  readonly capabilities?: readonly string[];
  readonly token?: string;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number;
  readonly reason?: string;
  readonly by: string;
}

export interface TokenRequest {
  readonly capabilities: readonly string[];
  readonly expiresAt?: number;
  readonly signed?: boolean;
  readonly holder?: string;
  readonly by: string;
}

/** One layer of policy as it was written: parsed, not yet understood. */
export interface PolicySource {
  /** `kernel`, `organisation`, or `project:FOLDER`. */
  readonly layer: string;
  /** Where it comes from, for people. */
  readonly origin: string;
  readonly format: "policy" | "security.md";
  readonly document: unknown;
}

export interface SecretRequest {
  readonly name: string;
  readonly value: string;
  readonly bindings: readonly Json[];
  readonly tenant?: string;
}

export interface ListFilter {
  readonly tenant?: string;
  readonly states?: readonly ProcessState[];
  readonly parent?: ProcessId;
  readonly before?: ProcessId; // those born before this one; newest first
  readonly prefix?: string; // of the pid
  readonly pids?: readonly ProcessId[];
  readonly name?: string; // of the run
  readonly find?: string; // in the name of the agent or the run or the pid, in any case
  readonly startedSince?: number; // milliseconds since 1970
  readonly limit?: number;
}

/** One request of a process to a model, and what came of it. */
export interface RecordedInference {
  readonly n: number;
  readonly model: string;
  /** Of the process, when it was told. */
  readonly label: Label;
  /** One of the two. */
  readonly reply?: InferReply;
  readonly err?: FailureText;
  /** Where it was asked for: whole conversations are large. */
  readonly request?: SyscallArgs<"infer">;
}

/** What a process was started from, and its records with every value whole. */
export interface RecordedRun {
  readonly manifest: Manifest;
  /** The project that it was started from. */
  readonly folder?: string;
  /** Of its input. */
  readonly label: Label;
  /** What narrowed its manifest's when it was started, if anything did. */
  readonly capabilities?: readonly string[];
  readonly records: readonly JournalRecord[];
}

/** A record: what comes after it is meant. */
export interface FeedCursor {
  readonly pid: string;
  readonly seq: number;
}

export interface KernelStatus {
  readonly node: string;
  readonly store: string;
  readonly loaded: number;
  readonly states: Readonly<Partial<Record<ProcessState, number>>>;
  readonly trouble?: string; // with the store, in a sentence
}

export interface RedriveRequest {
  /** Another process than it was sent to. */
  readonly to?: string;
  readonly tenant?: string;
  readonly by: string;
}

export interface PublishRequest extends Urgency {
  /** Tenant of the subscribers. Default: `default`. */
  readonly tenant?: string;
  readonly label?: Label;
  /** Default: `event`. */
  readonly type?: string;
}

export interface DeadLetterFilter {
  /** The process that they were sent to. */
  readonly pid?: string;
  readonly tenant?: string;
  /** Those that were buried before this one, by its id. */
  readonly before?: string;
  /** Default: 100. */
  readonly limit?: number;
}

/** Which of the files below a path. */
export interface MemoryPage {
  /** The path that the page goes on after. */
  readonly after?: string | undefined;
  /** Default: 1000. */
  readonly limit?: number | undefined;
}

/** What is asked of the file tree of a process. */
export interface FileReportRequest extends MemoryPage {
  readonly call: "list" | "read" | "search";
  readonly path: string;
  /** Of a search. */
  readonly query?: string | undefined;
}

/** How a tool has done since boot. */
export interface HealthReport {
  readonly calls: number;
  readonly failures: number;
  /** Milliseconds; null before the first call. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly lastFailure: { readonly at: number; readonly message: string } | null;
}

/** A call that was still under way when there was no more time for it. */
export interface InterruptedCall {
  readonly pid: ProcessId;
  readonly n: number;
  readonly call: string;
  /** The tool or the model. */
  readonly of: string;
}

export type { AuditFinding, AuditReport, GcReport, Question, ReplayReport } from "@aos/protocol";
