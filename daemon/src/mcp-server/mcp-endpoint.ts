// McpEndpoint: `/mcp` of the gateway: the daemon as an MCP server, in both revisions.
//
//   2026-07-28   stateless requests
//   2025-11-25   and before: sessions (sessions.ts)
//   over stdio   a connection that was upgraded (stdio-line.ts)
//
// MCP-ENDPOINT-1  A request has passed the guard and is identified, as everywhere in the gateway.
// MCP-ENDPOINT-2  A request ends when the caller disconnects or is no longer valid. When the daemon stops, a caller
//     that waits for a run is told so, and a listener is disconnected.
// MCP-ENDPOINT-3  Every open call, stream or connection counts as an event stream of the caller (stream-limit.ts);
//     one too many is refused first.

import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type Server,
} from "@modelcontextprotocol/server";
import { MAX_BODY_BYTES, SysError } from "@aos/protocol";
import type { Context } from "hono";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import {
  requestBindings,
  transportOf,
  takeStream,
  type Caller,
  type GatewayEnv,
} from "../gateway/caller.ts";
import { parseJson } from "../gateway/read-request.ts";
import { tenantContext } from "../gateway/tenant-context.ts";
import { whenSent } from "../gateway/when-sent.ts";
import { RunChanges } from "./run-changes.ts";
import { createServer } from "./server.ts";
import { McpSessions } from "./sessions.ts";
import { serveLine, STDIO_UPGRADE } from "./stdio-line.ts";

export interface McpEndpoint {
  serve(context: Context<GatewayEnv>): Promise<Response>;
}

export function openMcpEndpoint(gateway: GatewayContext): McpEndpoint {
  const perTenant = new Map<string | null, TenantEndpoint>();
  const sessions = new McpSessions();
  gateway.closing.addEventListener("abort", () => {
    sessions.closeAll().catch(gateway.onMistake);
  });
  const tenantEndpoint = (tenant: string | null): TenantEndpoint => {
    const known = perTenant.get(tenant);
    if (known !== undefined) return known;
    const opened = openTenantEndpoint(gateway, tenant);
    perTenant.set(tenant, opened);
    return opened;
  };

  return {
    async serve(context) {
      const { handler, changes } = tenantEndpoint(knownCaller(context).tenant);
      const { upgrade } = requestBindings(context.env);
      if (upgrade !== undefined) return admitLine(gateway, context, changes);
      const body = await bodyOf(context);
      return asStream(context, () => answer(context, body, handler, changes));
    },
  };

  async function answer(
    context: Context<GatewayEnv>,
    body: unknown,
    handler: McpHttpHandler,
    changes: RunChanges,
  ): Promise<Response> {
    const caller = knownCaller(context);
    const request = requestOf(context, isListening(body) ? gateway.closing : undefined);
    if (!(await isLegacyRequest(request, body))) {
      const authInfo = { token: "", clientId: caller.id, scopes: [] };
      const extra = { caller };
      return handler.fetch(request, { parsedBody: body, authInfo: { ...authInfo, extra } });
    }
    const create = () => createServer({ gateway, caller, changes, hangUpCancels: false });
    return sessions.serve(request, body, caller, create);
  }
}

/** MCP-ENDPOINT-3. */
async function asStream(
  context: Context<GatewayEnv>,
  answer: () => Promise<Response>,
): Promise<Response> {
  const release = takeStream(context);
  context.req.raw.signal.addEventListener("abort", release, { once: true });
  try {
    return whenSent(await answer(), release);
  } catch (error) {
    release();
    throw error;
  }
}

interface TenantEndpoint {
  readonly handler: McpHttpHandler;
  readonly changes: RunChanges;
}

/** What runs of one tenant do is told to its callers only: each tenant has a handler of its own. */
function openTenantEndpoint(gateway: GatewayContext, tenant: string | null): TenantEndpoint {
  const changes = new RunChanges(tenantContext(gateway, { tenant }).kernel, gateway.onMistake);
  const create = (caller: Caller): Server =>
    createServer({ gateway, caller, changes, hangUpCancels: true });
  const handler = createMcpHandler(
    ({ authInfo }) => create(authInfo?.extra?.["caller"] as Caller),
    { legacy: "reject", bus: changes, maxRequestBodySize: MAX_BODY_BYTES },
  );
  return { handler, changes };
}

function admitLine(
  gateway: GatewayContext,
  context: Context<GatewayEnv>,
  changes: RunChanges,
): Response {
  const { upgrade } = requestBindings(context.env);
  const { req } = context;
  const caller = knownCaller(context);
  if (req.header("upgrade")?.toLowerCase() !== STDIO_UPGRADE)
    throw new SysError("EINVAL", `the only upgrade here is ${STDIO_UPGRADE}`);
  const cwd = transportOf(context) === "socket" ? req.query("cwd") : undefined;
  const meeting = { gateway, caller, cwd, hangUpCancels: false };
  const release = takeStream(context); // MCP-ENDPOINT-3
  upgrade!.take = (socket, head) => {
    if (socket.destroyed) return release();
    socket.once("close", release);
    serveLine(socket, head, {
      create: (isLasting) => createServer({ ...meeting, ...(isLasting ? { changes } : {}) }),
      ends: AbortSignal.any([gateway.closing, caller.gone]),
      onTrouble: () => {}, // What a client sends that is no MCP is answered there, and is no trouble of ours.
      maxBytes: MAX_BODY_BYTES,
    });
  };
  return new Response(null, { status: 204 });
}

async function bodyOf({ req }: Context<GatewayEnv>): Promise<unknown> {
  if (req.method !== "POST") return undefined;
  return parseJson(await req.text());
}

/** MCP-ENDPOINT-2. The body was read already. */
function requestOf(context: Context<GatewayEnv>, closing: AbortSignal | undefined): Request {
  const { raw, method, url } = context.req;
  const ends = [raw.signal, closing, context.get("caller")?.gone];
  const signal = AbortSignal.any(ends.filter((end) => end !== undefined));
  return new Request(url, { method, headers: raw.headers, signal });
}

const isListening = (body: unknown): boolean =>
  (body as { method?: unknown } | null | undefined)?.method === "subscriptions/listen";

/** MCP-ENDPOINT-1. */
function knownCaller(context: Context<GatewayEnv>): Caller {
  const caller = context.get("caller");
  if (caller === undefined) throw new SysError("EACCES", "the caller is not authenticated");
  return caller;
}
