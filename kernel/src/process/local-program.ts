// LocalPrograms: programs that are functions of this process. They get a Sys and nothing else.

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

export function failureOf(error: unknown): FailureText {
  if (error instanceof SysError) return error.toText();
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === "string" && isFailureCode(code)) return { code, message: String(message) };
  return { code: "EPROGRAM", message: error instanceof Error ? error.message : String(error) };
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

  constructor(program: Program, start: ProgramStart, listener: ProgramListener) {
    this.#listener = listener;
    const sys = spellSys(
      (name, args) =>
        new Promise((resolve, reject) => {
          if (this.#stopped) return; // nobody is there to answer, and nobody waits for it
          const id = ++this.#calls;
          this.#waiting.set(id, { resolve, reject });
          listener.call(id, name, args as Json);
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
        .then(() => program(sys, start.input, start.state))
        .then(
          (output) => this.#end(() => listener.ended({ kind: "returned", output: output ?? null })),
          (error: unknown) =>
            this.#end(() => listener.ended({ kind: "threw", error: failureOf(error) })),
        );
    });
  }

  deliver(what: Delivery): void {
    if (this.#stopped) return;
    if (what.kind === "signal") return this.#handle(what.signal, what.part);
    const waiting = this.#waiting.get(what.id as number);
    this.#waiting.delete(what.id as number);
    if (what.err === undefined) waiting?.resolve(what.ok ?? null);
    else waiting?.reject(SysError.from(what.err));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
  }

  #handle(signal: SignalName, part: number | undefined): void {
    const handler = this.#handlers.get(signal);
    if (handler === undefined) return;
    void (async () => handler(signal, part))().catch((error: unknown) =>
      this.#end(() => this.#listener.ended({ kind: "threw", error: failureOf(error) })),
    );
  }

  #end(tell: () => void): void {
    if (this.#stopped) return;
    this.#stopped = true;
    tell();
  }
}

export const localProgram = (program: Program): ProgramDriver => ({
  start: (start, listener) => new LocalProgram(program, start, listener),
});
