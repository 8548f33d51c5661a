// Observe run: where a workflow is, found by running its program again on what is recorded, with somebody who listens.
// Nothing is stored and nothing is done: what is not recorded is never answered.
//
// OBSERVE-RUN-1  It begins at the last checkpoint, as a restart does, and ends where the records end.
// OBSERVE-RUN-2  A call with another name than the recorded one ends it there: the process itself is parked for that.

import {
  type ArmedCall,
  type Json,
  type JournalRecord,
  type Program,
  type Scope,
  type SignalHandler,
  type SignalName,
  spellSys,
  type StepState,
  SysError,
} from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import { type FlowEvent, type FlowListener, observedProgram } from "@aos/userland";

/** A step as the run left it. */
export interface ObservedStep {
  readonly step: string;
  readonly state: StepState;
  readonly attempt: number;
  readonly pid: string | null;
  /** What it asked a person last. */
  readonly question: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly result: Json;
  readonly error: string | null;
}

export interface ObservedRun {
  readonly steps: ReadonlyMap<string, ObservedStep>;
  /** What names stand for outside of blocks. */
  readonly scope: Scope | undefined;
  /** What the code of a library shows (`flow.show`). */
  readonly values: ReadonlyMap<string, Json>;
  readonly armed: readonly ArmedCall[];
  readonly generation: number;
}

const ENDED: ReadonlySet<StepState> = new Set(["done", "skipped", "failed", "undone", "lasting"]);

export async function observeRun(
  program: (listener: FlowListener) => Program,
  records: readonly JournalRecord[],
): Promise<ObservedRun> {
  const run = new Observation();
  await run.through(program, records);
  return run;
}

/** Where a run of `defineWorkflow` is: its steps, and what it shows. */
export async function observeProgram(
  kernel: Pick<Kernel, "pastRun">,
  pid: string,
  program: Program,
): Promise<ObservedRun> {
  const observed = observedProgram(program);
  if (observed === undefined)
    throw new SysError("EINVAL", "the program was not made by defineWorkflow");
  return observeRun(observed, (await kernel.pastRun(pid)).records);
}

class Observation implements ObservedRun {
  readonly steps = new Map<string, ObservedStep>();
  readonly values = new Map<string, Json>();
  scope: Scope | undefined;
  armed: readonly ArmedCall[] = [];
  generation = 0;
  #at = 0;

  readonly #listener: FlowListener = {
    step: (event) => this.#told(event),
    scope: (scope) => (this.scope = scope),
    value: (name, value) => this.values.set(name, value),
    generation: (nth) => {
      this.generation = nth;
      this.steps.clear();
    },
    armed: (calls) => (this.armed = calls),
  };

  async through(
    program: (listener: FlowListener) => Program,
    records: readonly JournalRecord[],
  ): Promise<void> {
    const begin = records.findLastIndex(isCheckpoint); // OBSERVE-RUN-1
    const first = records[0];
    const input = first?.kind === "start" ? first.input : null;
    const saved = begin < 0 ? undefined : (records[begin] as CheckpointRecord);
    const start = (issued: number, state: Json | undefined) =>
      new Answers(program(this.#listener), { issued, input, state });
    let answers = start(saved?.n ?? 0, saved?.args.state);
    this.#at = records[Math.max(begin, 0)]?.at ?? 0;
    for (const record of records.slice(Math.max(begin, 0) + 1)) {
      await turn();
      this.#at = record.at;
      if (record.kind === "restart") {
        const from = records.find(({ seq }) => seq === record.from) as CheckpointRecord | undefined;
        this.steps.clear();
        answers = start(record.issued, from?.args.state);
      } else if (!answers.give(record)) return;
    }
    await turn();
  }

  #told({ step, state, attempt, pid, question, result, error }: FlowEvent): void {
    const before = this.steps.get(step);
    this.steps.set(step, {
      step,
      state,
      attempt: attempt ?? before?.attempt ?? 1,
      pid: pid ?? before?.pid ?? null,
      question: question ?? before?.question ?? null,
      startedAt: before?.startedAt ?? this.#at,
      endedAt: ENDED.has(state) ? this.#at : null,
      result: result ?? before?.result ?? null,
      error: error === undefined ? (before?.error ?? null) : `${error.code}: ${error.message}`,
    });
  }
}

type CheckpointRecord = Extract<JournalRecord, { kind: "call" }> & {
  readonly args: { readonly state: Json };
};

const isCheckpoint = (record: JournalRecord): boolean =>
  record.kind === "call" && record.call === "checkpoint" && record.err === undefined;

interface Waiting {
  readonly name: string;
  resolve(value: Json): void;
  reject(error: unknown): void;
}

/** The calls of a program, and the recorded answers to them. */
class Answers {
  readonly #waiting = new Map<number, Waiting>();
  readonly #handlers = new Map<SignalName, SignalHandler>();
  #issued: number;

  constructor(
    program: Program,
    begun: { readonly issued: number; readonly input: Json; readonly state: Json | undefined },
  ) {
    this.#issued = begun.issued;
    const sys = spellSys(
      (name) => this.#call(name),
      (signal, handler) => {
        if (handler === null) this.#handlers.delete(signal);
        else this.#handlers.set(signal, handler);
      },
    );
    // How it ends is in its last record; what it throws here is no news.
    program(sys, begun.input, begun.state).catch(() => {});
  }

  /** False where the run cannot be followed any further. */
  give(record: JournalRecord): boolean {
    if (record.kind === "signal" && record.did === "handler")
      void Promise.resolve(this.#handlers.get(record.signal)?.(record.signal)).catch(() => {});
    if (record.kind !== "call" && record.kind !== "outcome") return true;
    const waiting = this.#waiting.get(record.n);
    const isOther = record.kind === "call" && waiting?.name !== record.call;
    if (waiting === undefined || isOther) return false; // OBSERVE-RUN-2
    this.#waiting.delete(record.n);
    if (record.err === undefined) waiting.resolve(record.ok ?? null);
    else waiting.reject(SysError.from(record.err));
    return true;
  }

  #call(name: string): Promise<Json> {
    if (name === "handle" || name === "mask") return Promise.resolve(null);
    if (name === "exit") return new Promise(() => {});
    const n = ++this.#issued;
    return new Promise((resolve, reject) => this.#waiting.set(n, { name, resolve, reject }));
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
