// Sys: the interface of a program. Each method is one system call; a program can do nothing else. A program must be
// deterministic between calls: time, randomness and ids come from here.

import type { FoundKind } from "./found-kind.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Budget, Ending } from "./operations/process.ts";
import type { PipeEdge } from "./pipe.ts";
import type { ProcessId } from "./ids.ts";
import type { Lane } from "./lane.ts";
import type { ManifestText } from "./manifest.ts";
import type { SignalName } from "./signals.ts";
import type { Clock, SyscallArgs, SyscallName, Thought, ToolCall } from "./syscalls.ts";

export interface Usage {
  /** All of the request, with what was read from a cache. */
  readonly inputTokens: number;
  /** All that was said, with what was thought. */
  readonly outputTokens: number;
  /** Of the input: read from, and written to, the vendor's cache. */
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
  /** Of the output: thought, not said. */
  readonly reasoningTokens?: number;
}

export interface InferReply {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** `filter`: the vendor held the answer back. */
  readonly finish: "stop" | "tool" | "length" | "filter";
  readonly usage: Usage;
  readonly reasoning?: readonly Thought[];
  /** Who answered, where it is not the one that was asked. */
  readonly model?: string;
  /** How full the context is: what was used of it by this request and its answer. */
  readonly context?: { readonly tokens: number; readonly window: number };
}

export interface Delivered {
  readonly id: string;
  readonly from: ProcessId | "operator";
  readonly type: string;
  readonly body: Json;
  readonly topic?: string;
  readonly replyTo?: string;
  /** Where it is not `normal`. */
  readonly lane?: Lane;
  readonly stream?: { readonly id: string; readonly end?: boolean };
}

/** How urgent a message is (`normal` unless said), and how long it may wait to be received. */
export interface Urgency {
  readonly lane?: Lane;
  readonly ttlMs?: number;
}

export interface SendOptions extends Urgency {
  readonly type?: string;
  readonly replyTo?: string;
  readonly stream?: { readonly id: string; readonly end?: boolean };
}

export interface Self {
  readonly pid: ProcessId;
  readonly agent: string;
  readonly parent: ProcessId | null;
  readonly tenant: string;
  readonly capabilities: readonly string[];
  /** What it was granted since it began. */
  readonly grants: readonly {
    readonly handle: string;
    readonly capabilities: readonly string[];
    readonly by: string;
    readonly expiresAt: number | null;
  }[];
  /** What it has read, as `integrity/secrecy`. */
  readonly label: string;
}

/** One reason why a search found something: a feature of the ranking, in words, and what it added to the score. */
export interface MatchReason {
  readonly feature: string;
  readonly says: string;
  readonly added: number;
}

/** A file that a search found; below /ctx, a message. */
export interface Found {
  readonly path: string;
  readonly data: Json;
  /** What was found, of memory. */
  readonly kind?: FoundKind;
  /** From 0 to 1, comparable within one search. */
  readonly score: number;
  /** Why, the strongest reason first. */
  readonly why?: readonly MatchReason[];
  /** Of a file in several parts: the part that fits best. */
  readonly passage?: { readonly text: string; readonly heading?: string; readonly line?: number };
  readonly writer?: string;
  /** Milliseconds since 1970. */
  readonly writtenAt?: number;
  readonly label?: string;
  /** Of a fact: the paths of others about the same subject that say something else. */
  readonly contradicts?: readonly string[];
  /** Of a fact: the path of the one in its place. */
  readonly replacedBy?: string;
  /** Of a passage of a file that was ingested: where it comes from. */
  readonly source?: PassageSource;
  /** The same where the file says it, and no ingestion wrote it. */
  readonly claimed?: ClaimedSource;
  /** Without vectors, a text is found by its words and those around it only. */
  readonly searchedBy?: "text" | "text and vectors";
}

/** Where an ingested file was read: by its path below `root`, and the commit that was checked out there. */
export interface PassageSource {
  readonly file: string;
  readonly root?: string;
  readonly commit?: string;
}

/** What the writer of a file says of where it was read: whoever may write a file can say it. */
export interface ClaimedSource extends PassageSource {
  /** Its pid. */
  readonly by: string;
}

export interface SearchOptions {
  readonly limit?: number;
  /** Other parts of memory, searched with the path and ranked together with it. Memory only. */
  readonly also?: string[];
  /** What is found: files, each once with its best passage, or passages, of which `data` is the text. Memory only. */
  readonly unit?: "file" | "passage";
  /** Only what this process wrote. */
  readonly writer?: string;
  /** Only what is at least as trusted as this. */
  readonly label?: "trusted" | "mixed" | "untrusted";
  /** Written then or later, and before, in milliseconds since 1970. */
  readonly since?: number;
  readonly until?: number;
  readonly kind?: "dialogue" | "document" | "code" | "episode";
  /** Also facts that others replace. */
  readonly replaced?: boolean;
}

/** A page of a list; `next` is the cursor of the one after it. */
export interface ListedPage {
  readonly paths: readonly string[];
  readonly next: string | null;
}

export interface WouldBe {
  readonly allow: boolean;
  readonly code?: string;
  readonly reason?: string;
  readonly hint?: string;
  /** Of a spawn: the capabilities of the child that this process could not give it. */
  readonly beyond?: readonly string[];
}

/** A registered agent, or what the child is to be. */
export type SpawnedAgent = string | { readonly manifest: ManifestText };

/** `part` is of SIGBUDGET: the percent of a limit that is used, where it is not all of it. */
export type SignalHandler = (signal: SignalName, part?: number) => Promise<void> | void;

export interface Sys {
  infer(request: SyscallArgs<"infer">): Promise<InferReply>;
  exec(
    tool: string,
    args: Json,
    options?: {
      key?: string;
      onDoubt?: "fail" | "retry" | "ask";
      timeoutMs?: number;
      cutAt?: number;
      by?: string;
    },
  ): Promise<Json>;
  /** `limit` and `cursor` are for what comes in pages, as the rows of a table below /mnt. */
  read(
    pathOrFd: string | number,
    options?: { offset?: number; length?: number; limit?: number; cursor?: string },
  ): Promise<Json>;
  write(pathOrFd: string | number, data: Json): Promise<void>;
  list(path: string): Promise<string[]>;
  /** A page: with `limit`, or with the `next` of the page before as `cursor`. */
  list(path: string, page: { limit?: number; cursor?: string }): Promise<string[] | ListedPage>;
  remove(path: string): Promise<void>;
  search(path: string, query: string, options?: SearchOptions): Promise<Found[]>;
  open(path: string, mode?: "read" | "append"): Promise<number>;
  close(fd: number): Promise<void>;
  spawn(
    agent: SpawnedAgent,
    input: Json,
    options?: {
      capabilities?: string[];
      budget?: Budget;
      step?: string;
      by?: string;
      from?: string;
      pipe?: { in?: true; out?: PipeEdge & { to: string } };
    },
  ): Promise<ProcessId>;
  wait(
    pid: string,
    options?: { until?: number; endorse?: Json; schema?: Json; label?: string },
  ): Promise<Ending>;
  grant(
    to: string,
    capabilities: string[],
    options?: { expiresAt?: number; by?: string },
  ): Promise<string>;
  revoke(handle: string): Promise<void>;
  send(to: string, body: Json, options?: SendOptions): Promise<string>;
  receive(filter?: {
    from?: string;
    type?: string;
    topic?: string;
    stream?: string;
    until?: number;
  }): Promise<Delivered>;
  request(
    to: string,
    body: Json,
    options?: Urgency & { type?: string; until?: number },
  ): Promise<Json>;
  /** How many it reached. */
  publish(topic: string, body: Json, options?: Urgency): Promise<number>;
  /** Also to a pattern: `news.*` one word, `news.>` all below. */
  subscribe(topic: string, options?: { durable?: string }): Promise<void>;
  /** With `propose`, a person is asked to give these capabilities: `approve` or `deny`. */
  ask(
    question: string,
    options?: { choices?: string[]; propose?: string[]; channel?: string; until?: number },
  ): Promise<string>;
  signal(pid: string, signal: SignalName): Promise<void>;
  check(call: SyscallName, args: Json): Promise<WouldBe>;
  self(): Promise<Self>;
  /** By the kernel's clock, which never jumps; with `wall`, by the machine's as it is set now. */
  now(options?: { clock?: Clock }): Promise<number>;
  random(): Promise<number>;
  sleep(until: number, options?: { clock?: Clock }): Promise<void>;
  checkpoint(state: Json): Promise<void>;
  handle(signal: SignalName, action: SignalHandler | "ignore" | "default"): Promise<void>;
  mask(signals: SignalName[]): Promise<void>;
  /** `reason` says why, where the code is not 0. */
  exit(code: number, output?: Json, reason?: string): Promise<never>;
}

/** A program: an async function over system calls. `state` is what it last gave to `checkpoint`. */
export type Program = (sys: Sys, input: Json, state?: Json) => Promise<Json | void>;

type Ask = <Name extends SyscallName>(name: Name, args: SyscallArgs<Name>) => Promise<Json>;

/** Spells the methods of Sys as calls. `onHandler` keeps a program's signal handlers on its side. */
export function spellSys(
  ask: Ask,
  onHandler: (signal: SignalName, handler: SignalHandler | null) => void,
): Sys {
  const target = (pathOrFd: string | number) =>
    typeof pathOrFd === "number" ? { fd: pathOrFd } : { path: pathOrFd };
  return {
    infer: (request) => ask("infer", request) as Promise<unknown> as Promise<InferReply>,
    exec: (tool, args, options) => ask("exec", { tool, args, ...options }),
    read: (pathOrFd, options) => ask("read", { ...target(pathOrFd), ...options }),
    write: (pathOrFd, data) =>
      ask("write", { ...target(pathOrFd), data }) as Promise<unknown> as Promise<void>,
    list: ((path: string, page?: object) => ask("list", { path, ...page })) as Sys["list"],
    remove: (path) => ask("remove", { path }) as Promise<unknown> as Promise<void>,
    search: (path, query, options) =>
      ask("search", { path, query, ...options }) as Promise<unknown> as Promise<Found[]>,
    open: (path, mode) =>
      ask("open", mode === undefined ? { path } : { path, mode }) as Promise<number>,
    close: (fd) => ask("close", { fd }) as Promise<unknown> as Promise<void>,
    spawn: (agent, input, options) =>
      ask("spawn", {
        ...(typeof agent === "string" ? { agent } : { manifest: agent.manifest as JsonObject }),
        input,
        ...options,
      }) as Promise<string> as Promise<ProcessId>,
    wait: (pid, options) => ask("wait", { pid, ...options }) as Promise<unknown> as Promise<Ending>,
    grant: (to, capabilities, options) =>
      ask("grant", { to, capabilities, ...options }) as Promise<string>,
    revoke: (handle) => ask("revoke", { handle }) as Promise<unknown> as Promise<void>,
    send: (to, body, options) => ask("send", { to, body, ...options }) as Promise<string>,
    receive: (filter) => ask("receive", { ...filter }) as Promise<unknown> as Promise<Delivered>,
    request: (to, body, options) => ask("request", { to, body, ...options }),
    publish: (topic, body, options) =>
      ask("publish", { topic, body, ...options }) as Promise<number>,
    subscribe: (topic, options) =>
      ask("subscribe", { topic, ...options }) as Promise<unknown> as Promise<void>,
    ask: (question, options) => ask("ask", { question, ...options }) as Promise<string>,
    signal: (pid, signal) => ask("signal", { pid, signal }) as Promise<unknown> as Promise<void>,
    check: (call, args) => ask("check", { call, args }) as Promise<unknown> as Promise<WouldBe>,
    self: () => ask("self", {}) as Promise<unknown> as Promise<Self>,
    now: (options) => ask("now", { ...options }) as Promise<number>,
    random: () => ask("random", {}) as Promise<number>,
    sleep: (until, options) =>
      ask("sleep", { until, ...options }) as Promise<unknown> as Promise<void>,
    checkpoint: (state) => ask("checkpoint", { state }) as Promise<unknown> as Promise<void>,
    handle: async (signal, action) => {
      onHandler(signal, typeof action === "function" ? action : null);
      await ask("handle", { signal, action: typeof action === "function" ? "handler" : action });
    },
    mask: (signals) => ask("mask", { signals }) as Promise<unknown> as Promise<void>,
    exit: (code, output, reason) =>
      ask("exit", {
        code,
        ...(output === undefined ? {} : { output }),
        ...(reason === undefined ? {} : { reason }),
      }) as Promise<never>,
  };
}
