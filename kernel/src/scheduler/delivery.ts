// ResultDelivery: delivers the result of a call to its program. The record is appended; the program receives it at
// once or, with `durability: every-call`, when it is durable.

import type { Delivery as Outcome, FailureText, Json } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { PendingCall, Process } from "../process/process.ts";
import type { Boundary } from "./boundary.ts";

interface Parts {
  readonly journal: Journal;
  readonly boundary: Boundary;
  /** It has something to be told. */
  readonly ready: (process: Process) => void;
  /** Every call waits for the disk. */
  readonly everyCall: boolean;
}

type CallResult = { readonly ok: Json } | { readonly err: FailureText };
type Answer = Extract<Outcome, { kind: "answer" }>;

export class ResultDelivery {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  deliver(process: Process, { id }: PendingCall, settled: CallResult): void {
    const { journal, ready, everyCall } = this.#parts;
    const what: Answer =
      "ok" in settled
        ? { kind: "answer", id, ok: settled.ok }
        : { kind: "answer", id, err: settled.err };
    const entry = { what, seq: process.seq, ready: !everyCall };
    process.outbox.push(entry);
    this.cross(process);
    if (!everyCall) return ready(process);
    journal.whenDurable((failed) => {
      if (failed !== undefined) return;
      entry.ready = true;
      ready(process);
    });
  }

  /** It is at a boundary: signals that wait for that reach it. */
  cross(process: Process): void {
    if (process.finishing !== null || process.signals.length > 0)
      this.#parts.boundary.cross(process);
  }
}
