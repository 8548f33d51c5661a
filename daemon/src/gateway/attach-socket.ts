// Attach socket: one process over a WebSocket: its records and output come down, messages and signals go up.
//
//   GET /api/v1/processes/:pid/attach?after=SEQ   with `Upgrade: websocket`
//
//   down   {"record": …} {"progress": …}          as `attach` streams them
//          {"ok": ID} {"error": …, "id": ID}      the result of a message that was sent up
//   up     {"id": ID, "send": {"body": …, "type"?, "label"?}}   {"id": ID, "signal": "SIGINT"}
//
// ATTACH-SOCKET-1  A WebSocket request passes the same checks as any other request.
// ATTACH-SOCKET-2  Sending needs the role of the operation; watching needs the role viewer.

import type { IncomingMessage } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { API_ROOT, operations, SysError } from "@aos/protocol";
import type { Hono } from "hono";
import type { WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { callOperation } from "./call-operation.ts";
import type { GatewayContext } from "./gateway-context.ts";
import {
  requestBindings,
  requireRole,
  takeStream,
  type AdmittedSocket,
  type Transport,
  type GatewayEnv,
  type ConnectionUpgrade,
} from "./caller.ts";
import { findProcess } from "./find-process.ts";
import { parseJson } from "./read-request.ts";
import { toFailureText } from "./problem.ts";
import { tenantContext } from "./tenant-context.ts";

const MAX_FRAME_BYTES = 1024 * 1024;
const PING_MS = 30_000;
/** How long the other side has to say goodbye. */
const GRACE_MS = 1000;

/** Codes of RFC 6455. */
const ENDED = 1000;
const GOING_AWAY = 1001;
const NOT_ALLOWED = 1008;
const OUR_MISTAKE = 1011;

/** ATTACH-SOCKET-1. Says who may go on; the listener does the rest. */
export function addAttachRoute(app: Hono<GatewayEnv>, gateway: GatewayContext): void {
  app.get(`${API_ROOT}/processes/:pid/attach`, async (context, next) => {
    const { upgrade } = requestBindings(context.env);
    if (upgrade === undefined) return next();
    const caller = requireRole(context, "viewer");
    const { kernel } = tenantContext(gateway, caller);
    const { pid } = await kernel.show(await findProcess(kernel, context.req.param("pid")));
    const { after } = operations.attach.query.parse(context.req.query()) as { after?: number };
    upgrade.admit = { caller, pid, after, release: takeStream(context) };
    return new Response(null, { status: 204 });
  });
}

/** Lets those who may go on as WebSockets, on a listener. */
export function acceptSockets(
  server: Server,
  app: Hono<GatewayEnv>,
  gateway: GatewayContext,
  door: Transport,
): void {
  let sockets: Promise<WebSocketServer> | undefined;
  const open = async () => {
    const { WebSocketServer } = await import("ws");
    return new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES });
  };
  const accept = async (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    const upgrade: ConnectionUpgrade = {};
    const bindings = { transport: door, incoming, upgrade };
    const response = await app.fetch(requestOf(incoming), bindings);
    const { admit, take } = upgrade;
    if (take !== undefined) return take(socket, head);
    if (admit === undefined) return refuse(socket, response);
    if (socket.destroyed) return admit.release();
    socket.once("close", admit.release);
    const accepting = await (sockets ??= open());
    accepting.handleUpgrade(incoming, socket, head, (web) => void serve(web, admit, gateway));
  };
  server.on("upgrade", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    accept(incoming, socket, head).catch((error: unknown) => {
      gateway.onMistake(error);
      socket.destroy();
    });
  });
}

function requestOf({ url, headers, headersDistinct }: IncomingMessage): Request {
  const host = /^[A-Za-z0-9.:[\]-]+$/.test(headers.host ?? "") ? headers.host : "invalid";
  const copied = new Headers();
  for (const [name, values] of Object.entries(headersDistinct))
    for (const value of values ?? []) copied.append(name, value);
  return new Request(`http://${host}${url?.startsWith("/") ? url : "/"}`, { headers: copied });
}

async function refuse(socket: Duplex, response: Response): Promise<void> {
  const isAnswer = response.status >= 400;
  const status = isAnswer ? response.status : 400;
  const body = isAnswer ? await response.text() : "";
  const type = response.headers.get("content-type") ?? "text/plain";
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\nConnection: close\r\n` +
      `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

async function serve(
  web: WebSocket,
  admitted: AdmittedSocket,
  gateway: GatewayContext,
): Promise<void> {
  const { caller, pid, after } = admitted;
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, gateway.closing, caller.gone]);
  let isAlive = true;
  const pinging = setInterval(() => {
    if (!isAlive) return web.terminate();
    isAlive = false;
    web.ping();
  }, PING_MS);
  web.on("pong", () => (isAlive = true));
  web.on("error", () => web.terminate());
  web.on("close", () => gone.abort());
  web.on("message", (data, isBinary) => {
    const text = isBinary ? "" : (data as Buffer).toString("utf8");
    act(text, admitted, gateway, signal).then(
      (answer) => web.send(JSON.stringify(answer)),
      () => web.terminate(),
    );
  });
  try {
    const { kernel } = tenantContext(gateway, caller);
    const from = after === undefined ? { signal } : { signal, after };
    for await (const told of kernel.attach(pid, from)) await sent(web, told);
    web.close(...endOf(gateway, admitted));
  } catch (error) {
    web.send(JSON.stringify({ error: toFailureText(error, gateway.onMistake) }));
    web.close(OUR_MISTAKE);
  } finally {
    clearInterval(pinging);
    setTimeout(() => web.terminate(), GRACE_MS).unref();
  }
}

const endOf = ({ closing }: GatewayContext, { caller }: AdmittedSocket): [number, string] => {
  if (closing.aborted) return [GOING_AWAY, "the daemon is stopping"];
  if (caller.gone.aborted) return [NOT_ALLOWED, "the token was revoked or has expired"];
  return [ENDED, "it has ended"];
};

/** The reader's pace is ours: what is said meanwhile is put together. */
const sent = (web: WebSocket, value: unknown): Promise<void> =>
  new Promise((resolve) => web.send(JSON.stringify(value), () => resolve()));

const id = z.union([z.string().max(200), z.number()]).optional();
const upward = z.union([
  z.strictObject({ id, send: operations.send.body }),
  z.strictObject({ id, signal: operations.signal.body.shape["signal"] as z.ZodType }),
]);

async function act(
  text: string,
  { caller, pid }: AdmittedSocket,
  gateway: GatewayContext,
  signal: AbortSignal,
): Promise<object> {
  let asked: { id?: unknown; signal?: unknown } = {};
  try {
    asked = readFrame(text);
    const name = "send" in asked ? "send" : "signal";
    const args = "send" in asked ? (asked.send as object) : { signal: asked.signal };
    await callOperation(gateway, caller, name, { ...args, pid }, { signal }); // ATTACH-SOCKET-2
    return { ok: asked.id ?? null };
  } catch (error) {
    return { error: toFailureText(error, gateway.onMistake), id: asked.id ?? null };
  }
}

function readFrame(text: string): z.output<typeof upward> {
  const parsed = upward.safeParse(parseJson(text, "the frame"));
  if (parsed.success) return parsed.data;
  throw new SysError(
    "EINVAL",
    'a frame must be {"id", "send": {"body": …}} or {"id", "signal": …}',
  );
}
