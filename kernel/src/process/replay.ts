// Replay: the part of a journal that a restarted program has not reached yet. Answers are delivered in recorded
// order.
//
// REPLAY-1  A call is answered by the record with its number, and only if name and arguments are identical; otherwise
//     REPLAY_DIVERGED names both.
// REPLAY-2  A call with an intent and no outcome is passed on with its intent: it is in doubt.

import { SysError, type IntentRecord, type JournalRecord, type SignalRecord } from "@aos/protocol";
import type { PendingCall } from "./process.ts";

type Answered = Extract<JournalRecord, { kind: "call" | "outcome" }>;

export type ReplayStep =
  | { readonly kind: "answer"; readonly record: Answered; readonly call: PendingCall }
  | { readonly kind: "signal"; readonly record: SignalRecord }
  /** The program has not made the call that comes next. */
  | { readonly kind: "behind" }
  | { readonly kind: "done" };

export class Replay {
  readonly #records: readonly JournalRecord[];
  #next = 0;
  readonly intents = new Map<number, IntentRecord>();

  constructor(records: readonly JournalRecord[]) {
    this.#records = records;
  }

  /** What comes next for a program that has made `issued` calls, of which `pending` wait. */
  step(pending: ReadonlyMap<number, PendingCall>, issued: number): ReplayStep {
    for (; this.#next < this.#records.length; this.#next++) {
      const record = this.#records[this.#next]!;
      if (record.kind === "call" || record.kind === "intent") {
        const call = pending.get(record.n);
        if (call === undefined) return { kind: "behind" };
        mustBeSame(call, record.call, JSON.stringify(record.args), record.seq);
        if (record.kind === "call") return { kind: "answer", record, call };
        this.intents.set(record.n, record);
      } else if (record.kind === "outcome") {
        const call = pending.get(record.n);
        if (call === undefined) return { kind: "behind" };
        this.intents.delete(record.n);
        return { kind: "answer", record, call };
      } else if (record.kind === "signal") {
        if (issued < record.issued) return { kind: "behind" };
        return { kind: "signal", record };
      }
      // start, fork, crash, restart: nothing that a program is told
    }
    return { kind: "done" };
  }

  advance(): void {
    this.#next++;
  }

  /** The program did something else than the journal has next. */
  divergedInto(asked: string): SysError {
    return diverged(this.#expected, asked, this.#records[this.#next]?.seq);
  }

  get #expected(): string {
    const record = this.#records[this.#next];
    if (record === undefined) return "nothing more";
    if (record.kind === "call" || record.kind === "intent")
      return `${record.call} ${JSON.stringify(record.args)} (record ${record.seq})`;
    return `${record.kind} (record ${record.seq})`;
  }

  /** Nothing is left that a program would have to do or be told. */
  get isDone(): boolean {
    return !this.#records
      .slice(this.#next)
      .some((record) => isTold(record) || record.kind === "intent");
  }
}

const isTold = (record: JournalRecord): boolean =>
  record.kind === "call" || record.kind === "outcome" || record.kind === "signal";

function mustBeSame(call: PendingCall, name: string, args: string, seq: number): void {
  if (call.name === name && call.text === args) return;
  throw diverged(`${name} ${args} (record ${seq})`, `${call.name} ${call.text}`, seq);
}

/** `seq` is the record that the program did not come to. */
export function diverged(recorded: string, asked: string, seq?: number): SysError {
  const short = (text: string) => (text.length > 500 ? `${text.slice(0, 500)}…` : text);
  return new SysError(
    "REPLAY_DIVERGED",
    `the journal has ${short(recorded)}, but the program asked for ${short(asked)}`,
    {
      hint: "a program must be deterministic between calls: time, randomness and ids come from sys; was it changed since?",
      ...(seq === undefined ? {} : { detail: { record: seq } }),
    },
  );
}
