// Options: what a kernel is made of and held to. Every default is here.

import type { Rule } from "./policy/policy.ts";
import type {
  Manifest,
  ManifestText,
  ModelDriver,
  Program,
  ProgramDriver,
  Tool,
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
  readonly models?: readonly ModelDriver[];
  /** Manifests by name, for `spawn`. A program's own name is an agent too. */
  readonly agents?: (name: string) => AgentSource | undefined;
  /** What the operator rules, above any capability. An empty list is refused. */
  readonly policy?: readonly Rule[];
  readonly limits?: Partial<Limits>;
  readonly retention?: Partial<Retention>;
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
};

export const defaultRetention: Retention = {
  maxAgeMs: 30 * 86_400_000,
  maxRuns: 1000,
  maxBytes: 256 * 1024 * 1024,
};
