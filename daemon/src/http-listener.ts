// HttpListener: serves the app on the network, beside the socket.
//
// HTTP-LISTENER-1  It listens on loopback unless configured otherwise.
// HTTP-LISTENER-2  A client that sends slowly, or nothing, is disconnected.
// HTTP-LISTENER-3  A configured port is used or the start fails; without one, the next free port that browsers allow
//     is used.

import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getRequestListener, RequestError } from "@hono/node-server";
import { SysError } from "@aos/protocol";
import type { Hono } from "hono";
import type { GatewayEnv } from "./gateway/caller.ts";
import { problemResponse } from "./gateway/problem.ts";
import { DEFAULT_PORT } from "./http-config.ts";
import { closeServer } from "./socket.ts";

/** Browsers and fetch refuse it: it was the lock service of NFS. */
const BLOCKED_BY_BROWSERS = 4045;
export const DEFAULT_PORTS = Array.from({ length: 10 }, (_, n) => DEFAULT_PORT + n).filter(
  (port) => port !== BLOCKED_BY_BROWSERS,
);

/** HTTP-LISTENER-2. */
const PATIENCE = { headersMs: 10_000, requestMs: 60_000, idleMs: 15_000, checkMs: 1000 };
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 10_000;

export interface ListenOptions {
  readonly host: string;
  /** Undefined: HTTP-LISTENER-3. */
  readonly port?: number | undefined;
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly patience?: Partial<typeof PATIENCE>;
}

export interface HttpListener {
  readonly url: string;
  readonly server: Server;
  close(): Promise<void>;
}

export async function listenOnNetwork(
  app: Hono<GatewayEnv>,
  options: ListenOptions,
): Promise<HttpListener> {
  const ports = options.port === undefined ? [...DEFAULT_PORTS, 0] : [options.port];
  let taken: unknown;
  for (const port of ports) {
    const server = serverFor(app, options);
    try {
      await listen(server, port, options.host);
      return {
        url: urlOf(server, options),
        server,
        close: () => closeServer(server),
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE")
        throw cannot(options, port, error);
      taken = cannot(options, port, error);
    }
  }
  throw taken;
}

function serverFor(app: Hono<GatewayEnv>, { tls, patience }: ListenOptions): Server {
  const { headersMs, requestMs, idleMs, checkMs } = { ...PATIENCE, ...patience };
  const answer = getRequestListener(
    (request, env) => app.fetch(request, { ...env, transport: "network" }),
    { errorHandler: refusalOf },
  );
  const create = (tls === undefined ? createServer : createTlsServer) as typeof createServer;
  const server = create(
    {
      ...tls,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: idleMs,
      connectionsCheckingInterval: checkMs,
    },
    (incoming, outgoing) => void answer(incoming, outgoing),
  );
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

/** What never became a request; the app has an answer to everything else. */
const refusalOf = (error: unknown): Response =>
  error instanceof RequestError
    ? problemResponse({ code: "EINVAL", message: "the Host, or the address, cannot be read" })
    : problemResponse({ code: "EINTERNAL", message: "the request could not be answered" });

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });

function urlOf(server: Server, { host, tls }: ListenOptions): string {
  const { port } = server.address() as AddressInfo;
  const isAny = host === "0.0.0.0" || host === "::";
  const name = isAny ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `${tls === undefined ? "http" : "https"}://${name}:${port}`;
}

const cannot = ({ host }: ListenOptions, port: number, error: unknown): SysError =>
  new SysError("ESTORE", `cannot listen on ${host}:${port}: ${(error as Error).message}`, {
    hint: "set AOS_HTTP, or `http` in config.yaml, to another HOST:PORT or to off",
  });
