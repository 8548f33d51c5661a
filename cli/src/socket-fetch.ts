// SocketFetch: `fetch` over a Unix socket.
//
// F1  NoDaemon means that nothing was sent: the caller may start a daemon and ask again.

import { request, type IncomingMessage } from "node:http";
import type { FetchLike } from "@aos/client";
import { SysError } from "@aos/protocol/words";

export class NoDaemon extends SysError {
  constructor(socket: string) {
    super("ENOENT", `no daemon is up on ${socket}`, { hint: "start one with `aos up -d`" });
  }
}

export class DaemonWentAway extends SysError {
  constructor() {
    super("EINTR", "the daemon went away before it answered", {
      hint: "nothing recorded is lost; see `aos status`, or start it again with `aos up -d`",
    });
  }
}

export function socketFetch(socketPath: string): FetchLike {
  return async (url, { method, headers, body, signal }) => {
    const { pathname, search } = new URL(url);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sending = request(
        // A connection of its own for each request: one that was kept could be to a daemon that is
        // stopping.
        {
          socketPath,
          agent: false,
          method,
          path: pathname + search,
          headers,
          ...(signal && { signal }),
        },
        resolve,
      );
      sending.once("error", (error) => reject(translated(error, socketPath)));
      sending.end(body);
    });
    return { status: answer.statusCode ?? 0, text: () => textOf(answer), body: piecesOf(answer) };
  };
}

const NOT_THERE = new Set(["ENOENT", "ECONNREFUSED", "ENOTDIR"]);
const WENT_AWAY = new Set(["ECONNRESET", "EPIPE", "ABORT_ERR"]);

function translated(error: NodeJS.ErrnoException, socketPath: string): Error {
  if (NOT_THERE.has(error.code ?? "")) return new NoDaemon(socketPath);
  if (WENT_AWAY.has(error.code ?? "")) return new DaemonWentAway();
  return new SysError("EINVAL", `cannot reach the daemon on ${socketPath}: ${error.message}`, {
    hint: "is AOS_HOME, or AOS_SOCKET, what you meant?",
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
    throw new DaemonWentAway();
  }
}
