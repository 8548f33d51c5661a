// Recorded calls: the calls of a recorded run as the gate saw them: touches, label and holdings at that time. Used
// for backtests, for explaining verdicts and for finding the power that was used.
//
// RECORDED-CALLS-1  Nothing is changed or charged: the process that is rebuilt here is discarded.
// RECORDED-CALLS-2  A call that can no longer be described (a removed tool) is reported as such, not guessed.

import type { CallRecord, FailureText, Json, Label, OutcomeRecord, Touch } from "@aos/protocol";
import { decideAny, type CapabilityKind } from "../capability/index.ts";
import type { Devices } from "../device/devices.ts";
import { argumentsOf, decodeArgs } from "../journal/codec.ts";
import { join, readLabel } from "../label/label.ts";
import type { Subject } from "../policy/index.ts";
import type { AccountRegistry } from "../process/accounts.ts";
import type { BlockRegistry } from "../process/blocks.ts";
import { loadProcess } from "../process/load.ts";
import { recordsFrom } from "../process/recorded-state.ts";
import { narrowAgain } from "../process/narrowing.ts";
import type { Manifests } from "../process/manifests.ts";
import type { Process } from "../process/process.ts";
import type { Store } from "../store/contract.ts";
import type { ListedProcess, ProcessRow } from "../store/rows.ts";
import { describe, type Action } from "../syscall/action.ts";
import { NO_FACTS, type CallFacts } from "../syscall/facts.ts";
import { argsOf, subjectOf } from "../syscall/subject.ts";

export interface RecordedParts {
  readonly store: Store;
  readonly blocks: BlockRegistry;
  readonly accounts: AccountRegistry;
  readonly manifests: Manifests;
  readonly devices: Devices;
  readonly find: (process: Process, pid: string) => Promise<ProcessRow>;
}

export interface RecordedCall {
  readonly seq: number;
  /** The record that says what it came to: the same one, where it is not two. */
  readonly settledSeq: number;
  readonly n: number;
  readonly at: number;
  readonly call: string;
  readonly args: Json;
  /** What had been read before. */
  readonly label: Label;
  /** Undefined for what cannot be described any more. */
  readonly action: Action | undefined;
  readonly subject: Subject | undefined;
  /** All that it touched, what it found while it ran included. */
  readonly touches: readonly Touch[];
  readonly err: FailureText | undefined;
  readonly verdict: string | undefined;
  readonly process: Process;
}

type Settled = {
  readonly err?: FailureText;
  readonly label?: string;
  readonly verdict?: string;
  readonly also?: readonly (readonly [string, string, string])[];
};

export async function* recordedCalls(
  parts: RecordedParts,
  row: ListedProcess,
): AsyncGenerator<RecordedCall> {
  const { store } = parts;
  const process = await loadProcess(parts, row.key);
  const fetch = (digest: string) => store.blob(row.tenant, digest);
  const begun = new Map<number, { call: string; args: Json; seq: number; at: number }>();
  process.label = row.spec.label;
  for (const record of await recordsFrom(store, row.key, 0)) {
    if (record.kind === "restart") narrowAgain(process, record);
    if (record.kind === "restart" && record.label !== undefined)
      process.label = join(process.label, readLabel(record.label));
    if (record.kind === "intent") {
      const args = await decodeArgs(record.args, fetch);
      begun.set(record.n, { call: record.call, args, seq: record.seq, at: record.at });
    }
    if (record.kind === "outcome") {
      const first = begun.get(record.n);
      if (first !== undefined)
        yield pastCall(parts, process, { ...first, n: record.n, settledSeq: record.seq }, record);
      follow(process, record);
    }
    if (record.kind === "call") {
      const { call, n, seq, at } = record;
      const args = await argumentsOf(record, fetch);
      yield pastCall(parts, process, { call, n, seq, settledSeq: seq, at, args }, record);
      follow(process, record);
    }
  }
}

function follow(process: Process, record: CallRecord | OutcomeRecord): void {
  if (record.label !== undefined) process.label = readLabel(record.label);
  narrowAgain(process, record);
}

async function pastCall(
  parts: RecordedParts,
  process: Process,
  recorded: Pick<RecordedCall, "call" | "n" | "seq" | "settledSeq" | "at" | "args">,
  settled: Settled,
): Promise<RecordedCall> {
  const action = await describeAgain(parts, process, recorded);
  const also = (settled.also ?? []).map(([kind, resource, verb]) => ({ kind, resource, verb }));
  const pinned = action !== undefined && isPinned(process, action, recorded.at);
  const judged = { pinned, atMs: recorded.at, isBegun: true };
  return {
    ...recorded,
    label: process.label,
    action,
    subject: action === undefined ? undefined : subjectOf(process, action, judged),
    touches: [...(action?.touches ?? []), ...also],
    err: settled.err,
    verdict: settled.verdict,
    process,
  };
}

async function describeAgain(
  { devices, find }: RecordedParts,
  process: Process,
  { call, args }: { call: string; args: Json },
): Promise<Action | undefined> {
  try {
    const { pid, to } = (args ?? {}) as { pid?: unknown; to?: unknown };
    const other = typeof to === "string" ? to : pid;
    const facts: CallFacts =
      typeof other === "string" && other.startsWith("agt_")
        ? { target: await find(process, other) }
        : NO_FACTS;
    return describe({ name: call as never, args }, process, devices, facts);
  } catch {
    return undefined; // RECORDED-CALLS-2
  }
}

function isPinned(process: Process, action: Action, atMs: number): boolean {
  return action.touches.some((touch) => {
    const decision = decideAny(process.holdings, accessTo(touch, action), atMs);
    return decision.allow && decision.pinned;
  });
}

/** What was asked of the capabilities for a touch: it was begun then, and uses up nothing now. */
export const accessTo = (touch: Touch, action: Action) => ({
  ...touch,
  kind: touch.kind as CapabilityKind,
  args: argsOf(action) as never,
  cost: action.worst,
  isBegun: true,
});
