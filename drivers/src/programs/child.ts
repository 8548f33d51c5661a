// Child: one executable with pipes, in a process group of its own, so that what it starts dies with
// it. It may be killed at any moment, and it always comes to `gone`.
//
// C1  `gone` resolves once, in a later turn, when the process has ended, its output is read to the
//     end and its group was killed. It never rejects.
// C2  A group is signalled only while it is known to be ours: never after its end, when the number
//     may belong to somebody else.

import { spawn, type ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** How long output may stay open, held by somebody who left the group, after the process ended. */
const OUTPUT_AFTER_EXIT_MS = 1000;
/** How long to look for the end of the rest of the group after it was killed. It has to be short:
 *  where nobody adopts orphans (a container without an init) the dead stay listed forever. */
const GROUP_END_MS = 100;
const STDERR_TAIL_CHARS = 64 * 1024;

export type Departure =
  | { readonly kind: "exited"; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: "not started"; readonly reason: string; readonly mayPass: boolean };

export interface ChildOptions {
  readonly command: readonly string[];
  readonly folder: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStdoutEnd: () => void;
  readonly onStderr: (chunk: string) => void;
}

export class Child {
  readonly gone: Promise<Departure>;
  readonly #process: ChildProcess | undefined;
  #groupIsOurs = false;
  #stderrTail = "";

  constructor(options: ChildOptions) {
    let process: ChildProcess;
    try {
      process = spawn(options.command[0] ?? "", options.command.slice(1), {
        cwd: options.folder,
        env: options.env,
        stdio: ["pipe", "pipe", "pipe"],
        detached: true,
      });
    } catch (error) {
      this.gone = nextTurn(notStarted(options, error as NodeJS.ErrnoException));
      return;
    }
    this.#process = process;
    this.#groupIsOurs = process.pid !== undefined;
    this.gone = new Promise((resolve) => {
      process.once("error", (error) => {
        if (process.pid === undefined) resolve(nextTurn(notStarted(options, error)));
      });
      process.once("exit", () => this.#killGroup());
      process.once("close", (code, signal) => {
        if (process.pid === undefined) return;
        resolve(this.#groupEnd().then(() => ({ kind: "exited", code, signal })));
      });
    });
    this.#connect(process, options);
  }

  /** The bytes that were written and that it has not read. */
  get undeliveredBytes(): number {
    return this.#process?.stdin?.writableLength ?? 0;
  }

  /** The last of what it said on standard error. */
  get lastWords(): string {
    return this.#stderrTail.trimEnd().split("\n").slice(-10).join("\n").slice(-2000);
  }

  write(line: Buffer): void {
    const stdin = this.#process?.stdin;
    if (stdin?.writable === true) stdin.write(line);
  }

  /** At once and with all that it started. */
  kill(): void {
    this.#killGroup();
    // Nobody reads what was still to be told: let it go now, not when the pipe is closed.
    this.#process?.stdin?.destroy();
  }

  #connect(process: ChildProcess, options: ChildOptions): void {
    // A broken pipe says what `close` will say, in words that are no use.
    for (const stream of [process.stdin, process.stdout, process.stderr]) {
      stream?.on("error", () => {});
    }
    process.stdout?.on("data", options.onStdout);
    process.stdout?.on("end", options.onStdoutEnd);
    process.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      this.#stderrTail = (this.#stderrTail + chunk).slice(-STDERR_TAIL_CHARS);
      options.onStderr(chunk);
    });
    process.once("exit", () => {
      const timer = setTimeout(() => {
        process.stdout?.destroy();
        process.stderr?.destroy();
      }, OUTPUT_AFTER_EXIT_MS);
      process.once("close", () => clearTimeout(timer));
    });
  }

  #killGroup(): void {
    if (this.#groupIsOurs) this.#groupIsOurs = this.#signalGroup("SIGKILL");
  }

  async #groupEnd(): Promise<void> {
    const until = performance.now() + GROUP_END_MS;
    while (this.#groupIsOurs && performance.now() < until) {
      await delay(5);
      this.#groupIsOurs = this.#signalGroup(0);
    }
    this.#groupIsOurs = false;
  }

  /** False when there is nobody left in the group, or nobody that we may signal. */
  #signalGroup(signal: "SIGKILL" | 0): boolean {
    try {
      process.kill(-this.#process!.pid!, signal);
      return true;
    } catch {
      return false;
    }
  }
}

const nextTurn = (departure: Departure): Promise<Departure> =>
  new Promise((resolve) => setImmediate(() => resolve(departure)));

/** What the machine may have again in a moment; anything else will fail in the same way again. */
const PASSING = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"]);

function notStarted(options: ChildOptions, error: NodeJS.ErrnoException): Departure {
  const name = JSON.stringify(options.command[0] ?? "");
  const mayPass = PASSING.has(error.code ?? "");
  const because = (reason: string): Departure => ({ kind: "not started", reason, mayPass });

  if (options.command.length === 0) return because("the program has no command");
  if (options.folder !== undefined && !isFolder(options.folder)) {
    return because(`the folder ${options.folder} of the command ${name} is not there`);
  }
  if (error.code === "ENOENT") return because(`the command ${name} was not found`);
  if (error.code === "EACCES") return because(`the command ${name} is not executable`);
  return because(`the command ${name} could not be started: ${error.message}`);
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
