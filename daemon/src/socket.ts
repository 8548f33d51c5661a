// Socket: the app on a Unix socket that only its owner can open, and its group where the operator says so.
//
// SOCKET-1  Everyone who can open it is an operator: at no moment is it open to other users.

import { lstatSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { connect } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { SysError } from "@aos/protocol";
import type { Hono } from "hono";
import type { GatewayEnv } from "./gateway/caller.ts";

export const socketAccess = ["owner", "group"] as const;
export type SocketAccess = (typeof socketAccess)[number];

/** How long answers that are under way have to get out. */
const GRACE_MS = 1000;

export async function listenOn(
  path: string,
  app: Hono<GatewayEnv>,
  access: SocketAccess = "owner",
): Promise<{ server: Server; close(): Promise<void> }> {
  await clearStale(path);
  const server = createAdaptorServer({
    fetch: (request, env) => app.fetch(request, { ...env, transport: "socket" }),
  }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(cannotListen(path, error)));
    // SOCKET-1: the socket is made in this very call, with this mode.
    const umask = process.umask(access === "group" ? 0o117 : 0o177);
    server.listen(path, resolve);
    process.umask(umask);
  });
  return { server, close: () => closeServer(server) };
}

/** A killed daemon leaves its socket behind. What answers, or is no socket, is not ours to remove. */
async function clearStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) {
    throw new SysError("EEXIST", `${path} exists and is not a socket`, {
      hint: "move it, or set AOS_SOCKET to another path",
    });
  }
  if (await answers(path)) {
    throw new SysError("EEXIST", `another daemon listens on ${path}`, {
      hint: "stop it with `aos down`, or set AOS_SOCKET to another path",
    });
  }
  rmSync(path, { force: true });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once("connect", () => resolve(true));
    probe.once("error", () => resolve(false));
    probe.once("connect", () => probe.destroy());
  });
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

const cannotListen = (path: string, error: Error): SysError =>
  new SysError("ESTORE", `cannot listen on ${path}: ${error.message}`, {
    hint: "set AOS_SOCKET to a path in a folder that you can write to",
  });
