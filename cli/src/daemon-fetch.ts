// DaemonFetch: `fetch` over a Unix socket, or to a remote daemon with a token.
//
// DAEMON-FETCH-1  NoDaemon means that nothing was sent: the caller may start a daemon and repeat the request.
// DAEMON-FETCH-2  The token is sent only to the address that was given with it: no redirect is followed.

import type { IncomingMessage, RequestOptions } from "node:http";
import type { FetchLike } from "@aos/client";
import { SysError } from "@aos/protocol/words";
import type { RemoteEndpoint } from "./endpoint.ts";

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
  readonly isTls: boolean;
  readonly options: RequestOptions;
  readonly headers: Readonly<Record<string, string>>;
  readonly hint: string | undefined;
}

export const socketFetch = (socketPath: string): FetchLike =>
  fetchThrough({
    where: socketPath,
    isTls: false,
    options: { socketPath },
    headers: {},
    hint: undefined,
  });

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

function fetchThrough(target: FetchTarget): FetchLike {
  return async (url, { method, headers, body, signal }) => {
    const { pathname, search } = new URL(url);
    // A connection of its own for each request: one that was kept could be to a daemon that is stopping.
    const options: RequestOptions = {
      ...target.options,
      agent: false,
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
    return { status: answer.statusCode ?? 0, text: () => textOf(answer), body: piecesOf(answer) };
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
  if (NOT_THERE.has(error.code ?? "")) return new NoDaemon(where, hint);
  if (WENT_AWAY.has(error.code ?? "")) return new DaemonConnectionError();
  return new SysError("EINVAL", `cannot reach the daemon on ${where}: ${error.message}`, {
    hint: hint ?? "check AOS_HOME and AOS_SOCKET",
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of piecesOf(answer)) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

async function* piecesOf(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of answer) yield piece as Uint8Array;
  } catch {
    throw new DaemonConnectionError();
  }
}
