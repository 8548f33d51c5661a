// DaemonFetch: `fetch` over a Unix socket, or to a remote daemon with a token.
//
// DAEMON-FETCH-1  NoDaemon means that nothing was sent: the caller may start a daemon and repeat the request.
// DAEMON-FETCH-2  The token is sent only to the address that was given with it: no redirect is followed.
// DAEMON-FETCH-3  Each request has a connection of its own: one that was kept could be to a daemon that is stopping.

import type { IncomingMessage, RequestOptions } from "node:http";
import type { Socket } from "node:net";
import type { FetchLike } from "@aos/client";
import { SysError } from "@aos/protocol/failures";
import type { RemoteEndpoint } from "./endpoint.ts";
import { ResponseReader } from "./response-reader.ts";

export class NoDaemon extends SysError {
  constructor(where: string, hint = "start it with `aos up -d`") {
    super("ENOENT", `no daemon is running on ${where}`, { hint });
  }
}

export class DaemonConnectionError extends SysError {
  constructor() {
    super("EINTR", "the daemon stopped before it answered", {
      hint: "no record is lost; see `aos status`, or start it again with `aos up -d`",
    });
  }
}

interface FetchTarget {
  readonly where: string;
  readonly hint: string | undefined;
}

interface RemoteTarget extends FetchTarget {
  readonly isTls: boolean;
  readonly options: RequestOptions;
  readonly headers: Readonly<Record<string, string>>;
}

/** Over `node:net`: loading `node:http` takes a quarter of what a short command takes. */
export const socketFetch =
  (path: string): FetchLike =>
  async (url, { method, headers, body = "", signal }) => {
    const { pathname, search } = new URL(url);
    const lines = [
      `${method} ${pathname}${search} HTTP/1.1`,
      "host: aos",
      "connection: close", // DAEMON-FETCH-3
      `content-length: ${Buffer.byteLength(body)}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    if (lines.some((line) => /[\r\n]/.test(line)))
      throw new SysError("EINVAL", "a header of the request has more than one line");
    const target = { where: path, hint: undefined };
    const socket = await connected(path).catch((error: unknown) => {
      throw translated(error as NodeJS.ErrnoException, target);
    });
    const stop = () => socket.destroy(new DaemonConnectionError());
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
    const over = () => {
      signal?.removeEventListener("abort", stop);
      socket.destroy();
    };
    socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
    const reader = new ResponseReader(socket);
    try {
      const { status } = await reader.head();
      const pieces = piecesOf(reader.body(), over);
      return { status, text: () => textOf(pieces), body: pieces };
    } catch (error) {
      over();
      throw translated(error as NodeJS.ErrnoException, target);
    }
  };

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = process.getBuiltinModule("node:net").connect(path);
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

export function remoteFetch({ url, token }: RemoteEndpoint): FetchLike {
  const { hostname, port, protocol } = new URL(url);
  return fetchThrough({
    where: url,
    isTls: protocol === "https:",
    options: { hostname: hostname.replace(/^\[(.*)\]$/, "$1"), ...(port === "" ? {} : { port }) },
    headers: { authorization: `Bearer ${token}` },
    hint: "check AOS_URL; `aos status` on the daemon's machine shows its address",
  });
}

function fetchThrough(target: RemoteTarget): FetchLike {
  return async (url, { method, headers, body, signal }) => {
    const { pathname, search } = new URL(url);
    const options: RequestOptions = {
      ...target.options,
      agent: false, // DAEMON-FETCH-3
      method,
      path: pathname + search,
      headers: { ...headers, ...target.headers },
      ...(signal && { signal }),
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sending = requester(target.isTls)(options, resolve);
      sending.once("error", (error) => reject(translated(error, target)));
      sending.end(body);
    });
    const pieces = piecesOf(answer);
    return { status: answer.statusCode ?? 0, text: () => textOf(pieces), body: pieces };
  };
}

/** Not by `import`, which asks the module for all that it exports, and so loads a browser's half. */
const requester = (isTls: boolean) =>
  isTls
    ? process.getBuiltinModule("node:https").request
    : process.getBuiltinModule("node:http").request;

const NOT_THERE = new Set(["ENOENT", "ECONNREFUSED", "ENOTDIR"]);
const WENT_AWAY = new Set(["ECONNRESET", "EPIPE", "ABORT_ERR"]);

function translated(error: NodeJS.ErrnoException, { where, hint }: FetchTarget): Error {
  if (error instanceof SysError) return error;
  if (NOT_THERE.has(error.code ?? "")) return new NoDaemon(where, hint);
  if (WENT_AWAY.has(error.code ?? "")) return new DaemonConnectionError();
  return new SysError("EINVAL", `cannot reach the daemon on ${where}: ${error.message}`, {
    hint: hint ?? "check AOS_HOME and AOS_SOCKET",
  });
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString("utf8");
}

/** `over` when it was read, has failed, or nobody reads on. */
async function* piecesOf(
  answer: AsyncIterable<unknown>,
  over?: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of answer) yield piece as Uint8Array;
  } catch {
    throw new DaemonConnectionError();
  } finally {
    over?.();
  }
}
