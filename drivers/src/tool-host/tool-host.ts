// Tool host: one sandboxed process with the tools of one project.
//
//   const host = await startToolHost(sandbox, project, modules);
//   host.described                          its tools
//   await host.call("weather.now", args, { told, signal, timeoutMs, serveRequest })
//
// TOOL-HOST-1  Requests of a call are answered only while that call is in progress, with its own services.
// TOOL-HOST-2  A cancelled call is notified; a host that does not end it in time is ended.
// TOOL-HOST-3  When the host ends, every call in progress fails with the reason.
// TOOL-HOST-4  Buffers in both directions are limited. A host that breaks the protocol is ended.

import { type Json, MAX_LINE_BYTES, SysError } from "@aos/protocol";
import { LineReader } from "../programs/lines.ts";
import { readWireCall } from "../programs/wire-call.ts";
import { crashReason, type RunEnding, type SandboxedRun } from "../sandbox/index.ts";
import {
  type HostCallContext,
  describedSchema,
  type HostRequestName,
  hostRequestNames,
  readFailure,
  type ToHost,
} from "./host-protocol.ts";

const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
const MAX_ASKS = 256;
const LAST_WORDS_CHARS = 16_000;
/** Of what its JavaScript keeps. */
export const HEAP_MIB = 256;

export interface HostTimes {
  /** To load and describe. */
  readonly loadMs: number;
  /** Between the word that a call is no longer wanted, and the end of a host that holds on to it. */
  readonly graceMs: number;
}

export interface HostCall {
  readonly told: HostCallContext;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly serveRequest: (what: HostRequestName, args: Json) => Promise<Json>;
}

export interface DescribedTools {
  readonly tools: readonly Readonly<Record<string, Json>>[];
  readonly flaws: readonly { readonly file: string; readonly what: string }[];
}

interface UnderWay {
  readonly tool: string;
  readonly serveRequest: HostCall["serveRequest"];
  readonly settle: (answer: { ok: Json } | { err: SysError }) => void;
  asks: number;
}

export class ToolHost {
  /** Resolves when all its processes are gone, with the reason of its end. */
  readonly gone: Promise<string>;
  readonly #run: SandboxedRun;
  readonly #times: HostTimes;
  readonly #lines = new LineReader(MAX_LINE_BYTES);
  readonly #calls = new Map<number, UnderWay>();
  readonly #loaded = Promise.withResolvers<DescribedTools>();
  #count = 0;
  #loading = "";
  #reason: string | undefined;
  #lastWords = "";
  #isHeapFull = false;

  constructor(run: SandboxedRun, times: HostTimes) {
    this.#run = run;
    this.#times = times;
    for (const stream of [run.stdin, run.stdout, run.stderr]) stream?.on("error", () => {});
    run.stdout?.on("data", (chunk: Buffer) => this.#hear(chunk));
    run.stderr?.on("data", (chunk: Buffer) => {
      const words = this.#lastWords + chunk.toString("utf8");
      this.#isHeapFull ||= words.includes("heap out of memory");
      this.#lastWords = words.slice(-LAST_WORDS_CHARS);
    });
    this.gone = run.ended.then((ending) => this.#depart(ending));
  }

  get callsUnderWay(): number {
    return this.#calls.size;
  }

  get isOver(): boolean {
    return this.#reason !== undefined;
  }

  /** The first thing to ask of it. */
  async load(
    files: Readonly<Record<string, string>>,
    main: readonly string[],
  ): Promise<DescribedTools> {
    this.#tell({ say: "load", files, main });
    const tooLong = () =>
      this.end(`${this.#loading || "it"} took longer than ${this.#times.loadMs} ms to load`);
    const timer = setTimeout(tooLong, this.#times.loadMs);
    try {
      return await this.#loaded.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  async call(tool: string, args: Json, call: HostCall): Promise<Json> {
    if (this.isOver) throw this.#failed(tool);
    const { told, signal, timeoutMs, serveRequest } = call;
    const id = ++this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<Json>();
    const settle = (answer: { ok: Json } | { err: SysError }) => {
      this.#calls.delete(id);
      if ("ok" in answer) resolve(answer.ok);
      else reject(answer.err);
    };
    this.#calls.set(id, { tool, serveRequest, settle, asks: 0 });
    let grace: NodeJS.Timeout | undefined;
    // TOOL-HOST-2
    const stop = (reason: SysError) => {
      if (grace !== undefined) return;
      this.#tell({ say: "cancel", id, reason: reason.toText() });
      grace = setTimeout(() => {
        settle({ err: reason });
        this.end(`${tool} did not stop when it was cancelled`);
      }, this.#times.graceMs);
    };
    const onAbort = () => stop(reasonOf(signal, tool));
    const timer = setTimeout(
      () => stop(new SysError("ETIMEDOUT", `${tool} took longer than ${timeoutMs} ms`)),
      timeoutMs,
    );
    signal.addEventListener("abort", onAbort, { once: true });
    this.#tell({ say: "call", id, tool, args, context: told });
    if (signal.aborted) onAbort();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      clearTimeout(grace);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** At once, with all that it started. */
  end(reason: string): void {
    this.#reason ??= reason;
    this.#run.kill();
  }

  // ── What the host says ────────────────────────────────────────────────────────────────────────

  #hear(chunk: Buffer): void {
    if (this.isOver) return;
    const { lines, tooLong } = this.#lines.take(chunk);
    for (const line of lines) this.#hearLine(line);
    if (tooLong) this.end(`a line of its output has more than ${MAX_LINE_BYTES} bytes`);
  }

  #hearLine(line: Buffer): void {
    if (this.isOver) return;
    const said = readWireCall(line);
    if ("problem" in said) return this.end(`its output is not the protocol: ${said.problem}`);
    const { id, name, args } = said;
    const params = (args ?? {}) as Readonly<Record<string, Json>>;
    if (name === "loading") this.#loading = textOf(params["file"]);
    else if (name === "described") this.#hearDescribed(args);
    else if (name === "done" && typeof id === "number") this.#hearDone(id, params);
    else if (name === "ask" && typeof id === "string") this.#hearAsk(id, params);
    else this.end(`it sent the unknown message ${JSON.stringify(name.slice(0, 100))}`);
  }

  #hearDescribed(args: Json): void {
    const read = describedSchema.safeParse(args);
    if (read.success) this.#loaded.resolve(read.data as DescribedTools);
    else this.end("its tool descriptions cannot be read");
  }

  #hearDone(id: number, params: Readonly<Record<string, Json>>): void {
    const isFailed = params["err"] !== undefined;
    this.#calls
      .get(id)
      ?.settle(isFailed ? { err: readFailure(params["err"]) } : { ok: params["ok"] ?? null });
  }

  /** TOOL-HOST-1. */
  #hearAsk(id: string, params: Readonly<Record<string, Json>>): void {
    const call = this.#calls.get(Number.parseInt(id, 10));
    const what = params["what"] as HostRequestName;
    const refuse = (error: SysError) => this.#tell({ say: "reply", id, err: error.toText() });
    if (call === undefined) return refuse(new SysError("ESTATE", "the call has ended"));
    if (!hostRequestNames.includes(what))
      return refuse(new SysError("EINVAL", "the request is unknown"));
    call.asks += 1;
    if (call.asks > MAX_ASKS)
      return this.end(`${call.tool} made more than ${MAX_ASKS} concurrent requests`);
    call.serveRequest(what, params["args"] ?? {}).then(
      (ok) => {
        call.asks -= 1;
        this.#tell({ say: "reply", id, ok });
      },
      (error: unknown) => {
        call.asks -= 1;
        refuse(error instanceof SysError ? error : new SysError("EUPSTREAM", String(error)));
      },
    );
  }

  // ── What the host is told ─────────────────────────────────────────────────────────────────────

  #tell(what: ToHost): void {
    const { stdin } = this.#run;
    if (this.isOver || stdin === undefined || !stdin.writable) return;
    const waiting = (stdin as { writableLength?: number }).writableLength ?? 0;
    const line = `${JSON.stringify(what)}\n`;
    if (waiting > 0 && waiting + line.length > MAX_UNREAD_BYTES)
      return this.end("it does not read its standard input");
    stdin.write(line);
  }

  /** TOOL-HOST-3. */
  #depart({ limit, code, signal }: RunEnding): string {
    const words = crashReason(this.#lastWords);
    const ended = `it ended with ${signal ?? `exit code ${code}`}`;
    const kept = this.#isHeapFull ? `memory: its heap has more than ${HEAP_MIB} MiB` : undefined;
    const why =
      this.#reason ?? limit?.message ?? kept ?? (words === "" ? ended : `${ended}: ${words}`);
    this.#reason = why;
    const where = this.#loading === "" ? "" : ` while it loaded ${this.#loading}`;
    this.#loaded.reject(new SysError("EUPSTREAM", `the tool host ended${where}: ${why}`));
    this.#loaded.promise.catch(() => {});
    for (const { tool, settle } of this.#calls.values()) settle({ err: this.#failed(tool) });
    return why;
  }

  #failed(tool: string): SysError {
    return new SysError("EUPSTREAM", `${tool}: the tool host ended: ${this.#reason}`, {
      hint: "the next call starts it again; whether this call had an effect is unknown",
    });
  }
}

const reasonOf = ({ reason }: AbortSignal, tool: string): SysError =>
  reason instanceof SysError ? reason : new SysError("EINTR", `${tool} was stopped`);

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");
