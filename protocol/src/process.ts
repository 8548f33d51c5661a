// The states of a process, and what it can wait for. operations/process.ts has its external representation.

/** The most processes that one list has; `before` the last of them is the next page. */
export const MOST_LISTED = 10_000;

/** What a run can be called. Not what could be the beginning of a pid: these have a digit or `agt_` first. */
export const RUN_NAME = /^(?!agt_)[a-z][a-z0-9._-]{0,62}$/;

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
