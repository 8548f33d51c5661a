// Stdio transport: protocol messages as lines on the streams of a sandboxed run.
//
// STDIO-TRANSPORT-1  Buffers for a line and for unread output are limited; beyond the limit the server is ended, so
//     its output cannot exhaust the daemon's memory.
// STDIO-TRANSPORT-2  A line that is no message is skipped; a server that prints mostly such lines is ended.
// STDIO-TRANSPORT-3  Incoming messages are handled outside the asynchronous context of the call that opened the
//     channel.

import {
  deserializeMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { LineReader } from "../programs/lines.ts";
import { crashReason, type SandboxedRun } from "../sandbox/index.ts";
import { fromNobody } from "./call-registry.ts";

const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;
const MAX_GARBAGE_LINES = 100;
const LAST_WORDS_CHARS = 16_000;
/** How long a server has to end by itself when its input is closed. */
const GRACE_MS = 1000;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** The client's library knows a stdio transport by these two. */
  readonly stderr = null;
  readonly pid: number;
  readonly #run: SandboxedRun;
  readonly #lines = new LineReader(MAX_LINE_BYTES);
  #garbage = 0;
  #isClosed = false;
  #reason: string | undefined;
  #lastWords = "";

  constructor(run: SandboxedRun) {
    this.#run = run;
    this.pid = run.pid;
    // It may end before anybody starts this.
    void run.ended.then((ending) => {
      const { limit, code, signal } = ending;
      this.#reason ??= limit?.message ?? `it ended with ${signal ?? `exit code ${code}`}`;
      this.#end();
    });
    run.stderr?.on("data", (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString("utf8")).slice(-LAST_WORDS_CHARS);
    });
    for (const stream of [run.stdin, run.stdout, run.stderr]) stream?.on("error", () => {});
  }

  /** Why it is no longer there, with the last that it said. */
  get departure(): string {
    const words = crashReason(this.#lastWords);
    const reason = this.#reason ?? "it was closed";
    return words === "" ? reason : `${reason}: ${words}`;
  }

  async start(): Promise<void> {
    if (this.#isClosed) throw new Error(this.departure);
    this.#run.stdout?.on("data", (chunk: Buffer) => fromNobody(() => this.#take(chunk)));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#run;
    if (this.#isClosed || stdin === undefined) throw new Error(this.departure);
    const waiting = (stdin as { writableLength?: number }).writableLength ?? 0;
    const line = `${JSON.stringify(message)}\n`;
    if (waiting + line.length > MAX_UNREAD_BYTES) this.#kill("it does not read its standard input");
    else stdin.write(line);
  }

  async close(): Promise<void> {
    this.#reason ??= "it was closed";
    this.#run.stdin?.end();
    const timer = setTimeout(() => this.#run.kill(), GRACE_MS);
    await this.#run.ended;
    clearTimeout(timer);
    this.#end();
  }

  #take(chunk: Buffer): void {
    const { lines, tooLong } = this.#lines.take(chunk);
    for (const line of lines) this.#read(line.toString("utf8"));
    if (tooLong) this.#kill(`a line of its output has more than ${MAX_LINE_BYTES} bytes`);
  }

  #read(line: string): void {
    if (this.#isClosed || line.trim() === "") return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      this.#garbage += 1;
      if (this.#garbage > MAX_GARBAGE_LINES) this.#kill("its standard output is not the protocol");
      return;
    }
    this.onmessage?.(message);
  }

  #kill(reason: string): void {
    this.#reason ??= reason;
    this.#run.kill();
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    fromNobody(() => this.onclose?.());
  }
}
