// Egress: the client for requests that leave this machine. Every hop is authorised, checked and connected separately.
//
//   createEgress().send(request, context)   the last reply, and the URLs on the way to it
//
// EGRESS-1  Before a hop is sent: the gate allows host, port, path and method; every address is public or
//     granted itself (resolve.ts); and the connection goes to one of those addresses.
// EGRESS-2  Secrets are requested per hop, for the origin of the hop. To another origin than the first neither
//     secrets nor identifying headers are sent, also not afterwards.
// EGRESS-3  A redirect never leads from https to http, and their number is limited.
// EGRESS-4  Each hop has its own connection, closed afterwards. The environment's proxies are
//     ignored.
// EGRESS-5  No error contains the value of a header.

import type { IncomingMessage } from "node:http";
import { type DeviceContext, type Json, SysError } from "@aos/protocol";
import { type Dial, dialBy, type Trust } from "./dial.ts";
import { fillSecrets, type HeaderTexts, isHeaderLine, secretsIn } from "./header-text.ts";
import { type Body, CODINGS, headersOf, readBody } from "./reply.ts";
import { type Resolve, resolveByMachine } from "./resolve.ts";
import { answerTo, networkFailure, type ReachOptions, reach, requestOn } from "./reach.ts";
import { type Hop, nextHop } from "./redirect.ts";
import { type UrlTarget, touchOf } from "./url.ts";

export interface EgressRequest {
  readonly method: string;
  readonly target: UrlTarget;
  readonly headers: HeaderTexts;
  readonly body?: Buffer;
  /** Bytes of the reply's body that are kept. */
  readonly limit: number;
  /** For all hops together. */
  readonly timeoutMs: number;
  /** With 0 a redirect is the reply. */
  readonly maxRedirects: number;
}

export interface EgressReply extends Body {
  readonly status: number;
  readonly headers: Record<string, Json>;
  readonly url: string;
  /** The URLs that led on, in their order. */
  readonly hops: readonly string[];
}

export interface EgressOptions extends Trust {
  readonly resolve?: Resolve;
  readonly dial?: Dial;
  /** How long one address has to answer, before the next is tried. */
  readonly connectMs?: number;
}

/** What a request asks on its way: may it go there, and what is the secret. */
export type EgressContext = Pick<DeviceContext, "authorize" | "secret" | "signal">;

export interface Egress {
  send(request: EgressRequest, context: EgressContext): Promise<EgressReply>;
}

export function createEgress(options: EgressOptions = {}): Egress {
  const { resolve = resolveByMachine, dial = dialBy(options), connectMs = 10_000 } = options;
  return {
    async send(request, context) {
      const time = AbortSignal.timeout(request.timeoutMs);
      const signal = AbortSignal.any([context.signal, time]);
      try {
        return await follow(request, context, { resolve, dial, connectMs, signal });
      } catch (error) {
        throw explain(error, request, context.signal, time);
      }
    },
  };
}

async function follow(
  request: EgressRequest,
  context: EgressContext,
  means: ReachOptions,
): Promise<EgressReply> {
  const { limit, maxRedirects } = request;
  let hop: Hop = request;
  const hops: string[] = [];
  for (;;) {
    const response = await sendHop(hop, context, means);
    const next = maxRedirects === 0 ? undefined : nextHop(hop, response);
    if (next === undefined) {
      const { statusCode: status = 0 } = response;
      const headers = headersOf(response);
      return { status, headers, url: hop.target.url, hops, ...(await readBody(response, limit)) };
    }
    response.destroy();
    hops.push(hop.target.url);
    if (hops.length > maxRedirects)
      throw new SysError("EUPSTREAM", `more than ${maxRedirects} redirects`);
    hop = next;
  }
}

async function sendHop(
  hop: Hop,
  context: EgressContext,
  means: ReachOptions,
): Promise<IncomingMessage> {
  const { method, target } = hop;
  context.authorize(touchOf(target, method));
  const headers = headersToSend(hop, context);
  const socket = await reach(target, method, context, means);
  const path = `${target.path}${target.query}`;
  const sending = requestOn(socket, { method, path, headers }, means.signal);
  const answer = answerTo(sending, target);
  sending.end(hop.body);
  return answer;
}

function headersToSend(hop: Hop, context: EgressContext): Record<string, string> {
  const { origin, host, port, scheme } = hop.target;
  const usual = port === (scheme === "https" ? 443 : 80);
  const filled = Object.entries(hop.headers).map(([name, value]): [string, string] => {
    const header = name.toLowerCase();
    const text = fillSecrets(value, (secret) =>
      context.secret(secret, { kind: "header", origin, header }),
    );
    if (!isHeaderLine(text))
      throw new SysError(
        "EINVAL",
        `${name}: the value with ${secretsIn({ value }).join()} is not a valid header`,
      );
    return [header, text];
  });
  return {
    "user-agent": "aos",
    accept: "*/*",
    ...Object.fromEntries(filled),
    host: usual ? host : `${host}:${port}`,
    "accept-encoding": CODINGS,
    connection: "close",
    ...lengthOf(hop),
  };
}

/** Said outright, so that no server waits for more. */
function lengthOf({ method, body }: Hop): Record<string, string> {
  if (body !== undefined) return { "content-length": String(body.length) };
  return ["post", "put", "patch"].includes(method) ? { "content-length": "0" } : {};
}

function explain(
  error: unknown,
  { target, timeoutMs }: EgressRequest,
  stopped: AbortSignal,
  time: AbortSignal,
): SysError {
  if (stopped.aborted)
    return stopped.reason instanceof SysError
      ? stopped.reason
      : new SysError("EINTR", `the request to ${target.origin} was cancelled`);
  if (error instanceof SysError) return error;
  if (time.aborted)
    return new SysError("ETIMEDOUT", `${target.origin} took longer than ${timeoutMs} ms`);
  return networkFailure(error, target);
}
