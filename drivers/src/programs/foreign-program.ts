// Foreign program: one program in its own process, connected by the syscall protocol.
//
// FOREIGN-PROGRAM-1  The listener is called in a later turn, never from inside `start` or `deliver`.
// FOREIGN-PROGRAM-2  `ended` is called once, last, when all processes of the program are gone. After `stop` nothing is
//     called.
// FOREIGN-PROGRAM-3  Its buffers are bounded: the current line, the calls in progress, and unread output to it.
// FOREIGN-PROGRAM-4  Nothing throws into the kernel. A program that breaks the protocol is killed with
//     its children.

import {
  isSyscallName,
  syscalls,
  WIRE_FAILED,
  WIRE_PROTOCOL,
  type Delivery,
  type FromKernel,
  type Json,
  type ProgramEnd,
  type ProgramListener,
  type ProgramStart,
  type RunningProgram,
} from "@aos/protocol";
import { describeReport, type RunLimits, type Sandbox } from "../sandbox/index.ts";
import { Child, type ChildExit } from "./child.ts";
import { startConfined } from "./confine.ts";
import { outsideHint } from "./outside-hint.ts";
import { LineReader } from "./lines.ts";
import type { ProgramPaths } from "./program-view.ts";
import { readWireCall } from "./wire-call.ts";

/** JSON-RPC's number for a method that does not exist. */
const NO_SUCH_METHOD = -32601;

export interface WireLimits {
  readonly maxLineBytes: number;
  readonly maxPendingCalls: number;
  /** Of the lines of the calls that wait for an answer, together. */
  readonly maxPendingBytes: number;
  /** Of what it was told and has not read. One line may pass it, when nothing else waits. */
  readonly maxUndeliveredBytes: number;
  /** Between the `exit` call, or the end of its output, and the end of the process. */
  readonly exitGraceMs: number;
  /** Between an answer that says what it did wrong, and its end: time to complain on stderr. */
  readonly lastWordsMs: number;
}

export interface ProgramEnvironment {
  readonly sandbox: () => Promise<Sandbox>;
  readonly env: Readonly<Record<string, string>>;
  readonly places: ProgramPaths;
  readonly runLimits: RunLimits;
  readonly limits: WireLimits;
  readonly onStarted: (pid: string, heldBy: string) => void;
  readonly onStderr: (pid: string, chunk: string) => void;
}

export class ForeignProgram implements RunningProgram {
  readonly #listener: ProgramListener;
  readonly #limits: WireLimits;
  readonly #child: Child;
  readonly #lines: LineReader;
  /** The size of each call's line, by the call's id. */
  readonly #pending = new Map<number | string, number>();
  #pendingBytes = 0;
  /** The `exit` call, once it was made. */
  #exit: { readonly code: number; readonly output: Json; readonly reason?: string } | undefined;
  /** The verdict on a program that broke the protocol; it is reported when the program is gone. */
  #verdict: ProgramEnd | undefined;
  readonly #what: ProgramStart;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;
  #overstayed = false;

  constructor(what: ProgramStart, listener: ProgramListener, surroundings: ProgramEnvironment) {
    this.#what = what;
    this.#listener = listener;
    this.#limits = surroundings.limits;
    this.#lines = new LineReader(surroundings.limits.maxLineBytes);
    this.#child = new Child({
      sandbox: surroundings.sandbox,
      request: () => startConfined(what, surroundings),
      onStarted: ({ report }) => surroundings.onStarted(what.pid, describeReport(report)),
      onStdout: (chunk) => this.#hear(chunk),
      onStdoutEnd: () => this.#killAfter(this.#limits.exitGraceMs),
      onStderr: (chunk) => surroundings.onStderr(what.pid, chunk),
    });
    void this.#child.gone.then((departure) => this.#report(departure));
    const { input, state } = what;
    this.#tell({
      jsonrpc: "2.0",
      method: "start",
      params: { protocol: WIRE_PROTOCOL, input, ...(state === undefined ? {} : { state }) },
    });
  }

  deliver(what: Delivery): void {
    if (!this.#isListening) return;
    if (what.kind === "signal") {
      const { kind: _kind, ...params } = what;
      this.#tell({ jsonrpc: "2.0", method: "signal", params });
      return;
    }
    const { id, ok, err } = what;
    this.#pendingBytes -= this.#pending.get(id) ?? 0;
    this.#pending.delete(id);
    const told =
      err === undefined
        ? { result: ok ?? null }
        : { error: { code: WIRE_FAILED, message: err.message, data: err } };
    this.#tell({ jsonrpc: "2.0", id, ...told });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#child.kill();
    await this.#child.gone;
  }

  /** False once it is clear that, and how, the program ends. */
  get #isListening(): boolean {
    return !this.#stopped && this.#verdict === undefined && this.#exit === undefined;
  }

  // ── What the program says ─────────────────────────────────────────────────────────────────────

  #hear(chunk: Buffer): void {
    if (this.#stopped || this.#verdict !== undefined) return;
    const { lines, tooLong } = this.#lines.take(chunk);
    for (const line of lines) this.#hearLine(line);
    if (this.#exit !== undefined && (tooLong || this.#lines.inMidLine)) {
      this.#misbehaves("output after exit");
    } else if (tooLong) {
      this.#misbehaves(`a line is longer than ${this.#limits.maxLineBytes} bytes`);
    }
  }

  #hearLine(line: Buffer): void {
    if (this.#stopped || this.#verdict !== undefined) return;
    if (this.#exit !== undefined) return this.#misbehaves("output after exit");

    const call = readWireCall(line);
    if ("problem" in call) return this.#misbehaves(call.problem);
    const { id, name, args } = call;
    if (this.#pending.has(id)) {
      return this.#misbehaves(`the id ${JSON.stringify(id)} is that of a call still under way`);
    }
    if (!isSyscallName(name)) return this.#refuse(id, name);
    if (name === "exit") return this.#hearExit(args);

    this.#pending.set(id, line.length);
    this.#pendingBytes += line.length;
    const { maxPendingCalls, maxPendingBytes } = this.#limits;
    if (this.#pending.size > maxPendingCalls) {
      return this.#misbehaves(`more than ${maxPendingCalls} calls wait for an answer`);
    }
    if (this.#pendingBytes > maxPendingBytes) {
      return this.#misbehaves(`the calls that wait for an answer pass ${maxPendingBytes} bytes`);
    }
    this.#listener.call(id, name, args);
  }

  /** `exit` has no answer. It counts when the process has ended and said nothing more. */
  #hearExit(args: Json): void {
    const read = syscalls.exit.args.safeParse(args);
    if (!read.success) {
      const [issue] = read.error.issues;
      const where = issue?.path.join(".") ?? "";
      return this.#misbehaves(`exit with wrong arguments: ${where}: ${issue?.message}`);
    }
    const { code, output, reason } = read.data;
    this.#exit = { code, output: output ?? null, ...(reason === undefined ? {} : { reason }) };
    this.#killAfter(this.#limits.exitGraceMs);
  }

  #refuse(id: number | string, name: string): void {
    const message = `there is no system call ${JSON.stringify(name.slice(0, 100))}`;
    const data = { code: "EINVAL", message } as const;
    this.#tell({ jsonrpc: "2.0", id, error: { code: NO_SUCH_METHOD, message, data } });
    this.#concludes({ kind: "misbehaved", reason: message });
    this.#killAfter(this.#limits.lastWordsMs);
  }

  // ── What the program is told ──────────────────────────────────────────────────────────────────

  #tell(message: FromKernel): void {
    let line: Buffer;
    try {
      line = Buffer.from(`${JSON.stringify(message)}\n`);
    } catch (error) {
      // Longer than a string can be. The program did nothing wrong and cannot go on.
      const text = `a value cannot be sent: ${(error as Error).message}`;
      this.#concludes({ kind: "threw", error: { code: "EINTERNAL", message: text } });
      this.#child.kill();
      return;
    }
    const waiting = this.#child.undeliveredBytes;
    const { maxUndeliveredBytes } = this.#limits;
    if (waiting > 0 && waiting + line.length > maxUndeliveredBytes) {
      return this.#misbehaves(`it does not read: ${waiting} bytes wait to be told`);
    }
    this.#child.write(line);
  }

  // ── How it ends ───────────────────────────────────────────────────────────────────────────────

  #misbehaves(reason: string): void {
    this.#concludes({ kind: "misbehaved", reason });
    this.#child.kill();
  }

  #concludes(verdict: ProgramEnd): void {
    this.#verdict ??= verdict;
  }

  #killAfter(graceMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#overstayed = true;
      this.#child.kill();
    }, graceMs);
  }

  #report(departure: ChildExit): void {
    clearTimeout(this.#timer);
    if (!this.#stopped) this.#listener.ended(this.#verdict ?? this.#endAfter(departure));
  }

  #endAfter(departure: ChildExit): ProgramEnd {
    if (departure.kind === "not started") {
      return { kind: departure.mayPass ? "crashed" : "misbehaved", reason: departure.reason };
    }
    if (this.#exit !== undefined) return { kind: "returned", ...this.#exit };

    const { lastWords } = this.#child;
    const { command = [], folder } = this.#what;
    const hint = outsideHint(lastWords, command, folder);
    const said = lastWords === "" ? "" : `; it last said:\n${lastWords}${hint}`;
    const where = this.#lines.inMidLine ? " in the middle of a line" : "";
    if (departure.code === 0) {
      // It meant to end, and would end in the same way again.
      return { kind: "misbehaved", reason: `it ended${where} without calling exit${said}` };
    }
    return { kind: "crashed", reason: `it ${this.#howItCrashed(departure)}${where}${said}` };
  }

  #howItCrashed({ code, signal, limit }: ChildExit & { readonly kind: "exited" }): string {
    if (limit !== undefined) return `was ended at a limit (${limit})`;
    if (this.#overstayed) return "closed its output without calling exit, and did not end";
    return code === null ? `was killed by ${signal}` : `ended with status ${code}`;
  }
}
