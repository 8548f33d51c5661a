// Run program: turns this process into a foreign program. It speaks the syscall protocol (docs/syscall-protocol.md)
// on standard input and output and ends the process when the program ends.
//
// RUN-PROGRAM-1  Only the protocol is written to standard output. Printed output goes to standard error.
// RUN-PROGRAM-2  `exit` is the last message; its output is the return value. A program that throws exits with 1 and
//                the output {error: {code, message, hint?}}, where `code` is the code of a failure or the class of
//                the error.
// RUN-PROGRAM-3  The program ends when the connection to the kernel ends.

import { inspect } from "node:util";
import {
  spellSys,
  SysError,
  WIRE_PROTOCOL,
  type FromKernel,
  type Json,
  type Program,
  type SignalHandler,
  type SignalName,
  type WireAnswer,
} from "@aos/protocol";
import { queueLines } from "./line-queue.ts";

/** Runs `program` with what the kernel sends. Call it once, and do nothing else in this process. */
export function runProgram(program: Program): void {
  if (process.stdin.isTTY) {
    process.stderr.write("This is a program for Agent OS. Run its folder with: aos run FOLDER\n");
    process.exit(2);
  }
  const wire = new Wire(program);
  process.on("uncaughtException", (error) => wire.fail(error));
  queueLines(process.stdin, {
    line: (text) => wire.hear(JSON.parse(text) as FromKernel),
    end: () => process.exit(1),
  });
}

interface Waiting {
  resolve(result: Json): void;
  reject(error: SysError): void;
}

class Wire {
  readonly #program: Program;
  readonly #say = takeStdout();
  readonly #waiting = new Map<number | string, Waiting>();
  readonly #handlers = new Map<SignalName, SignalHandler>();
  #calls = 0;
  #exited = false;

  constructor(program: Program) {
    this.#program = program;
  }

  hear(message: FromKernel): void {
    if (!("method" in message)) this.#answered(message);
    else if (message.method === "start") void this.#run(message.params);
    else void this.#signalled(message.params.signal);
  }

  fail(error: unknown): void {
    process.stderr.write(`${inspect(error)}\n`);
    this.#exit(1, { error: errorText(error) });
  }

  async #run(start: { protocol: number; input: Json; state?: Json }): Promise<void> {
    try {
      if (start.protocol !== WIRE_PROTOCOL) {
        const both = `the kernel speaks protocol ${start.protocol}, this SDK ${WIRE_PROTOCOL}`;
        throw new SysError("EINVAL", both);
      }
      const sys = spellSys(
        (name, args) => this.#ask(name, args as Json),
        (signal, handler) => {
          if (handler === null) this.#handlers.delete(signal);
          else this.#handlers.set(signal, handler);
        },
      );
      const output = await this.#program(sys, start.input, start.state);
      this.#exit(0, output ?? null);
    } catch (error) {
      this.fail(error);
    }
  }

  async #signalled(signal: SignalName): Promise<void> {
    try {
      await this.#handlers.get(signal)?.(signal);
    } catch (error) {
      this.fail(error);
    }
  }

  /** What is wrong with the arguments rejects the promise; nothing is thrown at the caller. */
  async #ask(name: string, args: Json): Promise<Json> {
    if (name === "exit") {
      const { code, output, reason } = args as { code: number; output?: Json; reason?: string };
      this.#exit(code, output ?? null, reason);
    }
    // Who asks after the end is never answered; the process is about to go.
    if (this.#exited) return new Promise(() => {});
    const id = this.#calls + 1;
    const line = callText(id, name, args);
    this.#calls = id;
    this.#say(line);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #answered({ id, result, error }: WireAnswer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result ?? null);
    else waiting?.reject(SysError.from(error.data));
  }

  #exit(code: number, output: Json, reason?: string): void {
    if (this.#exited) return;
    // Throws, before anything is said, when the output is no JSON.
    const why = reason === undefined ? {} : { reason };
    const line = callText(this.#calls + 1, "exit", { code, output, ...why });
    this.#exited = true;
    this.#say(line, () => process.exit(0));
  }
}

function callText(id: number, method: string, params: Json): string {
  try {
    return `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
  } catch (error) {
    throw new SysError("EINVAL", `${method}: not JSON: ${(error as Error).message}`);
  }
}

function errorText(error: unknown): Json {
  if (error instanceof SysError) {
    const { code, message, hint } = error;
    return hint === undefined ? { code, message } : { code, message, hint };
  }
  if (error instanceof Error) return { code: error.name, message: error.message };
  return { code: "Error", message: String(error) };
}

/** Keeps standard output for the protocol: from here on, what is printed goes to standard error. */
function takeStdout(): (line: string, done?: () => void) => void {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return (line, done) => void write(line, () => done?.());
}
