// Api: what the kernel does for those who stand outside it: the daemon, a test, a program that embeds
// it. Everything here is on behalf of the operator; programs have only their system calls.

import type {
  AuditReport,
  GcReport,
  Question,
  ReplayReport,
  Budget,
  Ending,
  Json,
  JournalRecord,
  Manifest,
  ManifestText,
  ProcessDetail,
  ProcessId,
  ProcessInfo,
  ProcessState,
  SignalName,
} from "@aos/protocol";

export interface SpawnRequest {
  /** The name of an agent or program that the kernel knows; or the manifest itself. */
  readonly agent?: string;
  readonly manifest?: ManifestText | Manifest;
  readonly input?: Json;
  /** Narrows the manifest's; every one of both must allow. */
  readonly capabilities?: readonly string[];
  readonly budget?: Budget;
  readonly tenant?: string;
  /** Where a relative `command` is read from. */
  readonly folder?: string;
}

export interface ListFilter {
  readonly tenant?: string;
  readonly states?: readonly ProcessState[];
  readonly parent?: ProcessId;
  /** Those born before this one; newest first. */
  readonly before?: ProcessId;
  readonly limit?: number;
}

export interface KernelStatus {
  readonly node: string;
  readonly store: string;
  readonly loaded: number;
  readonly states: Readonly<Partial<Record<ProcessState, number>>>;
}

export interface Kernel {
  spawn(request: SpawnRequest): Promise<ProcessId>;
  list(filter?: ListFilter): Promise<ProcessInfo[]>;
  show(pid: string): Promise<ProcessDetail>;
  /** Resolves when the process has ended, or at the time-out with the state it is in. */
  wait(pid: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<Ending>;
  journal(pid: string, options?: { after?: number; limit?: number }): Promise<JournalRecord[]>;
  /** The records as they become durable, to the end of the process. */
  watch(
    pid: string,
    options?: { after?: number; signal?: AbortSignal },
  ): AsyncIterable<JournalRecord>;
  signal(pid: string, signal: SignalName): Promise<void>;
  send(pid: string, body: Json, options?: { type?: string }): Promise<string>;
  replay(pid: string): Promise<ReplayReport>;
  /** A new process that shares the history up to and with record `at` (default: all of it before the end). */
  fork(pid: string, options?: { at?: number }): Promise<ProcessId>;
  /** A new process that shares the history before call `from` (default: the last that failed) and makes it again, or takes `result` for it. */
  retry(pid: string, options?: { from?: number; result?: Json }): Promise<ProcessId>;
  verify(): Promise<AuditReport>;
  collect(options?: { dryRun?: boolean }): Promise<GcReport>;
  questions(): Promise<Question[]>;
  answer(id: string, answer: { by: string; choice: string; text?: string }): Promise<void>;
  /** What an abnormal end left, or undefined. */
  coreDump(pid: string): Promise<Json | undefined>;
  status(): Promise<KernelStatus>;
  /** Stops cleanly: what runs is left where its journal is, and goes on at the next boot. */
  close(): Promise<void>;
}

export type { AuditFinding, AuditReport, GcReport, Question, ReplayReport } from "@aos/protocol";
