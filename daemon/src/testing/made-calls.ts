// Made calls: what the processes of a test did, from their journals.
//
// TESTING-DEEDS-1  A call counts once, in the order in which it was made, whatever came of it.

import type { FailureText, Json, JournalRecord, Outcome } from "@aos/protocol";

export interface ObservedCall {
  readonly pid: string;
  /** Its number among the calls of its process. */
  readonly n: number;
  readonly call: string;
  /** The tool, of an `exec`. */
  readonly tool: string | null;
  /** Of an `exec`, what the tool is given. */
  readonly args: Json;
  readonly outcome: "ok" | "failed" | "refused" | "unfinished";
  readonly error: FailureText | null;
  /** The rule that refused it, as far as that is known. */
  readonly rule: string | null;
  readonly ok: Json | undefined;
  readonly at: number;
}

const REFUSALS: ReadonlySet<string> = new Set([
  "EACCES",
  "EPOLICY",
  "EDENIED",
  "EBUDGET",
  "EVELOCITY",
]);

/** Whether it was the gate that said no, and not who did the work. */
export const isRefusal = ({ code, detail }: FailureText): boolean =>
  REFUSALS.has(code) ||
  (code === "EAGAIN" && typeof detail === "object" && detail !== null && "check" in detail);

/** What each process of a tree did, in the order of time. */
export const callsMade = (
  journals: readonly (readonly [string, readonly JournalRecord[]])[],
): ObservedCall[] =>
  journals
    .flatMap(([pid, records]) => callsIn(pid, records))
    .toSorted((one, other) => one.at - other.at || (one.pid === other.pid ? one.n - other.n : 0));

/** TESTING-DEEDS-1. */
function callsIn(pid: string, records: readonly JournalRecord[]): ObservedCall[] {
  const madeCalls = new Map<number, ObservedCall>();
  for (const record of records) {
    if (record.kind === "call") {
      madeCalls.set(record.n, madeCallOf(pid, record, record));
    } else if (record.kind === "intent") {
      if (!madeCalls.has(record.n)) madeCalls.set(record.n, madeCallOf(pid, record, undefined));
    } else if (record.kind === "outcome") {
      const begun = madeCalls.get(record.n);
      if (begun !== undefined) madeCalls.set(record.n, { ...begun, ...cameTo(record) });
    }
  }
  // The record of a call that took long comes late; it was made before the calls after it.
  let soonest = Infinity;
  return [...madeCalls.values()]
    .toSorted((one, other) => other.n - one.n)
    .map((madeCall) => ({ ...madeCall, at: (soonest = Math.min(soonest, madeCall.at)) }))
    .reverse();
}

type Begun = Extract<JournalRecord, { kind: "call" | "intent" }>;

function madeCallOf(pid: string, begun: Begun, outcome: Outcome | undefined): ObservedCall {
  const { n, call, at } = begun;
  const given = begun.args as { tool?: string; args?: Json } | null;
  const isExec = call === "exec";
  return {
    pid,
    n,
    call,
    at,
    tool: isExec ? (given?.tool ?? null) : null,
    args: isExec ? (given?.args ?? null) : begun.args,
    ...(outcome === undefined
      ? { outcome: "unfinished" as const, error: null, rule: null, ok: undefined }
      : cameTo(outcome)),
  };
}

function cameTo({ ok, err }: Outcome): Pick<ObservedCall, "outcome" | "error" | "rule" | "ok"> {
  if (err === undefined) return { outcome: "ok", error: null, rule: null, ok };
  const { rule } = (err.detail ?? {}) as { rule?: string };
  const outcome = isRefusal(err) ? "refused" : "failed";
  return { outcome, error: err, rule: rule ?? null, ok: undefined };
}
