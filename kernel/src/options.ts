// Options: what a kernel is made of and held to. Every default is here.

import type { PolicySource } from "./api.ts";
import type {
  Manifest,
  ManifestText,
  ModelDriver,
  Program,
  ProgramDriver,
  SkillShelf,
  Tool,
  ToolShelf,
} from "@aos/protocol";

/** A manifest, and the folder that its relative `command` is read from. */
export interface AgentSource {
  readonly manifest: ManifestText | Manifest;
  readonly folder?: string;
}

export interface KernelOptions {
  /** `memory` forgets; a file is SQLite; a URL is PostgreSQL. */
  readonly store?: "memory" | { readonly file: string } | { readonly url: string };
  /** Where signed tree heads and keys are kept, apart from the database. Without it none are kept. */
  readonly auditFolder?: string;
  readonly keyFile?: string;
  /** The programs that run inside this process, by name. */
  readonly programs?: Readonly<
    Record<string, { readonly version: string; readonly run: Program } | Program>
  >;
  /** Runs the programs that manifests give as a command. */
  readonly foreign?: ProgramDriver;
  readonly tools?: readonly Tool[];
  /** Tools that come and go. */
  readonly shelf?: ToolShelf;
  readonly skills?: SkillShelf;
  readonly models?: readonly ModelDriver[];
  /** Manifests by name, for `spawn`. A program's own name is an agent too. */
  readonly agents?: (name: string) => AgentSource | undefined;
  /** What the operator rules, above any capability: the shipped policy unless said. An empty list is refused. */
  readonly policy?: readonly PolicySource[];
  /** The layers that bind processes started from a folder, beside those that bind everyone. */
  readonly layersOf?: (folder: string | undefined) => readonly string[];
  /** Seals secrets: 32 bytes as hex or base64. */
  readonly secretKey?: string;
  /** Where such a key is kept; made when it is not there. */
  readonly secretKeyFile?: string;
  /** The name that capability tokens are signed under. */
  readonly issuer?: string;
  /** Whose signed tokens count here: Ed25519 public keys, 32 bytes, by issuer. */
  readonly issuers?: Readonly<Record<string, Uint8Array>>;
  readonly limits?: Partial<Limits>;
  readonly retention?: Partial<Retention>;
  readonly approvals?: Partial<Approvals>;
  /** Waiting longer than this, a process is unloaded. */
  readonly unloadAfterMs?: number;
  /** `visible`: only calls that someone outside can see wait for the disk. `every-call`: all do. */
  readonly durability?: "visible" | "every-call";
  /** How long a lease lasts without being renewed; other nodes take over after it. */
  readonly leaseMs?: number;
  readonly node?: string;
  /** Told of what goes wrong outside any call: a lost lease, a failed publication. */
  readonly onTrouble?: (what: string, error: unknown) => void;
}

export interface Limits {
  /** How many spawns deep a process may be below the one that an operator started; 30 at most. */
  readonly spawnDepth: number;
  /** Living processes in one tree. */
  readonly treeProcesses: number;
  /** Messages waiting in one mailbox. */
  readonly mailboxDepth: number;
  /** Calls of one process that are under way at once. */
  readonly pendingCalls: number;
  readonly argumentBytes: number;
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
}

export const defaultLimits: Limits = {
  spawnDepth: 5,
  treeProcesses: 100,
  mailboxDepth: 10_000,
  pendingCalls: 1000,
  argumentBytes: 16 * 1024 * 1024,
  denialsPerMinute: 100,
};

export const defaultApprovals: Approvals = {
  expiresMs: 86_400_000,
  perHour: 60,
  openPerProcess: 20,
  channels: {},
};

export const defaultRetention: Retention = {
  maxAgeMs: 30 * 86_400_000,
  maxRuns: 1000,
  maxBytes: 256 * 1024 * 1024,
};
