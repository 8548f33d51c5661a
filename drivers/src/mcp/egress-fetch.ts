// Egress fetch: the `fetch` that the MCP library uses to reach a server over HTTP.
//
// EGRESS-FETCH-1  Only the declared server and the hosts of its declaration are reachable, each at a checked address
//     (declared-gate.ts). During a call the process must hold the server's address at every request.
// EGRESS-FETCH-2  Declared headers and secrets go only to the server's own origin. A secret is used on behalf of a
//     call; outside of one there is none.
// EGRESS-FETCH-3  Redirects are not followed here; each needs a new request.
// EGRESS-FETCH-4  The size of an answer is limited.

import { SysError } from "@aos/protocol";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { dialBy } from "../web/dial.ts";
import type { EgressOptions } from "../web/egress.ts";
import { isHeaderLine } from "../web/header-text.ts";
import { answerTo, networkFailure, reach, requestOn } from "../web/reach.ts";
import { resolveByMachine } from "../web/resolve.ts";
import { readUrl, type UrlTarget, touchOf } from "../web/url.ts";
import type { CallRegistry } from "./call-registry.ts";
import type { HttpDeclaration } from "./declaration.ts";
import { authorizeAddress, isDeclared, refusePlainlyPrivate } from "./declared-gate.ts";

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** For requests that come without a way to stop them: those of a sign-in. */
const ALONE_MS = 30_000;
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

export function egressFetch(
  declaration: HttpDeclaration,
  registry: CallRegistry,
  options: EgressOptions = {},
): Fetch {
  const { resolve = resolveByMachine, dial = dialBy(options), connectMs = 10_000 } = options;
  const own = readUrl(declaration.url);
  return async (url, init = {}) => {
    const target = readUrl(String(url));
    const method = (init.method ?? "get").toLowerCase();
    const signal = init.signal ?? AbortSignal.timeout(ALONE_MS);
    const isOwn = target.origin === own.origin;
    try {
      authorizeTarget(declaration, registry, own, target);
      const headers = headersOf(declaration, registry, init, target, isOwn);
      const body = bodyOf(init.body);
      const gate = {
        authorize: (touch: ReturnType<typeof touchOf>) => {
          authorizeAddress(declaration, own, touch);
          if (isOwn) registry.sender()?.authorize({ ...touch, verb: "post" });
        },
      };
      const socket = await reach(target, method, gate, { resolve, dial, connectMs, signal });
      const path = `${target.path}${target.query}`;
      const sending = requestOn(
        socket,
        { method, path, headers: { ...headers, ...lengthOf(method, body) } },
        signal,
      );
      const answer = answerTo(sending, target);
      sending.end(body);
      return responseOf(await answer);
    } catch (error) {
      if (init.signal?.aborted) throw init.signal.reason;
      throw networkFailure(error, target);
    }
  };
}

/** EGRESS-FETCH-1. */
function authorizeTarget(
  declaration: HttpDeclaration,
  registry: CallRegistry,
  own: UrlTarget,
  target: UrlTarget,
): void {
  refusePlainlyPrivate(declaration, target);
  if (target.origin === own.origin) {
    registry.sender()?.authorize(touchOf(own, "post"));
    return;
  }
  if (isDeclared(declaration, target)) return;
  const { name } = declaration;
  throw new SysError("EACCES", `the MCP server ${name} redirects to ${target.origin}`, {
    hint: `add "${target.host}:${target.port}" to its hosts to allow it`,
  });
}

/** EGRESS-FETCH-2. */
function headersOf(
  declaration: HttpDeclaration,
  registry: CallRegistry,
  init: RequestInit,
  { origin, host, port, scheme }: UrlTarget,
  isOwn: boolean,
): Record<string, string> {
  const declared = isOwn ? Object.entries(declaration.headers) : [];
  const filled = declared.map(([written, setting]): [string, string] => {
    const header = written.toLowerCase();
    if ("text" in setting) return [header, setting.text];
    const sender = registry.sender();
    if (sender === undefined)
      throw new SysError("EACCES", `the secret ${setting.secret} is available only during a call`, {
        hint: "it is inserted into requests of a process that may use it",
      });
    return [header, sender.secret(setting.secret, { kind: "header", origin, header })];
  });
  for (const [header, text] of filled)
    if (!isHeaderLine(text))
      throw new SysError("EINVAL", `${header}: the value is not a valid header`);
  const usual = port === (scheme === "https" ? 443 : 80);
  return {
    "user-agent": "aos",
    ...Object.fromEntries(filled),
    ...Object.fromEntries(new Headers(init.headers)),
    host: usual ? host : `${host}:${port}`,
    "accept-encoding": "identity",
    connection: "close",
  };
}

function bodyOf(body: RequestInit["body"]): Buffer | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof URLSearchParams) return Buffer.from(body.toString());
  if (body instanceof Uint8Array) return Buffer.from(body);
  throw new SysError("EINVAL", "a request to an MCP server has a body of an unknown type");
}

function lengthOf(method: string, body: Buffer | undefined): Record<string, string> {
  if (body !== undefined) return { "content-length": String(body.length) };
  return method === "post" ? { "content-length": "0" } : {};
}

/** EGRESS-FETCH-4. */
function responseOf(answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 0;
  const headers = new Headers();
  for (let at = 0; at < answer.rawHeaders.length; at += 2)
    headers.append(answer.rawHeaders[at]!, answer.rawHeaders[at + 1]!);
  const coding = headers.get("content-encoding") ?? "identity";
  if (coding.trim().toLowerCase() !== "identity") {
    answer.destroy();
    throw new SysError("EUPSTREAM", "the answer has an encoding that was not requested");
  }
  if (WITHOUT_BODY.has(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  const limited = Readable.from(atMost(answer, MAX_ANSWER_BYTES), { objectMode: false });
  // The failure of an abandoned stream is ignored.
  limited.on("error", () => {});
  return new Response(Readable.toWeb(limited) as ReadableStream, { status, headers });
}

async function* atMost(source: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > most) throw new SysError("EUPSTREAM", `the answer has more than ${most} bytes`);
    yield chunk;
  }
}
