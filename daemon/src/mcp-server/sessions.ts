// McpSessions: serves the revisions before 2026-07-28: a client initialises, receives a session id, and sends it with
// each request.
//
// MCP-SERVER-SESSIONS-1  A session belongs to its caller. For anybody else its id does not exist.
// MCP-SERVER-SESSIONS-2  A session ends when it is idle, when its caller is no longer valid, and when the daemon
//     stops, after calls in progress are answered. A call in progress is use.
// MCP-SERVER-SESSIONS-3  The sessions of a caller are limited: the one idle the longest makes room; if all are in
//     use, the new one is refused.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
  type Server,
} from "@modelcontextprotocol/server";
import { whenSent } from "../gateway/when-sent.ts";

const IDLE_MS = 30 * 60_000;
const LOOK_MS = 60_000;
const MOST_PER_CALLER = 64;
/** How long calls that are under way have to be answered when all ends. */
const GRACE_MS = 500;

interface Session {
  readonly id: string;
  readonly callerId: string;
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Answers that are still being given. */
  readonly calls: Set<Promise<void>>;
  usedAt: number;
}

export interface SessionCaller {
  readonly id: string;
  readonly gone: AbortSignal;
}

export class McpSessions {
  readonly #open = new Map<string, Session>();
  readonly #limits: { readonly idleMs: number; readonly perCaller: number };
  #looking: NodeJS.Timeout | undefined;

  constructor(limits: { idleMs?: number; perCaller?: number } = {}) {
    this.#limits = { idleMs: IDLE_MS, perCaller: MOST_PER_CALLER, ...limits };
  }

  get size(): number {
    return this.#open.size;
  }

  async serve(
    request: Request,
    body: unknown,
    caller: SessionCaller,
    create: () => Server,
  ): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null && request.method === "POST" && hasInitialize(body))
      return this.#begin(request, body, caller, create);
    if (id === null)
      return complaint(400, -32_000, "the request needs a session: send initialize first");
    const session = this.#open.get(id);
    if (session?.callerId !== caller.id) return complaint(404, -32_001, "unknown session"); // MCP-SERVER-SESSIONS-1
    return this.#use(session, request, body);
  }

  async closeAll(): Promise<void> {
    const sessions = [...this.#open.values()];
    const answered = Promise.all(sessions.flatMap(({ calls }) => [...calls]));
    await Promise.race([answered, sleep(GRACE_MS, undefined, { ref: false })]);
    await Promise.all(sessions.map((session) => this.#end(session)));
  }

  async #begin(
    request: Request,
    body: unknown,
    caller: SessionCaller,
    create: () => Server,
  ): Promise<Response> {
    if (!(await this.#makeRoom(caller.id)))
      return complaint(429, -32_000, "too many sessions are open: close one first");
    const id = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
    });
    const server = create();
    await server.connect(transport);
    const session: Session = {
      id,
      callerId: caller.id,
      server,
      transport,
      calls: new Set(),
      usedAt: Date.now(),
    };
    this.#open.set(id, session);
    const closed = transport.onclose?.bind(transport);
    transport.onclose = () => {
      this.#open.delete(id);
      closed?.();
    };
    caller.gone.addEventListener("abort", () => void this.#end(session), { once: true }); // MCP-SERVER-SESSIONS-2
    this.#looking ??= setInterval(() => this.#endIdle(), LOOK_MS).unref();
    const response = await this.#use(session, request, body);
    if (response.status >= 400) await this.#end(session);
    return response;
  }

  async #use(session: Session, request: Request, body: unknown): Promise<Response> {
    const { promise, resolve } = Promise.withResolvers<void>();
    // A stream on which the server may speak is open for as long as the session: that is no call.
    if (request.method === "POST") session.calls.add(promise);
    const done = () => {
      session.calls.delete(promise);
      session.usedAt = Date.now();
      resolve();
    };
    try {
      const options = body === undefined ? {} : { parsedBody: body };
      const response = await session.transport.handleRequest(request, options);
      return whenSent(response, done);
    } catch (error) {
      done();
      throw error;
    }
  }

  /** MCP-SERVER-SESSIONS-3. */
  async #makeRoom(callerId: string): Promise<boolean> {
    const theirs = [...this.#open.values()].filter((session) => session.callerId === callerId);
    if (theirs.length < this.#limits.perCaller) return true;
    const [idle] = theirs
      .filter(({ calls }) => calls.size === 0)
      .sort((one, other) => one.usedAt - other.usedAt);
    if (idle === undefined) return false;
    await this.#end(idle);
    return true;
  }

  /** MCP-SERVER-SESSIONS-2. */
  #endIdle(): void {
    const before = Date.now() - this.#limits.idleMs;
    for (const session of this.#open.values())
      if (session.calls.size === 0 && session.usedAt < before) void this.#end(session);
    if (this.#open.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  async #end(session: Session): Promise<void> {
    this.#open.delete(session.id);
    await session.server.close();
  }
}

const hasInitialize = (body: unknown): boolean =>
  [body].flat().some((message) => isInitializeRequest(message));

const complaint = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
