// Api: the interface of the kernel for its operator: the daemon, a test, or a program that embeds it. Programs of
// agents have only their system calls.

import type {
  AnswerReport,
  ArchiveReport,
  CeilingChange,
  CeilingSetting,
  ConnectorReport,
  DeadLetter,
  MachineFiles,
  MarkKeeper,
  MemoryRecordReader,
  Question,
  QuestionFilter,
  StoreReport,
  TenantReport,
  Touch,
  AuditReport,
  BacktestReport,
  LedgerReport,
  PolicyReport,
  PowerReport,
  RevokeReport,
  SecretReport,
  SuggestReport,
  GcReport,
  QueueReport,
  Budget,
  CostGroup,
  CostReport,
  Ending,
  EstimateReport,
  FailureText,
  FeedEvent,
  FileHistory,
  InferReply,
  InvokeReport,
  Json,
  JournalRecord,
  Label,
  Lane,
  Manifest,
  ManifestText,
  Message,
  OperationAnswer,
  ProcessDetail,
  ProcessId,
  ProcessInfo,
  ProcessState,
  SignalName,
  SyscallArgs,
  Tool,
  ToolScope,
  TopicReport,
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
  /** Its pid, where whoever asks may have to ask again: one that is there is not started again. */
  readonly pid?: ProcessId;
  /** Narrows the manifest's; every one of both must allow. */
  readonly capabilities?: readonly string[];
  readonly budget?: Budget;
  readonly tenant?: string;
  readonly by?: string; // who starts it, e.g. the id of a token (approval/question-limits.ts, QUESTION-LIMITS-5)
  /** Where its input comes from; trusted and public unless said. */
  readonly label?: Label;
  /** Where a relative `command` is read from. */
  readonly folder?: string;
  /** The name by which the host itself found the manifest: whose memory it has (process/memory-space.ts). */
  readonly registeredAs?: string;
  /** What `/work` is: a folder of the machine, or a copy of it. Empty and its own when absent. */
  readonly workspace?: { readonly folder: string; readonly isCow: boolean };
  /** How urgent it is; what its manifest says, unless said here. */
  readonly lane?: Lane;
  /** By when it should be done, from now; what its manifest says, unless said here. */
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
  /** Whose subscribers; `default` unless said. */
  readonly tenant?: string;
  readonly label?: Label;
  /** `event` unless said. */
  readonly type?: string;
}

export interface DeadLetterFilter {
  /** The process that they were sent to. */
  readonly pid?: string;
  readonly tenant?: string;
  /** Those that were buried before this one, by its id. */
  readonly before?: string;
  /** 100 unless said. */
  readonly limit?: number;
}

/** Which of the files below a path. */
export interface MemoryPage {
  /** The path that the page goes on after. */
  readonly after?: string | undefined;
  /** 1000 unless said. */
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

type Following = { readonly after?: number; readonly signal?: AbortSignal };

/** A call that was still under way when there was no more time for it. */
export interface InterruptedCall {
  readonly pid: ProcessId;
  readonly n: number;
  readonly call: string;
  /** The tool or the model. */
  readonly of: string;
}

/** The kernel without what is asked of one process (operator/process-operations.ts). */
export interface KernelApi extends MarkKeeper, MachineFiles, FileHistory, MemoryRecordReader {
  spawn(request: SpawnRequest): Promise<ProcessId>;
  list(filter?: ListFilter): Promise<ProcessInfo[]>;
  show(pid: string): Promise<ProcessDetail>;
  /** Resolves when the process has ended, or at the time-out with the state it is in. */
  wait(pid: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<Ending>;
  journal(pid: string, options?: { after?: number; limit?: number }): Promise<JournalRecord[]>;
  /** The records as they become durable, to the end of the process. */
  watch(pid: string, options?: Following): AsyncIterable<JournalRecord>;
  /** The same and, between them, what is being said: that is provisional, and is kept nowhere. */
  attach(pid: string, options?: Following): AsyncIterable<OperationAnswer<"attach">>;
  /** What all processes did after a record, in the order in which it was written, to now. */
  recorded(after: FeedCursor): AsyncIterable<FeedEvent>;
  /** The same, and then what they do, as it becomes durable; from now on where no record is given. */
  follow(options?: { after?: FeedCursor; signal?: AbortSignal }): AsyncIterable<FeedEvent>;
  signal(pid: string, signal: SignalName): Promise<void>;
  send(
    pid: string,
    body: Json,
    options?: Urgency & { type?: string; label?: Label },
  ): Promise<string>;
  /** Puts a dead letter back into a mailbox. */
  redrive(id: string, request: RedriveRequest): Promise<{ id: string; to: string }>;
  /** What is subscribed to, or has a schema. */
  topics(filter?: { tenant?: string }): Promise<TopicReport[]>;
  /** Events of the topic have to fit it from now on; null removes it. */
  setTopicSchema(
    topic: string,
    schema: Json,
    options: { tenant?: string; by: string },
  ): Promise<void>;
  publish(topic: string, body: Json, request?: PublishRequest): Promise<{ reached: number }>;
  /** Asks a living agent, and waits for its answer. The same key has the same answer. */
  invoke(pid: string, request?: InvokeRequest): Promise<InvokeReport>;
  /** What runs, what waits to begin, and what waits for a model. */
  queue(): Promise<QueueReport>;
  verify(): Promise<AuditReport>;
  collect(options?: { dryRun?: boolean }): Promise<GcReport>;
  /** Moves finished runs to the archive, whole trees at a time (operator/archive-retention.ts). */
  archiveRuns(wanted?: ArchiveSelection): Promise<ArchiveReport>;
  /** Hands over all that is stored, while everything goes on (operator/backup.ts). */
  backUp(sink: KernelBackupSink): Promise<KernelBackup>;
  /** Writes the trees of these runs to a new SQLite file, with all that a replay reads. */
  exportRuns(wanted: RunSelection, file: string): Promise<ExportedRuns>;
  /** A person's word. `always` gives, beside a yes, what `about.cover` of the question says. */
  answer(
    id: string,
    answer: { by: string; choice: string; text?: string; always?: boolean },
  ): Promise<AnswerReport>;
  /** Withdraws a question, and those that are the same to people: whoever waits is refused. */
  cancelQuestion(
    id: string,
    options: { by: string; text?: string },
  ): Promise<{ id: string; alsoWithdrawn: string[] }>;
  /** What a process, or every process of an agent, holds. */
  power(of: Holder): Promise<PowerReport>;
  /** Gives power to a process, or to every process of an agent from now on. */
  grant(to: Holder, newGrant: GrantRequest): Promise<{ handle: string; block: string }>;
  /** By a handle, the id of a block, or the revocation id of a token. Nothing that stood on it runs when it resolves. */
  revoke(id: string, by: string, of?: { tenant?: string }): Promise<RevokeReport>;
  /** The smallest capabilities that would have allowed what was really used. */
  suggest(of: Holder, options?: { widen?: "none" | "folder" }): Promise<SuggestReport>;
  /** A token for power that travels: for this kernel only, or signed for whoever has our public key. */
  mintToken(request: TokenRequest): Promise<{ token: string; ids: readonly string[] }>;
  verifyToken(token: string): Promise<Json>;
  policy(): Promise<PolicyReport>;
  /** Takes all of these in place of what was in force, or none of them. */
  loadPolicy(sources: readonly PolicySource[], by: string): Promise<PolicyReport>;
  /** What another policy would have said to what is recorded. */
  backtest(sources: readonly PolicySource[], sinceMs: number): Promise<BacktestReport>;
  secrets(): Promise<SecretReport[]>;
  setSecret(secret: SecretRequest, by: string): Promise<void>;
  removeSecret(name: string, options: { tenant?: string; by: string }): Promise<void>;
  /** Runs the cases of a policy's own tests against these sources. */
  testPolicy(sources: readonly PolicySource[], cases: unknown): Promise<Json>;
  /** Takes secrets out of a text that is about to be shown or logged. */
  scrub(text: string): string;
  /** Enters what somebody did outside the kernel, e.g. made an access token; durable when it resolves. */
  enter(what: string, by: string, detail: Json): Promise<void>;
  /** What people did, newest last. */
  ledger(options?: { limit?: number }): Promise<LedgerReport[]>;
  /** The tools that there are for a scope, and how they have done since boot. */
  tools(scope: ToolScope): Promise<{ tool: Tool; health: HealthReport }[]>;
  /** What is mounted below /mnt: for a process, or by the configuration for a tenant. */
  connectors(of?: { readonly tenant?: string; readonly pid?: string }): Promise<ConnectorReport[]>;
  /** The spaces of long-term memory that have something in them. */
  memorySpaces(of?: { readonly tenant?: string }): Promise<string[]>;
  /** Tells it to make its context shorter: SIGCTX. */
  compactContext(pid: string): Promise<void>;
  /** What was spent since then, summed up by one thing, and what is left of wide budgets. */
  cost(question?: {
    by?: CostGroup;
    /** Milliseconds since 1970. */
    sinceMs?: number;
    tenant?: string;
    /** Only the tree that this process is of. */
    pid?: string;
  }): Promise<CostReport>;
  /** What it may cost; nothing is begun. */
  estimateSpawn(request: SpawnRequest): Promise<EstimateReport>;
  /** Messages that nobody will take, the newest first. */
  deadLetters(query?: DeadLetterFilter): Promise<DeadLetter[]>;
  /** A page of what waits for a person, by id (QUESTION-PAGE-1). */
  questions(filter?: QuestionFilter): Promise<Question[]>;
  /** How many there are in all. */
  countQuestions(): Promise<number>;
  /** Whether the store has all that was written to it, by what was signed apart from it. */
  storeReport(): Promise<StoreReport>;
  /** Accepts that what is missing is lost: what is held goes on, and what it had begun is in doubt. */
  acceptStore(word: {
    by: string;
    /** Only the trees of these. */
    pids?: readonly string[];
  }): Promise<StoreReport & { released: number }>;
  /** Every tenant, its processes, what they have spent and what is left to them. */
  tenants(): Promise<TenantReport[]>;
  addTenant(name: string, setting: CeilingSetting, by: string): Promise<void>;
  /** Reaches what runs: calls that the ceiling no longer covers are stopped when it resolves. */
  setTenant(name: string, change: CeilingChange, by: string): Promise<{ stopped: number }>;
  /** Its history stays; nothing is started in it any more. */
  removeTenant(name: string, by: string): Promise<void>;
  /** Whether the ceiling of a tenant, if it has one, covers this. */
  covers(tenant: string, touch: Touch): Promise<boolean>;
  /** Takes the place of what `KernelOptions.tenants` said: all of it, or nothing. */
  configureTenants(settings: Readonly<Record<string, CeilingSetting>>): Promise<void>;
  /**
   * What the policy says to a person who does something on behalf of a process, whether or not it lives:
   * true where no rule forbids it.
   */
  policyAllows(pid: string, kind: string, verb: string): Promise<(resource: string) => boolean>;
  /** Counted are all processes, or those of one tenant. */
  status(of?: { tenant?: string }): Promise<KernelStatus>;
  /** Takes no new work, begins no call and lets those that are under way end; with what did not, in time. */
  drain(options: { withinMs: number }): Promise<InterruptedCall[]>;
  /** What runs is left where its journal is, and goes on at the next boot. */
  // After a `failure` of the store nothing more is written: the next boot is as after a crash.
  close(options?: { failure?: unknown }): Promise<void>;
}

export type { AuditFinding, AuditReport, GcReport, Question, ReplayReport } from "@aos/protocol";
