// A proxy for tests, and a web behind it: real servers on the loopback, plain and secure, under names
// with addresses of the public internet. Only the last step, the connection to such an address, leads to
// the servers instead.

import { Buffer } from "node:buffer";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { connect, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from "node:tls";
import type { DeviceContext } from "@aos/protocol";
import { deviceContextForTest } from "./device-context.ts";
import { dialBy } from "../../../drivers/src/web/dial.ts";
import { createAuthority } from "../../../drivers/src/sandbox/proxy/authority.ts";
import {
  openProxy,
  type Proxy,
  type ProxyOptions,
} from "../../../drivers/src/sandbox/proxy/proxy.ts";

interface Seen {
  readonly host: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

interface Given extends Partial<ProxyOptions> {
  readonly sites?: Readonly<Record<string, RequestListener>>;
  /** Names that lead elsewhere. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  readonly context?: DeviceContext;
  /** Whom the proxy trusts; who vouches for the sites, unless said. */
  readonly trusts?: string;
}

export interface ProxyForTest extends AsyncDisposable {
  readonly proxy: Proxy;
  readonly seen: readonly Seen[];
  /** Addresses with their ports. */
  readonly dialled: readonly string[];
  /** To the sites. */
  readonly connections: readonly Socket[];
  readonly lookedUp: readonly string[];
  connect(): Promise<Socket>;
  /** Everything that comes back, for a whole request. */
  ask(text: string): Promise<string>;
  get(url: string, ...headers: readonly string[]): Promise<string>;
  /** A tunnel: the connection, or what was answered. */
  tunnel(authority: string): Promise<Socket | string>;
}

/** Vouches for the sites, as the well-known authorities do. */
const world = createAuthority();

export const echoListener: RequestListener = (request, response) =>
  void response.end(`${request.method} ${request.url} at ${request.headers.host}`);

export async function proxyForTest(given: Given = {}): Promise<ProxyForTest> {
  const { sites = { "a.example": echoListener }, names = {} } = given;
  const seen: Seen[] = [];
  const dialled: string[] = [];
  const connections: Socket[] = [];
  const lookedUp: string[] = [];
  const hosts = Object.keys(sites);
  const addressOf = (host: string) => `93.184.216.${hosts.indexOf(host) + 1}`;
  const listening = async (server: Server): Promise<Server> => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return server;
  };
  const doors = await Promise.all(
    hosts.map(async (host) => {
      const listener = recording(sites[host]!, seen);
      const SNICallback = (name: string, done: (error: null, context: unknown) => void) =>
        done(null, world.contextFor(name));
      return {
        plain: await listening(createServer(listener)),
        secure: await listening(createSecureServer({ SNICallback } as object, listener)),
      };
    }),
  );
  const dial = dialBy({ ca: given.trusts ?? world.certificate });
  const folder = await mkdtemp(join(tmpdir(), "aos-proxy-"));
  const clear = async (): Promise<void> => {
    for (const server of doors.flatMap(({ plain, secure }) => [plain, secure])) {
      server.close();
      (server as Server & { closeAllConnections(): void }).closeAllConnections();
    }
    await rm(folder, { recursive: true });
  };
  const opening = openProxy({
    context: deviceContextForTest(),
    folder,
    resolve: async (host) => {
      lookedUp.push(host);
      return names[host] ?? (hosts.includes(host) ? [addressOf(host)] : []);
    },
    dial: (address, target) => {
      dialled.push(`${address}:${target.port}`);
      const at = Number(address.split(".").at(-1)) - 1;
      const door = doors[address.startsWith("93.") ? at : 0]!;
      const isSecure = target.scheme === "https" || target.port === 443;
      const { port } = (isSecure ? door.secure : door.plain).address() as { port: number };
      connections.push(dial("127.0.0.1", { ...target, port }));
      return connections.at(-1)!;
    },
    ...given,
  });
  const proxy = await opening.catch(async (error: unknown) => {
    await clear();
    throw error;
  });

  const open = async (): Promise<Socket> => {
    const socket = connect(proxy.socket);
    await once(socket, "connect");
    return socket;
  };
  const ask = async (text: string): Promise<string> => {
    const socket = await open();
    socket.write(Buffer.from(text, "latin1"));
    return allOf(socket);
  };
  return {
    proxy,
    seen,
    dialled,
    connections,
    lookedUp,
    connect: open,
    ask,
    get: (url, ...headers) => ask(proxyRequestText("GET", url, ...headers)),
    tunnel: async (authority) => {
      const socket = await open();
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
      const [first] = (await once(socket, "data")) as [Buffer];
      socket.pause();
      const text = first.toString("latin1");
      return text.startsWith("HTTP/1.1 200 ") ? socket : text + (await allOf(socket));
    },
    [Symbol.asyncDispose]: async () => {
      await proxy.close();
      await clear();
    },
  };
}

/** For a proxy: with the whole URL. The connection is closed after it. */
export function proxyRequestText(
  method: string,
  url: string,
  ...headers: readonly string[]
): string {
  const host = /^[a-z]+:\/\/([^/]*)/.exec(url)?.[1];
  const hosts = host === undefined || headers.some((one) => /^host:/i.test(one)) ? [] : [host];
  const lines = [...hosts.map((one) => `Host: ${one}`), ...headers, "Connection: close"];
  return `${method} ${url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

export async function allOf(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => (text += chunk));
  socket.on("error", () => {});
  socket.resume();
  if (!socket.closed) await once(socket, "close").catch(() => {});
  return text;
}

/** TLS inside a tunnel. By default the program trusts nobody but `ca`. */
export async function secured(
  tunnel: Socket | string,
  options: ConnectionOptions,
): Promise<TLSSocket> {
  if (typeof tunnel === "string") throw new Error(`no tunnel: ${tunnel}`);
  const secure = connectTls({ socket: tunnel, ALPNProtocols: ["http/1.1"], ...options });
  await once(secure, "secureConnect");
  return secure;
}

/** What the sites' certificates are signed by. */
export const worldAuthority = world.certificate;

const recording =
  (site: RequestListener, seen: Seen[]): RequestListener =>
  async (request, response) => {
    let body = "";
    try {
      for await (const chunk of request) body += String(chunk);
    } catch {
      return; // cut off
    }
    const { method = "", url = "", headers } = request;
    seen.push({ host: headers.host ?? "", method, url, headers, body });
    site(request, response);
  };
