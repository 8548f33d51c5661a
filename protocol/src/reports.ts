// Reports: what the operator's questions are answered with. The kernel makes them; the HTTP API and
// the command line show them as they are.

import type { ProcessId } from "./ids.ts";
import type { ProcessState } from "./process.ts";

export interface ReplayReport {
  readonly pid: ProcessId;
  readonly records: number;
  readonly identical: boolean;
  /** The first difference, where there is one. */
  readonly difference: {
    readonly seq: number;
    readonly recorded: string;
    readonly replayed: string;
  } | null;
}

export interface AuditFinding {
  readonly kind: "changed" | "missing" | "reordered" | "truncated" | "log" | "blob";
  readonly pid: string | null;
  readonly seq: number | null;
  readonly message: string;
}

export interface AuditReport {
  readonly ok: boolean;
  readonly processes: number;
  readonly records: number;
  /** The number of chain heads under the signed tree head. */
  readonly logged: number;
  readonly findings: readonly AuditFinding[];
}

export interface GcReport {
  readonly dryRun: boolean;
  readonly compacted: number;
  readonly recordsRemoved: number;
  readonly bytesFreed: number;
  readonly kept: number;
}

/** Something that a process waits for a person to answer. */
export interface Question {
  readonly id: string;
  readonly pid: ProcessId;
  readonly kind: "question" | "doubt" | "policy";
  readonly question: string;
  readonly choices: readonly string[];
  readonly digest: string;
  readonly askedAt: string;
  readonly expiresAt: string | null;
}

/** Who answers on a socket; also what `$AOS_HOME/daemon.json` says. */
export interface DaemonInfo {
  readonly pid: number;
  readonly version: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly socket: string;
}

export interface StatusReport {
  readonly daemon: { readonly pid: number; readonly version: string; readonly startedAt: string };
  /** The HTTP address; null while it listens on its socket only. */
  readonly url: string | null;
  readonly socket: string;
  readonly home: string;
  readonly store: string;
  readonly node: string;
  /** Processes in memory; the others are rows. */
  readonly loaded: number;
  readonly states: Readonly<Partial<Record<ProcessState, number>>>;
}
