// LocalPrograms: programs that are functions of this process. They receive a Sys and nothing else.
//
// LOCAL-PROGRAM-1  Whatever a program throws, null and unreadable objects included, ends only its process; so do
//     uncaught errors of its callbacks:
//     an unhandled rejection, an exception in a timer. Node would end the whole process.
// STRAY-ERRORS-1  An error is assigned to the program whose code caused it, through any number of callbacks, by the
//     asynchronous context; a system call pays only for leaving that context.
// STRAY-ERRORS-2  An error of no program is left to Node: a listener of the embedder receives it; without one the
//     process prints it and exits with 1.

import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";
import {
  type Delivery,
  type FailureText,
  isFailureCode,
  type Json,
  type Program,
  type ProgramDriver,
  type ProgramListener,
  type ProgramStart,
  type RunningProgram,
  type SignalHandler,
  type SignalName,
  spellSys,
  SysError,
} from "@aos/protocol";

/** LOCAL-PROGRAM-1. */
function programFailure(error: unknown): FailureText {
  try {
    if (error instanceof SysError) return error.toText();
    if (error === null || error === undefined)
      return { code: "EPROGRAM", message: `the program threw ${error}` };
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (typeof code === "string" && isFailureCode(code)) return { code, message: String(message) };
    // A message that is no text is the program's doing, too.
    return {
      code: "EPROGRAM",
      message: String((error instanceof Error ? message : error) as string | number),
    };
  } catch {
    return { code: "EPROGRAM", message: "the program threw something that cannot be shown" };
  }
}

class LocalProgram implements RunningProgram {
  readonly #listener: ProgramListener;
  readonly #waiting = new Map<
    number,
    { resolve: (value: Json) => void; reject: (error: unknown) => void }
  >();
  readonly #handlers = new Map<SignalName, SignalHandler>();
  #calls = 0;
  #stopped = false;
  readonly #name: string;
  readonly #scope = strayScope((error, kind) => this.#strayed(error, kind));

  constructor(program: Program, name: string, start: ProgramStart, listener: ProgramListener) {
    this.#listener = listener;
    this.#name = `${name} (${start.pid})`;
    const { inside, outside } = this.#scope;
    const sys = spellSys(
      (name, args) =>
        new Promise((resolve, reject) => {
          if (this.#stopped) return; // the program is gone: the answer has no receiver
          const id = ++this.#calls;
          this.#waiting.set(id, { resolve, reject });
          outside(() => listener.call(id, name, args as Json));
        }),
      (signal, handler) => {
        if (handler === null) this.#handlers.delete(signal);
        else this.#handlers.set(signal, handler);
      },
    );
    setImmediate(() => {
      if (this.#stopped) return;
      // A program that throws before its first await is no different from one that throws after.
      void Promise.resolve()
        .then(() => inside(() => program(sys, start.input, start.state)))
        .then(
          (output) => this.#end(() => listener.ended({ kind: "returned", output: output ?? null })),
          (error: unknown) =>
            this.#end(() => listener.ended({ kind: "threw", error: programFailure(error) })),
        );
    });
  }

  deliver(what: Delivery): void {
    if (this.#stopped) return;
    if (what.kind === "signal") return this.#handle(what.signal, what.part);
    const waiting = this.#waiting.get(what.id as number);
    this.#waiting.delete(what.id as number);
    if (what.err === undefined) waiting?.resolve(what.ok ?? null);
    // Who does not wait for the answer has left a rejection behind, and it is his.
    else this.#scope.inside(() => waiting?.reject(SysError.from(what.err!)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
  }

  #handle(signal: SignalName, part: number | undefined): void {
    const handler = this.#handlers.get(signal);
    if (handler === undefined) return;
    void (async () => this.#scope.inside(() => handler(signal, part)))().catch((error: unknown) =>
      this.#end(() => this.#listener.ended({ kind: "threw", error: programFailure(error) })),
    );
  }

  /** What is thrown after the end is said, and changes nothing. */
  #strayed(error: unknown, kind: StrayKind): void {
    const { code, message } = programFailure(error);
    const said = `${kind} in the program ${this.#name}: ${message}`;
    if (this.#stopped) return process.emitWarning(`${said}, after its end`);
    this.#end(() => this.#listener.ended({ kind: "threw", error: { code, message: said } }));
  }

  #end(tell: () => void): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#scope.outside(tell);
  }
}

export const localProgram = (program: Program, name: string): ProgramDriver => ({
  start: (start, listener) => new LocalProgram(program, name, start, listener),
});

type StrayKind = "unhandled rejection" | "uncaught exception";
type Report = (error: unknown, kind: StrayKind) => void;
type Runner = <T>(work: () => T) => T;

const reports = new AsyncLocalStorage<Report>();
let isWatching = false;

/** One for every program that is started. It runs `inside`, the kernel `outside`; uncaught errors inside are reported. */
function strayScope(report: Report): { readonly inside: Runner; readonly outside: Runner } {
  watch();
  return reports.exit(() => ({
    outside: AsyncLocalStorage.snapshot() as Runner,
    inside: reports.run(report, () => AsyncLocalStorage.snapshot() as Runner),
  }));
}

function watch(): void {
  if (isWatching) return;
  isWatching = true;
  process.on("unhandledRejection", rejected);
  process.on("uncaughtException", thrown);
}

function rejected(reason: unknown): void {
  const report = reports.getStore();
  if (report !== undefined) return report(reason, "unhandled rejection");
  if (process.listenerCount("unhandledRejection") > 1) return; // STRAY-ERRORS-2
  throw reason instanceof Error ? reason : rejectionOf(reason);
}

function thrown(error: unknown): void {
  const report = reports.getStore();
  // Node leaves the context of a callback that threw behind, and the next error would be taken for its.
  reports.enterWith(undefined as never);
  if (report !== undefined) return report(error, "uncaught exception");
  if (process.listenerCount("uncaughtException") > 1) return; // STRAY-ERRORS-2
  process.stderr.write(`Uncaught ${inspect(error)}\n\nNode.js ${process.version}\n`);
  process.exit(1);
}

/** As Node says it. */
const rejectionOf = (reason: unknown): Error =>
  Object.assign(new Error(`a promise was rejected and nobody handled it: ${inspect(reason)}`), {
    code: "ERR_UNHANDLED_REJECTION",
  });
