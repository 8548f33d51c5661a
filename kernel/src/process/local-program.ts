// LocalPrograms: programs that are functions of this process. They receive a Sys and nothing else.
//
// LOCAL-PROGRAM-1  Whatever a program throws, null and unreadable objects included, ends only its process; so do
//     uncaught errors of its callbacks (stray-errors.ts).

import {
  isFailureCode,
  spellSys,
  SysError,
  type Delivery,
  type FailureText,
  type Json,
  type Program,
  type ProgramDriver,
  type ProgramListener,
  type ProgramStart,
  type RunningProgram,
  type SignalHandler,
  type SignalName,
} from "@aos/protocol";
import { strayScope, type StrayKind } from "./stray-errors.ts";

/** LOCAL-PROGRAM-1. */
export function programFailure(error: unknown): FailureText {
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
          if (this.#stopped) return; // nobody is there to answer, and nobody waits for it
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
