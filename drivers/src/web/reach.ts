// Reach: from an allowed target to a connection and the answer on it. Every outgoing request uses it.
//
//   const socket = await reach(target, "get", context, means);
//   const sending = requestOn(socket, { method, path, headers }, signal);
//   const answer = await answerTo(sending, target);

import {
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as httpRequest,
} from "node:http";
import type { Socket } from "node:net";
import { type DeviceContext, SysError } from "@aos/protocol";
import { connectFirst, type DialOptions } from "./dial.ts";
import { withAbort } from "./with-abort.ts";
import { checkedAddresses, type Resolve } from "./resolve.ts";
import type { UrlTarget } from "./url.ts";

export interface ReachOptions extends DialOptions {
  readonly resolve: Resolve;
  readonly signal: AbortSignal;
}

const MAX_HEADER_BYTES = 32_768;

/** A connection to one of the target's addresses, each of which was checked. */
export async function reach(
  target: UrlTarget,
  method: string,
  gate: Pick<DeviceContext, "authorize">,
  means: ReachOptions,
): Promise<Socket> {
  const checking = checkedAddresses(target, method, gate, means.resolve);
  const addresses = await withAbort(checking, means.signal);
  return connectFirst(addresses, target, means, means.signal);
}

export interface RequestHead {
  readonly method: string;
  readonly path: string;
  /** By name; or names and values by turns, and then all of them. */
  readonly headers: OutgoingHttpHeaders | readonly string[];
}

export function requestOn(socket: Socket, head: RequestHead, signal: AbortSignal): ClientRequest {
  const sending = httpRequest({
    method: head.method.toUpperCase(),
    path: head.path,
    headers: head.headers,
    createConnection: () => socket,
    signal,
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  });
  // All headers: too many are an error at the reader, instead of being dropped.
  sending.maxHeadersCount = 0;
  return sending;
}

export function answerTo(sending: ClientRequest, { origin }: UrlTarget): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  sending.once("response", resolve);
  sending.once("error", reject);
  sending.once("upgrade", (_response, upgraded) => {
    upgraded.destroy();
    reject(new SysError("EUPSTREAM", `${origin} switches to another protocol`));
  });
  return promise;
}

/** What went wrong out there. No error says what is in a header. */
export function networkFailure(error: unknown, { origin }: UrlTarget): SysError {
  if (error instanceof SysError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new SysError("EUPSTREAM", `${origin}: ${code ?? message}`);
}
