// Proxy: the only network access of the programs of one run. It listens on a Unix socket and accepts HTTP/1.1:
// requests with whole URLs, and CONNECT.
//
//   const proxy = await openProxy({ context, folder });
//   …start a run with network: { proxySocket: proxy.socket, authorities: proxy.authorities }
//   await proxy.close();
//
// PROXY-1  Each run has its own socket. A connection to it is the run, with the grants of its process.
// PROXY-2  Every request is judged, resolved, checked and connected separately (carry.ts); unread bytes pass only
//     where the process may do everything (tunnel.ts).
// PROXY-3  An ambiguous request is refused.
// PROXY-4  When the call is stopped, or `close` has resolved, no connection and no socket is left.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, mkdir } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type DeviceContext, SysError } from "@aos/protocol";
import { dialBy } from "../../web/dial.ts";
import type { EgressOptions } from "../../web/egress.ts";
import { resolveByMachine } from "../../web/resolve.ts";
import { sharedAuthority } from "./authority.ts";
import { forwardRequest, refusalAnswer } from "./carry.ts";
import {
  countingContext,
  type ProxyContext,
  programIdleMs,
  type ProxyLimits,
  proxyLimits,
} from "./proxy-context.ts";
import { noPlaceholders, type Placeholders } from "./placeholders.ts";
import { openTunnel } from "./tunnel.ts";
import { type ProxiedRequest, ProxyLog } from "./proxy-log.ts";

export interface ProxyOptions extends EgressOptions {
  readonly context: DeviceContext;
  /** Where the socket goes; made with 0700 if it is not there. */
  readonly folder: string;
  /** Who connects, when that is another user. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** What the run was given in place of secrets. */
  readonly placeholders?: Placeholders;
  readonly limits?: Partial<ProxyLimits>;
}

export interface Proxy {
  /** The path of the Unix socket. */
  readonly socket: string;
  /** PEM: what the run's programs have to trust, beside what they trust anyway. */
  readonly authorities: string;
  /** What was reached and what was refused. */
  visits(): readonly ProxiedRequest[];
  readonly refusals: number;
  /** PROXY-4. */
  close(): Promise<void>;
}

const MAX_HEAD_BYTES = 32_768;
const HEAD_MS = 60_000;
/** What the system takes for a path of a socket; on macOS 104 with the zero at its end. */
const MAX_PATH_BYTES = 103;

export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const { context, folder, user } = options;
  const path = join(folder, `${randomBytes(6).toString("hex")}.sock`);
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw new SysError("EINVAL", `${path} is too long for a socket path`);
  await mkdir(folder, { recursive: true, mode: 0o700 });

  const outlet = outletOf(options);
  const connections = new Set<Socket>();
  const underWay = new Set<Promise<void>>();
  const server = serve(outlet, connections, underWay);
  server.listen(path);
  await once(server, "listening");

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeAll(server, connections, underWay));
  context.signal.addEventListener("abort", () => void close(), { once: true });
  try {
    await chmod(path, 0o600);
    if (user !== undefined) await chown(path, user.uid, user.gid);
    context.signal.throwIfAborted();
  } catch (error) {
    await close();
    throw error;
  }
  const { visits, authority } = outlet;
  return {
    socket: path,
    authorities: authority.certificate,
    visits: () => visits.list(),
    get refusals() {
      return visits.refusals;
    },
    close,
  };
}

function outletOf(options: ProxyOptions): ProxyContext {
  const { resolve = resolveByMachine, dial = dialBy(options), connectMs = 10_000 } = options;
  const limits = { ...proxyLimits, ...options.limits };
  return {
    context: options.context,
    means: { resolve, dial, connectMs },
    authority: sharedAuthority(),
    placeholders: options.placeholders ?? noPlaceholders(),
    limits,
    visits: new ProxyLog(),
    enter: countingContext(limits.connections),
  };
}

function serve(
  outlet: ProxyContext,
  connections: Set<Socket>,
  underWay: Set<Promise<void>>,
): Server {
  const { limits, visits } = outlet;
  /** Connections that came out of a tunnel, and whose requests are for one origin. */
  const origins = new WeakMap<Socket, string>();
  const follow = (work: Promise<void>): void => {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  };

  const server = createServer({
    maxHeaderSize: MAX_HEAD_BYTES,
    insecureHTTPParser: false,
    // We see to that, and count it.
    requireHostHeader: false,
    headersTimeout: HEAD_MS,
    // A slow body is no fault; an idle one is.
    requestTimeout: 0,
    keepAliveTimeout: programIdleMs(limits),
  });
  server.maxConnections = limits.connections;
  server.timeout = programIdleMs(limits);
  server.on("connection", (connection) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
  });
  server.on("request", (incoming, response) =>
    follow(forwardRequest(incoming, response, outlet, origins.get(incoming.socket))),
  );
  server.on("connect", (incoming, connection: Socket, first) => {
    if (first.length > 0) connection.unshift(first);
    if (origins.has(connection)) {
      const error = new SysError("EINVAL", "the request is refused: a tunnel inside a tunnel");
      connection.end(refusalAnswer(visits.noteFailure("", "connect", error), error));
      return;
    }
    const inside = (found: Socket, origin: string) => {
      origins.set(found, origin);
      server.emit("connection", found);
    };
    follow(openTunnel(incoming, connection, outlet, inside));
  });
  server.on("clientError", (trouble: NodeJS.ErrnoException, connection) => {
    if (!connection.writable || trouble.code === "ECONNRESET") return void connection.destroy();
    const error = new SysError("EINVAL", `the request is refused: ${trouble.code ?? "unreadable"}`);
    connection.end(refusalAnswer(visits.noteFailure("", "", error), error));
  });
  return server;
}

async function closeAll(
  server: Server,
  connections: ReadonlySet<Socket>,
  underWay: ReadonlySet<Promise<void>>,
): Promise<void> {
  const closed = once(server, "close");
  server.close();
  for (const connection of connections) connection.destroy();
  await closed;
  // Who asked is gone: what still waits for an answer from outside ends by its own time limits.
  const grace = new AbortController();
  await Promise.race([
    Promise.all(underWay),
    delay(LAST_WORDS_MS, undefined, { signal: grace.signal }).catch(() => {}),
  ]);
  grace.abort();
}

const LAST_WORDS_MS = 2000;
