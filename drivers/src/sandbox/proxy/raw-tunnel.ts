// RawTunnel: a tunnel whose bytes are not read.
//
// RAW-TUNNEL-1  It needs a whole grant for the host (whole-grants.ts), and one for its address if that is not public.
//     The gate is asked about every method and must allow it.
// RAW-TUNNEL-2  It is never used with a secret, which must be inserted and checked.
// RAW-TUNNEL-3  It is cut when the grant ends, when either side ends, and when the call is stopped.

import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SysError, type Touch } from "@aos/protocol";
import { reach } from "../../web/reach.ts";
import { type UrlTarget, touchOf } from "../../web/url.ts";
import type { ProxyContext, ProxyLimits } from "./proxy-context.ts";
import { METHODS, wholeUntil } from "./whole-grants.ts";

export interface RawTunnel {
  readonly socket: Socket;
  /** When the grant ends, in milliseconds since 1970; Infinity when it does not. */
  readonly until: number;
}

const MAX_TIMER_MS = 2_147_483_647;

/** An address that the process may not do everything at. */
class NotWhole extends Error {}

/** A connection to where a tunnel leads; undefined where it has to be opened. */
export async function openRawTunnel(
  target: UrlTarget,
  { context, placeholders, means }: ProxyContext,
  signal: AbortSignal,
): Promise<RawTunnel | undefined> {
  if (!placeholders.isEmpty) return undefined;
  let until = wholeUntil(context.granted("http"), target);
  if (until === undefined || !METHODS.every((one) => context.permits(touchOf(target, one))))
    return undefined;
  for (const method of METHODS) context.authorize(touchOf(target, method));

  /** Asked about each address that is not public. */
  const authorize = ({ kind, resource }: Touch): void => {
    const host = resource.slice(0, resource.lastIndexOf(":"));
    const there = wholeUntil(context.granted("http"), { host, port: target.port });
    if (there === undefined) throw new NotWhole();
    for (const verb of METHODS) context.authorize({ kind, resource, verb });
    until = Math.min(until!, there);
  };
  try {
    // As if it were http: the TLS in it is the program's own.
    const plain = { ...target, scheme: "http" } as const;
    const socket = await reach(plain, "get", { authorize }, { ...means, signal });
    return { socket, until };
  } catch (error) {
    if (error instanceof NotWhole) return undefined;
    throw error;
  }
}

/** Until both sides have ended. */
export async function relayBytes(
  client: Socket,
  { socket, until }: RawTunnel,
  { requestBytes, responseBytes }: ProxyLimits,
  signal: AbortSignal,
): Promise<void> {
  const ending = new AbortController();
  const cut = () => ending.abort(new SysError("EACCES", "the grant has ended"));
  const timer =
    until === Infinity
      ? undefined
      : setTimeout(cut, Math.min(Math.max(until - Date.now(), 0), MAX_TIMER_MS));
  const both = AbortSignal.any([signal, ending.signal]);
  try {
    await Promise.all([
      flow(client, socket, requestBytes, both),
      flow(socket, client, responseBytes, both),
    ]);
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error;
  } finally {
    clearTimeout(timer);
    client.destroy();
    socket.destroy();
  }
}

const flow = (from: Readable, to: Writable, most: number, signal: AbortSignal): Promise<void> =>
  pipeline(
    from,
    async function* (source: AsyncIterable<Buffer>) {
      let size = 0;
      for await (const chunk of source) {
        size += chunk.length;
        if (size > most) throw new SysError("EACCES", `a tunnel has more than ${most} bytes`);
        yield chunk;
      }
    },
    to,
    { signal },
  );
