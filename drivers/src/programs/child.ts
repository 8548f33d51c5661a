// Child: one executable with pipes in the sandbox; everything it starts ends with it. It may be killed at any moment,
// also before it has started, and `gone` always resolves.
//
// CHILD-1  `gone` resolves once, in a later turn, when all processes of the program are gone and its output is read to the
//     end. It never rejects.
// CHILD-2  Input written before it runs is buffered in order.
// CHILD-3  Without a sandbox nothing is started: the reason of `gone` says what is missing.

import { SysError } from "@aos/protocol";
import { crashReason } from "../sandbox/index.ts";
import type { RunEnding, SandboxedRun, RunRequest, Sandbox } from "../sandbox/index.ts";

/** How long output may stay open after the end, held by a process outside the sandbox. */
const OUTPUT_AFTER_END_MS = 1000;
const STDERR_TAIL_CHARS = 64 * 1024;

export type ChildExit =
  | {
      readonly kind: "exited";
      readonly code: number | null;
      readonly signal: string | null;
      /** The limit that ended it, in words. */
      readonly limit?: string;
    }
  | { readonly kind: "not started"; readonly reason: string; readonly mayPass: boolean };

export interface ChildOptions {
  readonly sandbox: () => Promise<Sandbox>;
  /** What is to run, found out when there is a sandbox to run it in. */
  readonly request: () => Promise<Omit<RunRequest, "output" | "input" | "signal">>;
  readonly onStarted: (sandbox: Sandbox) => void;
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStdoutEnd: () => void;
  readonly onStderr: (chunk: string) => void;
}

export class Child {
  readonly gone: Promise<ChildExit>;
  readonly #options: ChildOptions;
  readonly #abort = new AbortController();
  #run: SandboxedRun | undefined;
  #kept: Buffer[] = [];
  #stderrTail = "";

  constructor(options: ChildOptions) {
    this.#options = options;
    this.gone = this.#live().catch(notStarted).then(nextTurn);
  }

  /** The bytes that were written and that it has not read. */
  get undeliveredBytes(): number {
    const stdin = this.#run?.stdin as { readonly writableLength?: number } | undefined;
    return this.#kept.reduce((sum, { length }) => sum + length, stdin?.writableLength ?? 0);
  }

  /** The last of what it said on standard error. */
  get lastWords(): string {
    return crashReason(this.#stderrTail);
  }

  write(line: Buffer): void {
    if (this.#abort.signal.aborted) return;
    if (this.#run === undefined) this.#kept.push(line);
    else if (this.#run.stdin?.writable === true) this.#run.stdin.write(line);
  }

  /** At once and with all that it started. */
  kill(): void {
    this.#abort.abort();
    // The remaining input has no reader: drop it now, not when the pipe is closed.
    this.#kept = [];
    (this.#run?.stdin as { destroy?: () => void } | undefined)?.destroy?.();
  }

  async #live(): Promise<ChildExit> {
    const sandbox = await this.#options.sandbox();
    const request = await this.#options.request();
    if (this.#abort.signal.aborted) return { kind: "exited", code: null, signal: "SIGKILL" };
    const run = await sandbox.start({ ...request, output: "stream", signal: this.#abort.signal });
    const isRead = this.#connect(run);
    this.#options.onStarted(sandbox);
    const ending = await run.ended;
    await isRead(OUTPUT_AFTER_END_MS);
    return departureOf(ending);
  }

  /** What is given back resolves when the output was read to its end, or after so long. */
  #connect(run: SandboxedRun): (patienceMs: number) => Promise<void> {
    this.#run = run;
    const { stdin, stdout, stderr } = run;
    const outputs = [stdout!, stderr!] as (NodeJS.ReadableStream & { destroy(): void })[];
    // A broken pipe says what the end will say, in words that are no use.
    for (const stream of [stdin!, ...outputs]) stream.on("error", () => {});
    const closed = Promise.all(
      outputs.map((stream) => new Promise((resolve) => stream.once("close", resolve))),
    );
    stdout!.on("data", this.#options.onStdout);
    stdout!.on("end", this.#options.onStdoutEnd);
    stderr!.setEncoding("utf8").on("data", (chunk: string) => {
      this.#stderrTail = (this.#stderrTail + chunk).slice(-STDERR_TAIL_CHARS);
      this.#options.onStderr(chunk);
    });
    for (const line of this.#kept.splice(0)) if (stdin!.writable) stdin!.write(line);
    return async (patienceMs) => {
      const timer = setTimeout(() => outputs.forEach((stream) => stream.destroy()), patienceMs);
      await closed;
      clearTimeout(timer);
    };
  }
}

const departureOf = ({ code, signal, limit }: RunEnding): ChildExit => ({
  kind: "exited",
  code,
  signal,
  ...(limit === undefined ? {} : { limit: limit.message }),
});

const nextTurn = (departure: ChildExit): Promise<ChildExit> =>
  new Promise((resolve) => setImmediate(() => resolve(departure)));

/** What the machine may have again in a moment; anything else will fail in the same way again. */
function notStarted(error: unknown): ChildExit {
  const { message } = error as Error;
  const isOurs = error instanceof SysError;
  const hint = isOurs && error.hint !== undefined ? ` (${error.hint})` : "";
  return {
    kind: "not started",
    reason: message + hint,
    mayPass: isOurs && error.code === "EAGAIN",
  };
}
