// Options: the configuration of a kernel, with every default.

import type { PolicySource } from "./api.ts";
import type {
  ArchivedRun,
  CeilingSetting,
  Json,
  Manifest,
  ManifestText,
  EmbeddingDriver,
  HintBroker,
  ListFolder,
  ModelDriver,
  MountProvider,
  Program,
  ProgramDriver,
  RunInspector,
  SkillProvider,
  Tool,
  ToolProvider,
} from "@aos/protocol";

/** A manifest, and the folder that its relative `command` is read from. */
export interface AgentSource {
  readonly manifest: ManifestText | Manifest;
  readonly folder?: string;
}

/** A program whose versions are told apart. */
export interface VersionedProgram {
  readonly version: string;
  readonly run: Program;
  /**
   * Those that came before, by version: what began under one goes on under it. Where this is given, a run
   * of a version that is not here is parked; otherwise it is tried with the one that is.
   */
  readonly earlier?: Readonly<Record<string, Program>>;
}

export interface KernelOptions {
  /** `memory` forgets; a file is SQLite; a URL is PostgreSQL. */
  readonly store?:
    | "memory"
    | { readonly file: string }
    /** `hints` carries what nodes tell each other; without it the database does. */
    | { readonly url: string; readonly hints?: HintBroker };
  /** Where signed tree heads and keys are kept, apart from the database. Without it none are kept. */
  readonly auditFolder?: string;
  readonly keyFile?: string;
  /** The programs that run inside this process, by name. */
  readonly programs?: Readonly<Record<string, VersionedProgram | Program>>;
  /** Runs the programs that manifests give as a command. */
  readonly foreign?: ProgramDriver;
  readonly tools?: readonly Tool[];
  /** Tools that come and go. */
  readonly toolProvider?: ToolProvider;
  readonly skills?: SkillProvider;
  /** What is below /mnt. */
  readonly mounts?: MountProvider;
  /** Looks at the files that a call names before a person is asked about it. Without it none are. */
  readonly inspector?: RunInspector;
  readonly models?: readonly ModelDriver[];
  /** Turns texts of memory into vectors, for search by meaning. Without it memory is searched by words. */
  readonly embeddings?: EmbeddingDriver;
  /** The most that they may cost in a day, where the driver has a price; 1 unless said. */
  readonly embeddingsUsdPerDay?: number;
  /** Models that come and go with the configuration. */
  readonly modelSource?: ModelSource;
  /** How places at models are shared out; read at every request. */
  readonly slots?: () => SlotRules;
  /** Budgets wider than a run, and how fast money may go. */
  readonly budgets?: readonly SharedBudget[];
  readonly velocity?: readonly Velocity[];
  readonly admission?: Partial<Admission>;
  /** Manifests by name, for `spawn`. A program's own name is an agent too. */
  readonly agents?: (name: string) => AgentSource | undefined;
  /** What the operator rules, above any capability: the shipped policy unless said. An empty list is refused. */
  readonly policy?: readonly PolicySource[];
  /** The layers that bind processes started from a folder, beside those that bind everyone. */
  readonly layersOf?: (folder: string | undefined) => readonly string[];
  /** The real path of a workspace's folder: one folder by two names has one set of marks. */
  readonly realFolder?: (folder: string) => Promise<string>;
  /** Seals secrets: 32 bytes as hex or base64. */
  readonly secretKey?: string;
  /** Where such a key is kept; made when it is not there. */
  readonly secretKeyFile?: string;
  /** The name that capability tokens are signed under. */
  readonly issuer?: string;
  /** Whose signed tokens count here: Ed25519 public keys, 32 bytes, by issuer. */
  readonly issuers?: Readonly<Record<string, Uint8Array>>;
  /** Tenants beside `default`, and their ceilings. What is said here counts before what is stored. */
  readonly tenants?: Readonly<Record<string, CeilingSetting>>;
  /** Settings that are kept outside the store and count only as far as the ledger has them. */
  readonly ledgerBacked?: readonly LedgerBacked[];
  readonly limits?: Partial<Limits>;
  readonly retention?: Partial<Retention>;
  /** Tidies the memory of agents from time to time; without it only when somebody asks. */
  readonly tidying?: TidySettings;
  /** Where runs go that are beyond the retention; without it they are compacted, and later removed. */
  readonly archive?: RunArchive;
  readonly approvals?: Partial<Approvals>;
  /** Clocks and chance, where a test brings its own. */
  readonly platform?: Platform;
  /** Waiting longer than this, a process is unloaded. */
  readonly unloadAfterMs?: number;
  /** `visible`: only calls that someone outside can see wait for the disk. `every-call`: all do. */
  readonly durability?: "visible" | "every-call";
  /** How long a lease lasts without being renewed; other nodes take over after it. */
  readonly leaseMs?: number;
  /** How long the background check of the store rests at least between two processes. */
  readonly patrolRestMs?: number;
  /** Lists the folders that schedules watch; without it none starts anything. */
  readonly listFolder?: ListFolder;
  /** How long the kernel rests at most between two looks at its schedules. */
  readonly scheduleLookMs?: number;
  readonly node?: string;
  /** A node of which nothing is alive: what it held is taken over at once, not when its lease ends. */
  readonly formerNode?: string;
  /** Told of what goes wrong outside any call: a lost lease, a failed publication. */
  readonly onTrouble?: (what: string, error: unknown) => void;
}

export interface LatestEntry {
  readonly what: string;
  readonly detail: Json;
  /** In milliseconds since 1970; `since` is the time of the entry before it on the same subject, or 0. */
  readonly at: number;
  readonly since: number;
}

/** What the ledger says last of each subject. */
export interface LatestEntries {
  readonly subjects: readonly string[];
  of(subject: string): LatestEntry | undefined;
  /** Why the last word cannot be relied on; undefined where it can. */
  doubtOf(subject: string): string | undefined;
}

export interface LedgerBacked {
  /** The entries of the ledger that are about it. */
  readonly kinds: readonly string[];
  readonly subjectOf: (detail: Json) => string;
  /**
   * Compares what is kept with the ledger: before any process is loaded, when a loss of the store was
   * accepted, and at each audit. Answers what does not fit. Without words no log is kept.
   */
  readonly compare: (words: LatestEntries | undefined) => readonly string[];
}

/** The drivers of models that are there now. */
export interface ModelSource {
  driver(provider: string): ModelDriver | undefined;
  providers(): readonly string[];
}

/** What a provider, or one model, is held to and falls back on. */
export interface ModelRule {
  readonly concurrency?: number;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  /** Models to use in its place when it fails, in this order. */
  readonly fallback?: readonly string[];
  /** Tries after the first; 3 unless said. */
  readonly retries?: number;
  /** A second request is made when the first is not answered by then. Never unless said. */
  readonly hedgeAfterMs?: number;
  /** So many failures in a row keep everybody away for so long. */
  readonly breaker?: { readonly failures: number; readonly coolMs: number };
}

export interface SlotRules {
  readonly providers: Readonly<Record<string, ModelRule>>;
  readonly models: Readonly<Record<string, ModelRule>>;
  /** How much of what is scarce a tenant gets beside others; 1 unless said. */
  readonly tenants: Readonly<Record<string, { readonly weight: number }>>;
  /** The most requests that wait for one model; 10,000 unless said. */
  readonly queue?: number;
}

/** The only clock and the only randomness of a kernel (platform/clock.ts). */
export interface Platform {
  /** Milliseconds since 1970 by the steady clock: what all that lasts, waits or expires goes by. */
  now(): number;
  /** The same by the machine's clock, as it is set now: the time of day. */
  wall(): number;
  /** The steady clock is not behind this time from now on. */
  notBefore(ms: number): void;
  random(): number;
  bytes(count: number): Uint8Array;
}

/** What all runs of an agent, of a tenant, or all together may use up. */
export interface SharedBudget {
  readonly scope: "agent" | "tenant" | "total";
  /** The agent or the tenant; each one has its own where no name is given. */
  readonly name?: string;
  readonly per: "hour" | "day" | "month" | "ever";
  readonly usd?: number;
  readonly tokens?: number;
  readonly toolCalls?: number;
}

/** A brake: no more money than this within so long. */
export interface Velocity {
  readonly scope: "tenant" | "total";
  readonly name?: string;
  readonly usd: number;
  readonly withinMs: number;
}

export interface Admission {
  /** Trees that run at once; the others wait their turn. */
  readonly running: number;
  /** The most that wait to begin, of one tenant and of all. */
  readonly queuedPerTenant: number;
  readonly queued: number;
}

export const defaultAdmission: Admission = {
  running: 10_000,
  queuedPerTenant: 10_000,
  queued: 100_000,
};

export const defaultEmbeddings = { usdPerDay: 1 } as const;

/** How long a process waits before it leaves memory, and a lease lasts that nobody renews. */
export const defaultTimes = {
  unloadAfterMs: 10_000,
  leaseMs: 10_000,
  patrolRestMs: 1000,
  scheduleLookMs: 1000,
} as const;

/** The most requests that wait for one model. */
export const DEFAULT_QUEUE = 10_000;

export interface Limits {
  /** How many spawns deep a process may be below the one that an operator started; 30 at most. */
  readonly spawnDepth: number;
  /** Living processes in one tree. */
  readonly treeProcesses: number;
  /** Messages waiting in one mailbox. */
  readonly mailboxDepth: number;
  /** Messages that nobody will take: so many of a tenant are kept, for so long. */
  readonly deadLetters: number;
  readonly deadLetterMs: number;
  /** Calls of one process that are under way at once. */
  readonly pendingCalls: number;
  readonly argumentBytes: number;
  /** Long-term memory of one agent: files, and the bytes of their paths and data. */
  readonly spaceBytes: number;
  readonly spaceFiles: number;
  /** The same of a tenant: shared, and of all of its agents. */
  readonly memoryBytes: number;
  readonly memoryFiles: number;
  /** Refusals in a minute after which a process is taken for one that probes, and ended. */
  readonly denialsPerMinute: number;
}

/** A group of people that a rule or a program can ask. */
export interface Channel {
  readonly people: readonly string[];
  /** How many of them must say yes; 1 unless said. */
  readonly quorum?: number;
}

export interface Approvals {
  /** An approval that nobody gave for so long is a no. */
  readonly expiresMs: number;
  /** New questions of a tenant within an hour. */
  readonly perHour: number;
  /** Questions of one process that are open at once. */
  readonly openPerProcess: number;
  readonly channels: Readonly<Record<string, Channel>>;
}

export interface Retention {
  /** Finished runs older than this are compacted. */
  readonly maxAgeMs: number;
  /** Only so many finished runs keep their whole history. */
  readonly maxRuns: number;
  /** Only so many bytes of finished history are kept. */
  readonly maxBytes: number;
  /** Only so many compacted runs keep their result: the rows of older ones are removed. */
  readonly maxResults: number;
}

/** Where runs go that leave the store. */
export interface RunArchive {
  /** Resolves once these runs are durable there, and were read back and compared. */
  keep(batch: ArchiveBatch): Promise<ArchivedBundle>;
  /** Those of these runs that it has. */
  has(tenant: string, pids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Runs of one tenant that leave the store together. */
export interface ArchiveBatch {
  readonly tenant: string;
  readonly runs: readonly Omit<ArchivedRun, "bundle">[];
  /** Makes a SQLite file with all that a replay of them reads. */
  readonly write: (file: string) => Promise<{ readonly runs: number; readonly records: number }>;
  /** Throws ECORRUPT where such a file has not the same bytes as the store. */
  readonly compare: (file: string) => Promise<void>;
  /** By the key of the signed log; null where there is none. */
  readonly sign: (text: string) => string | null;
  readonly signer: string | null;
}

export interface ArchivedBundle {
  /** Within the folder of the archive. */
  readonly bundle: string;
  readonly sha256: string;
}

export const defaultLimits: Limits = {
  spawnDepth: 5,
  treeProcesses: 100,
  mailboxDepth: 10_000,
  deadLetters: 1000,
  deadLetterMs: 7 * 86_400_000,
  pendingCalls: 1000,
  argumentBytes: 16 * 1024 * 1024,
  spaceBytes: 64 * 1024 * 1024,
  spaceFiles: 100_000,
  memoryBytes: 4 * 1024 ** 3,
  memoryFiles: 2_000_000,
  denialsPerMinute: 100,
};

export const defaultApprovals: Approvals = {
  expiresMs: 86_400_000,
  perHour: 60,
  openPerProcess: 20,
  channels: {},
};

/** Facts replaced, and episodes written, longer ago are tidied. */
export const DEFAULT_TIDY_AFTER_MS = 30 * 86_400_000;

/** How memory is tidied by itself: how often, and what goes (operator/tidy.ts). */
export interface TidySettings {
  readonly everyMs: number;
  readonly olderThanMs?: number | undefined;
  readonly maxAgeMs?: number | undefined;
  readonly maxRows?: number | undefined;
}

export const defaultRetention: Retention = {
  maxAgeMs: 30 * 86_400_000,
  maxRuns: 1000,
  maxBytes: 256 * 1024 * 1024,
  maxResults: 100_000,
};
