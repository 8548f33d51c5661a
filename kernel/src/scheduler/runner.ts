// Runner: runs a program. It starts it, answers its calls from the journal as long as there are records, passes the
// first call without a record to the gate, and delivers the results.
//
// RUNNER-1  A program receives one item a turn, in journal order.
// RUNNER-2  A call is passed to the gate exactly once while the process is loaded.
// RUNNER-3  Calls of a stopped program are ignored.

import {
  type Json,
  type ProgramDriver,
  type ProgramEnd,
  type RunningProgram,
  SysError,
} from "@aos/protocol";
import type { Limits } from "../options.ts";
import { readSyscall } from "../process/call.ts";
import { answerOf, type ProcessImage } from "../process/load.ts";
import type { PendingCall, Process } from "../process/process.ts";
import { signalTold } from "../process/budget-notice.ts";
import type { Boundary } from "./boundary.ts";
import { exitOf } from "./endings.ts";
import { ReadyQueue } from "./start-queue.ts";

/** How long a program that replays may be silent before it is taken for stuck. */
const STALL_MS = 30_000;

interface Parts {
  readonly limits: Limits;
  /** Takes secrets out of what a program says. */
  readonly scrub: (text: string) => string;
  readonly driverFor: (process: Process) => ProgramDriver;
  readonly boundary: Boundary;
  /** Hands a call to the gate. */
  readonly execute: (process: Process, call: PendingCall) => void;
  /** Does again to the kernel's own state what a recorded call did. */
  readonly relive: (process: Process, call: PendingCall, answer: Json) => void;
  /** It has lived through its journal, and the calls that it waits for are known. */
  readonly wentLive: (process: Process) => void;
  readonly supervision: {
    ended(process: Process, end: ProgramEnd): void;
    /** It asked for something else than its journal has. */
    diverged(process: Process, error: SysError): void;
    /** One that was parked has lived through its journal. */
    unpark(process: Process): void;
  };
}

export class Runner {
  readonly #parts: Parts;
  readonly ready = new ReadyQueue((process) => this.#turn(process));
  readonly #stalls = new Map<Process, NodeJS.Timeout>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(process: Process, { input, state }: ProcessImage): void {
    const driver = this.#driverFor(process);
    if (driver === undefined) return;
    const { command, folder } = process.row.spec;
    let program: RunningProgram | null = null;
    const isCurrent = () => process.program === program && !process.ended;
    program = driver.start(
      {
        pid: process.pid,
        input,
        ...(state === undefined ? {} : { state }),
        ...(command === undefined ? {} : { command }),
        ...(folder === undefined ? {} : { folder }),
      },
      {
        call: (id, name, args) => {
          if (isCurrent()) this.#onCall(process, id, name, args);
        },
        ended: (end) => {
          if (isCurrent()) this.#onEnded(process, end);
        },
      },
    );
    process.program = program;
    if (process.replay !== null) this.ready.enqueue(process);
  }

  /** Undefined where this release has not the version that its journal began under. */
  #driverFor(process: Process): ProgramDriver | undefined {
    try {
      return this.#parts.driverFor(process);
    } catch (error) {
      if (!(error instanceof SysError) || error.code !== "REPLAY_DIVERGED") throw error;
      process.replay = null;
      this.#parts.supervision.diverged(process, error);
      return undefined;
    }
  }

  /** Goes on with a process that was paused. */
  goOn(process: Process): void {
    if (process.replay !== null || process.outbox.length > 0) this.ready.enqueue(process);
    const held = process.held;
    process.held = [];
    for (const call of held) this.#parts.execute(process, call);
  }

  #onCall(process: Process, id: number | string, name: string, args: Json): void {
    if (name === "handle" || name === "mask") return this.#declare(process, id, name, args);
    if (name === "exit") return this.#exit(process, args);
    if (process.pending.size >= this.#parts.limits.pendingCalls) {
      return this.#onEnded(process, {
        kind: "misbehaved",
        reason: `more than ${this.#parts.limits.pendingCalls} calls at once`,
      });
    }
    process.issued += 1;
    const from = { n: process.issued, told: process.told };
    const { limits, scrub } = this.#parts;
    const { lastChain: before } = process;
    const call = readSyscall(from, id, name, args, {
      maxBytes: limits.argumentBytes,
      scrub,
      before,
    });
    process.pending.set(call.n, call);
    if (process.replay !== null) return this.ready.enqueue(process);
    this.#dispatch(process, call);
  }

  #dispatch(process: Process, call: PendingCall): void {
    this.#parts.boundary.cross(process);
    if (process.ended) return;
    if (process.isPaused) process.held.push(call);
    else this.#parts.execute(process, call);
  }

  /**
   * What a program says of signals leaves no record: what follows from it does. It is answered before
   * anything from the journal and also while paused, so that a replay answers it at the same place.
   */
  #declare(process: Process, id: number | string, name: "handle" | "mask", args: Json): void {
    const problem = this.#parts.boundary.declare(process, name, args);
    const answer = problem === undefined ? { ok: null } : { err: problem };
    const place = process.outbox.findIndex((entry) => entry.declared !== true);
    process.outbox.splice(place === -1 ? process.outbox.length : place, 0, {
      what: { kind: "answer", id, ...answer },
      seq: process.told,
      ready: true,
      declared: true,
    });
    this.ready.enqueue(process);
    if (process.replay === null && process.signals.length > 0) this.#parts.boundary.cross(process);
  }

  #exit(process: Process, args: Json): void {
    const end = exitOf(args);
    const { code } = end;
    if (!Number.isInteger(code) || code < 0 || code > 255) {
      return this.#onEnded(process, { kind: "misbehaved", reason: `${code} is not an exit code` });
    }
    this.#onEnded(process, end);
  }

  #onEnded(process: Process, end: ProgramEnd): void {
    if (process.replay !== null && end.kind !== "crashed") {
      const step = this.#stepOrFail(process);
      if (step === undefined) return;
      if (step.kind === "answer" || step.kind === "signal") {
        // More to tell than it waited for: it ended earlier than it did the first time.
        return this.#fail(process, process.replay.divergedInto(endedAs(end)));
      }
      if (step.kind === "behind")
        return this.#fail(process, process.replay.divergedInto(endedAs(end)));
    }
    this.#clearStall(process);
    process.replay = null;
    this.#parts.supervision.ended(process, end);
  }

  #turn(process: Process): void {
    if (process.ended || process.program === null) return;
    const head = process.outbox[0];
    if (process.replay !== null && head === undefined) return this.#replay(process);
    if (head === undefined || !head.ready || (process.isPaused && head.declared !== true)) return;
    process.outbox.shift();
    process.told = head.seq;
    process.program.deliver(head.what);
    if (process.replay !== null || process.outbox[0]?.ready === true) this.ready.enqueue(process);
  }

  #replay(process: Process): void {
    const step = this.#stepOrFail(process);
    if (step === undefined) return;
    this.#clearStall(process);
    switch (step.kind) {
      case "behind":
        return this.#expectCall(process);
      case "done":
        return this.#goLive(process);
      case "signal":
        process.replay!.advance();
        if (step.record.did === "finishing") process.finishing = step.record.cause;
        if (step.record.did === "handler") {
          process.told = step.record.seq;
          process.program!.deliver(signalTold(step.record.signal, step.record.cause));
        }
        return this.ready.enqueue(process);
      case "answer": {
        const { record, call } = step;
        process.replay!.advance();
        process.pending.delete(call.n);
        process.told = record.seq;
        const answer = answerOf(record);
        if (record.err === undefined) this.#parts.relive(process, call, answer);
        process.program!.deliver({
          kind: "answer",
          id: call.id,
          ...(record.err === undefined ? { ok: answer } : { err: record.err }),
        });
        return this.ready.enqueue(process);
      }
    }
  }

  #goLive(process: Process): void {
    const { intents } = process.replay!;
    process.replay = null;
    if (process.isParked) this.#parts.supervision.unpark(process);
    this.#parts.wentLive(process);
    for (const call of process.pending.values()) {
      const intent = intents.get(call.n);
      if (intent !== undefined) call.intent = intent;
      if (process.ended) return;
      this.#dispatch(process, call);
    }
  }

  #stepOrFail(process: Process) {
    try {
      return process.replay!.step(process.pending, process.issued);
    } catch (error) {
      this.#fail(process, error as SysError);
      return undefined;
    }
  }

  #fail(process: Process, error: SysError): void {
    this.#clearStall(process);
    process.replay = null;
    this.#parts.supervision.diverged(process, error);
  }

  #expectCall(process: Process): void {
    const timer = setTimeout(() => {
      if (process.replay !== null)
        this.#fail(process, process.replay.divergedInto("nothing, and waits"));
    }, STALL_MS);
    timer.unref();
    this.#stalls.set(process, timer);
  }

  #clearStall(process: Process): void {
    clearTimeout(this.#stalls.get(process));
    this.#stalls.delete(process);
  }
}

const endedAs = (end: ProgramEnd): string =>
  end.kind === "threw" ? `an end with ${end.error.code}: ${end.error.message}` : "its end";
