// The context of a call inside the host. Every request goes to the daemon over the pipe and is judged there by what
// the calling process may do; the host itself can reach nothing.

import type { FailureText, Json, Touch } from "@aos/protocol";
import { SysError } from "@aos/protocol/words";
import type { HostCallContext, HostRequestName } from "../host-protocol.ts";

export interface ToolContext extends HostCallContext {
  /** Aborted when the call is no longer wanted. */
  readonly signal: AbortSignal;
  /** Asks the gate; throws its refusal. */
  authorize(touch: Touch): Promise<void>;
  /** Whether the gate would allow it now. */
  permits(touch: Touch): Promise<boolean>;
  /** A text file, as `file.read` gives it. */
  read(
    path: string,
    part?: { offset?: number; limit?: number },
  ): Promise<{ text: string; next: number | null }>;
  /** Writes a text file whole, as `file.write` does. */
  write(path: string, text: string): Promise<{ bytes: number }>;
  list(path: string): Promise<{ entries: { name: string; kind: string }[]; cut: boolean }>;
  /** As `http.fetch` and, for methods that change something, `http.send`. */
  fetch(url: string, request?: FetchRequest): Promise<FetchReply>;
  /** A secret that is bound to this tool as a variable of the same name. */
  secret(name: string): Promise<string>;
  /** Asks a person. */
  ask(text: string, schema?: Json): Promise<Json>;
}

export interface FetchRequest {
  readonly method?: string;
  /** A secret stands as `{{secret:NAME}}`; its value never comes into the host. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly json?: Json;
  readonly base64?: string;
  readonly limit?: number;
  readonly timeoutMs?: number;
  readonly maxRedirects?: number;
}

export interface FetchReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, Json>>;
  readonly text?: string;
  readonly base64?: string;
  readonly url: string;
  readonly hops: readonly string[];
  readonly cut: boolean;
}

type Ask = (what: HostRequestName, args: Json) => Promise<Json>;

/** Requests of calls, each with its own number. */
export class DaemonRequests {
  readonly #open = new Map<string, { resolve(ok: Json): void; reject(error: SysError): void }>();
  readonly #say: (id: string, what: HostRequestName, args: Json) => void;
  #count = 0;

  constructor(say: (id: string, what: HostRequestName, args: Json) => void) {
    this.#say = say;
  }

  for(call: number): Ask {
    return (what, args) =>
      new Promise((resolve, reject) => {
        const id = `${call}.${++this.#count}`;
        this.#open.set(id, { resolve, reject });
        this.#say(id, what, args);
      });
  }

  hear(id: string, { ok, err }: { ok?: Json; err?: FailureText }): void {
    const waiting = this.#open.get(id);
    this.#open.delete(id);
    if (err === undefined) waiting?.resolve(ok ?? null);
    else waiting?.reject(SysError.from(err));
  }
}

export function toolContext(told: HostCallContext, signal: AbortSignal, ask: Ask): ToolContext {
  const serveRequest = <T>(what: HostRequestName, args: object): Promise<T> =>
    ask(what, args as Json) as Promise<T>;
  return {
    ...told,
    signal,
    authorize: async (touch) => void (await serveRequest("authorize", touch)),
    permits: (touch) => serveRequest("permits", touch),
    read: (path, part = {}) => serveRequest("read", { path, ...part }),
    write: (path, text) => serveRequest("write", { path, text }),
    list: (path) => serveRequest("list", { path }),
    fetch: (url, request = {}) => serveRequest("fetch", { url, ...request }),
    secret: (name) => serveRequest("secret", { name }),
    ask: (text, schema) =>
      serveRequest("ask", { text, ...(schema === undefined ? {} : { schema }) }),
  };
}
