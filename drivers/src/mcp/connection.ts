// Connections: one protocol client on one channel, in a revision that both sides support.
//
// CONNECTION-1  The newer revision is tried first; for a server that does not support it, or that crashes on it, the
//     older one is used.
// CONNECTION-2  Neither sampling nor roots are offered. Elicitation is (elicitation.ts).
// CONNECTION-3  A call is cancelled when its process ends, when the server is gone, or after a silence limit; the
//     server is notified.
// CONNECTION-4  Failures have our wording; text of the server is marked as such.

import {
  Client,
  type PriorDiscovery,
  ProtocolError,
  type Tool as ListedTool,
  type Transport,
} from "@modelcontextprotocol/client";
import { type DeviceContext, type Json, type JsonObject, SysError } from "@aos/protocol";
import { carefulValidator } from "./argument-check.ts";
import type { CallRegistry } from "./call-registry.ts";
import { elicit, type Elicitation } from "./elicitation.ts";
import { IdleLimit } from "./idle-limit.ts";
import { type CallResult, toolResult } from "./results.ts";
import type { ServerToolDefinition } from "./tool-pins.ts";

/** Something that a client can speak on. */
export interface McpChannel {
  readonly transport: Transport;
  /** Silence after which a server is assumed to know only the older revision. */
  readonly probeMs?: number;
  /** What holds the far side, where that is a program of ours. */
  readonly heldBy?: string;
  /** Why it is gone. */
  departure(): string;
  readonly close: () => Promise<void>;
}

export interface ConnectionOptions {
  readonly server: string;
  readonly registry: CallRegistry;
  readonly open: () => Promise<McpChannel>;
  /** What was found out about the server before. */
  readonly prior?: PriorDiscovery;
  readonly onToolsChanged?: () => void;
  readonly connectMs: number;
  /** Told when the far side is there, before anything is said. */
  readonly onOpened?: () => void;
}

interface SendOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
  readonly onprogress: () => void;
}

export const CLIENT_VERSION = "0.2.0";
const MAX_TOOLS = 1000;
const MAX_TIMER_MS = 2_147_483_647;

export async function connect(options: ConnectionOptions): Promise<McpConnection> {
  const { prior } = options;
  try {
    return await connectOnce(options, prior);
  } catch (error) {
    // CONNECTION-1: it may have ended of the question.
    if (!(error instanceof Vanished) || prior !== undefined) throw sayConnecting(error, options);
  }
  try {
    return await connectOnce(options, { kind: "legacy" });
  } catch (error) {
    throw sayConnecting(error, options);
  }
}

class Vanished extends Error {}

async function connectOnce(
  options: ConnectionOptions,
  prior: PriorDiscovery | undefined,
): Promise<McpConnection> {
  const { server, registry, connectMs, onToolsChanged } = options;
  const channel = await options.open();
  options.onOpened?.();
  const client = new Client(
    { name: "aos", version: CLIENT_VERSION },
    {
      // CONNECTION-2
      capabilities: { elicitation: { form: { applyDefaults: true }, url: {} } },
      versionNegotiation: {
        mode: "auto",
        probe: { timeoutMs: Math.min(channel.probeMs ?? Infinity, connectMs) },
      },
      jsonSchemaValidator: carefulValidator,
      ...(onToolsChanged === undefined
        ? {}
        : { listChanged: { tools: { autoRefresh: false, onChanged: () => onToolsChanged() } } }),
    },
  );
  client.onerror = () => {}; // what matters fails a call, or closes the channel
  client.setRequestHandler("elicitation/create", async ({ params }) =>
    elicit(server, params as Elicitation, registry),
  );
  const connection = new McpConnection(client, channel, options);
  try {
    await client.connect(channel.transport, {
      timeout: connectMs,
      ...(prior === undefined ? {} : { prior }),
    });
    return connection;
  } catch (error) {
    // A client that gives up closes its channel; only a program ends by itself.
    const hasVanished = channel.probeMs !== undefined && connection.isGone;
    const departure = channel.departure();
    await connection.close();
    if (hasVanished) throw new Vanished(departure, { cause: error });
    throw error;
  }
}

/** The failure of ours that another failure is about. */
export function ownFailureIn(error: unknown): SysError | undefined {
  let at = error;
  for (let depth = 0; depth < 8 && at instanceof Error; depth++) {
    if (at instanceof SysError) return at;
    at = at.cause ?? (at as { data?: { cause?: unknown } }).data?.cause;
  }
  return undefined;
}

const sayConnecting = (error: unknown, { server }: ConnectionOptions): SysError =>
  ownFailureIn(error) ??
  new SysError("EUPSTREAM", `cannot connect to the MCP server ${server}: ${messageOf(error)}`);

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

export class McpConnection {
  /** Resolves when the channel is gone, with why. */
  readonly gone: Promise<string>;
  isGone = false;
  /** The far side failed in a way that another connection may not. */
  isSuspect = false;
  readonly #client: Client;
  readonly #channel: McpChannel;
  readonly #options: ConnectionOptions;
  readonly #stop = new AbortController();

  constructor(client: Client, channel: McpChannel, options: ConnectionOptions) {
    this.#client = client;
    this.#channel = channel;
    this.#options = options;
    this.gone = new Promise((resolve) => {
      channel.transport.onclose = () => {
        this.isGone = true;
        const why = channel.departure();
        this.#stop.abort(
          new SysError(
            "EUPSTREAM",
            `the connection to the MCP server ${options.server} ended: ${why}`,
          ),
        );
        resolve(why);
      };
    });
  }

  get protocol(): string {
    return this.#client.getNegotiatedProtocolVersion() ?? "";
  }

  get heldBy(): string | undefined {
    return this.#channel.heldBy;
  }

  /** What spares the next connection the finding out. */
  get verdict(): PriorDiscovery | undefined {
    return this.#client.getProtocolEra() === "legacy" ? { kind: "legacy" } : undefined;
  }

  async listTools(): Promise<ServerToolDefinition[]> {
    const { server, connectMs } = this.#options;
    try {
      const request = {
        timeout: connectMs,
        signal: this.#stop.signal,
        cacheMode: "refresh",
      } as const;
      const { tools } = await this.#client.listTools(undefined, request);
      if (tools.length > MAX_TOOLS)
        throw new SysError(
          "EUPSTREAM",
          `the MCP server ${server} has more than ${MAX_TOOLS} tools`,
        );
      return tools.map(definitionOf);
    } catch (error) {
      throw this.#say(error);
    }
  }

  async call(
    definition: ServerToolDefinition,
    args: JsonObject,
    context: DeviceContext,
    idleMs: number,
  ): Promise<JsonObject> {
    const tool = { toolDefinition: definition as unknown as ListedTool };
    const asked = { name: definition.name, arguments: args };
    const result = await this.#ask(context, idleMs, (options) =>
      this.#client.callTool(asked, { ...options, ...tool }),
    );
    return toolResult(result as CallResult);
  }

  /** A page of the URIs that it has. */
  async listResources(cursor: string | undefined, context: DeviceContext, idleMs: number) {
    const { resources, nextCursor } = await this.#ask(context, idleMs, (options) =>
      this.#client.listResources(cursor === undefined ? {} : { cursor }, {
        ...options,
        cacheMode: "refresh",
      }),
    );
    return { uris: resources.map(({ uri }) => uri), next: nextCursor };
  }

  async readResource(uri: string, context: DeviceContext, idleMs: number) {
    const { contents } = await this.#ask(context, idleMs, (options) =>
      this.#client.readResource({ uri }, { ...options, cacheMode: "refresh" }),
    );
    return contents.map((one) => ({
      uri: one.uri,
      ...("text" in one && typeof one.text === "string" ? { text: one.text } : {}),
      ...("blob" in one && typeof one.blob === "string" ? { blob: one.blob } : {}),
    }));
  }

  /** CONNECTION-3. */
  async #ask<Result>(
    context: DeviceContext,
    idleMs: number,
    send: (options: SendOptions) => Promise<Result>,
  ): Promise<Result> {
    const idle = new IdleLimit(idleMs, `the MCP server ${this.#options.server}`);
    const signal = AbortSignal.any([context.signal, idle.signal, this.#stop.signal]);
    try {
      const options = { signal, timeout: MAX_TIMER_MS, onprogress: () => idle.heard() };
      return await this.#options.registry.run(context, idle, () => send(options));
    } catch (error) {
      if (signal.reason instanceof SysError) throw signal.reason;
      throw this.#say(error);
    } finally {
      idle.end();
    }
  }

  async close(): Promise<void> {
    await this.#client.close().catch(() => {});
    await this.#channel.close();
  }

  /** CONNECTION-4. */
  #say(error: unknown): SysError {
    const own: unknown = ownFailureIn(error) ?? this.#stop.signal.reason;
    this.isSuspect ||= own instanceof SysError ? own.code === "EUPSTREAM" : !isAnswer(error);
    if (own instanceof SysError) return own;
    const { server } = this.#options;
    const said = isAnswer(error) ? "says" : "failed";
    return new SysError("EUPSTREAM", `the MCP server ${server} ${said}: ${messageOf(error)}`);
  }
}

/** The server said no, and is there. */
const isAnswer = (error: unknown): boolean => error instanceof ProtocolError;

/** What counts of what was listed, as plain JSON. */
function definitionOf(listed: ListedTool): ServerToolDefinition {
  const { name, title, description, inputSchema, outputSchema, annotations } = listed;
  return JSON.parse(
    JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }),
  ) as Json as unknown as ServerToolDefinition;
}
