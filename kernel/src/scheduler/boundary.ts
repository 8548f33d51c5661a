// Boundary: where signals reach a program: at every call and every result; a waiting process is always at it.
//
// BOUNDARY-1  A delivered signal is a record, written in the transaction that takes it.
// BOUNDARY-2  A signal that ends a process needs nothing from its program. For all others a replaying program is
//     waited for, since its handlers are known only afterwards.

import {
  type Delivery as Outcome,
  exitCodes,
  signals as signalTable,
  type FailureText,
  type Json,
  type SignalName,
  type SignalRecord,
} from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import { plainText } from "../journal/record-text.ts";
import type { Platform } from "../platform/clock.ts";
import type { PendingCall, Process } from "../process/process.ts";
import { signalTold } from "../process/budget-notice.ts";
import { dispositionOf, interrupts, problemWith, reachesPaused } from "../signal/disposition.ts";
import type { SignalRow } from "../store/rows.ts";
import type { Write } from "../store/contract.ts";
import type { ProcessEndings } from "./endings.ts";

export class Boundary {
  readonly #journal: Journal;
  readonly #platform: Platform;
  readonly #endings: ProcessEndings;
  /** Told when there is something to deliver or to go on with. Set by the kernel. */
  onReady: (process: Process) => void = () => {};
  onContinue: (process: Process) => void = () => {};

  constructor(parts: { journal: Journal; platform: Platform; endings: ProcessEndings }) {
    this.#journal = parts.journal;
    this.#platform = parts.platform;
    this.#endings = parts.endings;
  }

  /** A signal came for a process that is in memory. */
  arrive(process: Process, signal: SignalRow): void {
    if (process.ended || process.delivered.has(signal.key)) return;
    if (process.signals.some((known) => known.key === signal.key)) return;
    process.signals.push(signal);
    process.signals.sort((a, b) => a.key - b.key); // one that is told directly may overtake what is being read
    if (!signalTable[signal.signal].maskable) return this.#deliver(process, signal);
    if (process.program === null || process.replay !== null) return; // BOUNDARY-2
    if (interrupts(dispositionOf(signal.signal, process, signal.cause)))
      return this.#deliver(process, signal);
    const isBusy = process.pending.size === 0 && !process.isPaused;
    if (!isBusy) this.cross(process);
  }

  /** Delivers what waits. */
  cross(process: Process): void {
    if (process.finishing !== null) this.#finishIfIdle(process);
    for (let i = 0; i < process.signals.length && !process.ended;) {
      const signal = process.signals[i]!;
      if (dispositionOf(signal.signal, process, signal.cause) === "wait") {
        i++;
        continue;
      }
      this.#deliver(process, signal);
      i = 0; // what waited behind a pause may have its turn now
    }
  }

  /**
   * Delivers what concerns the life of a process that has not begun: its program has said nothing of
   * signals. What is for the program itself waits until it runs.
   */
  reach(process: Process): void {
    for (const signal of process.signals.slice()) {
      const disposition = dispositionOf(signal.signal, process, signal.cause);
      if (process.ended) return;
      if (disposition === "continue" || reachesPaused(disposition)) this.#deliver(process, signal);
    }
  }

  /** Ends a process that was told to end, whatever its program would say: it cannot be asked. */
  endIfTold(process: Process): void {
    for (const signal of process.signals.slice()) {
      if (process.ended) return;
      const disposition = dispositionOf(signal.signal, process, signal.cause);
      if (disposition === "finish" || interrupts(disposition)) this.#deliver(process, signal);
    }
  }

  /** `handle` and `mask`: what a program says of signals. Returns what is wrong with it. */
  declare(process: Process, name: "handle" | "mask", args: Json): FailureText | undefined {
    const problem = problemWith(name, args);
    if (problem !== undefined) return problem;
    const { signal, action, signals } = args as {
      signal: SignalName;
      action: "handler" | "ignore" | "default";
      signals: SignalName[];
    };
    if (name === "mask") {
      process.masked.clear();
      for (const masked of signals) process.masked.add(masked);
    } else if (action === "default") process.handled.delete(signal);
    else process.handled.set(signal, action);
    return undefined;
  }

  #deliver(process: Process, signal: SignalRow): void {
    process.signals.splice(process.signals.indexOf(signal), 1);
    process.delivered.add(signal.key);
    const disposition = dispositionOf(signal.signal, process, signal.cause);
    switch (disposition) {
      case "wait":
        throw new Error("a masked signal is not delivered");
      case "kill":
        this.#record(process, signal, "ended");
        return this.#endings.kill(process, signal.signal, signal.cause);
      case "end":
      case "budget": {
        this.#record(process, signal, "ended");
        const code = disposition === "budget" ? exitCodes.budget : exitCodes.interrupted;
        const why = disposition === "budget" ? "EBUDGET" : "EINTR";
        return this.#endings.finish(process, {
          state: "killed",
          code,
          error: { code: why, message: `ended by ${signal.signal}` },
          cause: signal.cause,
        });
      }
      case "finish":
        this.#record(process, signal, "finishing");
        process.finishing = signal.cause;
        return this.#finishIfIdle(process);
      case "stop":
        if (process.isPaused) return void this.#record(process, signal, "ignored");
        process.state = "paused";
        process.asleep = false;
        this.#record(process, signal, "stopped", [
          {
            op: "process.patch",
            key: process.key,
            patch: {
              state: "paused",
              waitingOn: process.hasBegun ? null : "slot",
              wakeAt: process.row.spec.expiresAt ?? null,
            },
          },
        ]);
        return this.#journal.whenDurable(() => {});
      case "continue":
        if (!process.isPaused) return void this.#record(process, signal, "ignored");
        process.state = process.hasBegun ? "running" : "pending";
        this.#record(process, signal, "continued", [
          {
            op: "process.patch",
            key: process.key,
            patch: { state: process.state, waitingOn: null },
          },
        ]);
        if (process.hasBegun) this.onContinue(process);
        return;
      case "handler": {
        const seq = this.#record(process, signal, "handler");
        process.outbox.push({ what: signalTold(signal.signal, signal.cause), seq, ready: true });
        return this.onReady(process);
      }
      case "checkpoint":
        // The journal is the state: what is on the disk is the checkpoint.
        this.#record(process, signal, "checkpoint");
        return this.#journal.whenDurable(() => {});
      case "ignore":
        return void this.#record(process, signal, "ignored");
      case "note":
        return void this.#record(process, signal, "noted");
    }
  }

  /** SIGINT lets a step end; a wait is no step. */
  #finishIfIdle(process: Process): void {
    for (const call of process.pending.values()) if (!call.dormant && call.waitsOn !== null) return;
    this.#endings.finish(process, {
      state: "killed",
      code: exitCodes.interrupted,
      error: { code: "EINTR", message: "interrupted" },
      cause: process.finishing!,
    });
  }

  #record(
    process: Process,
    signal: SignalRow,
    did: SignalRecord["did"],
    writes: Write[] = [],
  ): number {
    const text = plainText({
      kind: "signal",
      seq: process.seq + 1,
      at: this.#platform.now(),
      cause: signal.cause,
      signal: signal.signal,
      issued: process.issued,
      did,
    });
    this.#journal.append(process, text, [{ op: "signal.take", key: signal.key }, ...writes]);
    return process.seq;
  }
}

interface DeliveryParts {
  readonly journal: Journal;
  readonly boundary: Boundary;
  /** It has something to be told. */
  readonly ready: (process: Process) => void;
  /** Every call waits for the disk. */
  readonly everyCall: boolean;
}

type CallResult = { readonly ok: Json } | { readonly err: FailureText };
type Answer = Extract<Outcome, { kind: "answer" }>;

/**
 * Delivers the result of a call to its program. The record is appended; the program receives it at once or, with
 * `durability: every-call`, when it is durable.
 */
export class ResultDelivery {
  readonly #parts: DeliveryParts;

  constructor(parts: DeliveryParts) {
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
