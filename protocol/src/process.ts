// What the outside sees of a process.

import type { ProcessId } from "./ids.ts";
import type { Json } from "./json.ts";
import type { Label } from "./label.ts";
import type { FailureText } from "./failures.ts";
import type { Lane } from "./lane.ts";

/** The most processes that one list has; `before` the last of them is the next page. */
export const MOST_LISTED = 10_000;

export const liveStates = ["pending", "running", "waiting", "paused"] as const;
export const endStates = ["completed", "failed", "killed"] as const;
export const processStates = [...liveStates, ...endStates] as const;

export type EndState = (typeof endStates)[number];
export type ProcessState = (typeof processStates)[number];

export const waitKinds = [
  "model",
  "tool",
  "message",
  "child",
  "approval",
  "timer",
  "slot",
] as const;
export type WaitKind = (typeof waitKinds)[number];

export const isEnded = (state: ProcessState): state is EndState =>
  state === "completed" || state === "failed" || state === "killed";

export interface ProcessInfo {
  readonly pid: ProcessId;
  readonly agent: string;
  readonly state: ProcessState;
  readonly waitingOn: WaitKind | null;
  readonly parent: ProcessId | null;
  readonly exitCode: number | null;
  readonly costUsd: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly lane: Lane;
  /** ISO 8601. */
  readonly deadline: string | null;
  /** Why it does not run although nobody paused it: the store has lost something of it. */
  readonly held?: string;
}

export interface Spend {
  readonly usd: number;
  readonly tokens: number;
  readonly toolCalls: number;
}

export interface ProcessDetail extends ProcessInfo {
  /** Its place in the queue, 1 for the next to begin; null when it does not wait for its turn. */
  readonly place: number | null;
  /** What its task may still take, where something was said. */
  readonly ttl: {
    readonly hops: number | null;
    /** ISO 8601: when its whole tree must have ended. */
    readonly expiresAt: string | null;
  };
  readonly tenant: string;
  readonly program: string;
  readonly programVersion: string;
  readonly manifestHash: string;
  readonly depth: number;
  readonly labels: Label;
  readonly budget: { readonly limit: Budget; readonly spent: Spend };
  readonly output: Json;
  readonly error: FailureText | null;
  readonly records: number;
  readonly head: string;
  readonly compacted: boolean;
  /** What `/work` is for its tree; `folder` is null where it is one of its own. */
  readonly workspace: {
    readonly tree: string;
    readonly folder: string | null;
    readonly isCow: boolean;
  };
  readonly forkedFrom: { readonly pid: ProcessId; readonly at: number } | null;
}

export interface Budget {
  readonly usd?: number;
  readonly tokens?: number;
  readonly toolCalls?: number;
  readonly wallMs?: number;
}

/** What `wait` answers: how a process ended. */
export interface Ending {
  readonly pid: ProcessId;
  readonly state: ProcessState;
  readonly exitCode: number | null;
  readonly output: Json;
  readonly error: FailureText | null;
}
