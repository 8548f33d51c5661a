// Carry: forwards one request of a program and its answer.
//
// CARRY-1  Nothing is sent before the gate has allowed URL and method, every secret was released for its place, and
//     the address is checked.
// CARRY-2  The proxy frames messages itself in both directions; no framing of the other side is forwarded.
// CARRY-3  A refusal is an HTTP answer with the reason as text.

import {
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { pipeline } from "node:stream/promises";
import { SysError } from "@aos/protocol";
import { isHeaderLine } from "../../web/header-text.ts";
import { answerTo, networkFailure, reach, requestOn } from "../../web/reach.ts";
import { type UrlTarget, touchOf } from "../../web/url.ts";
import type { ProxyContext } from "./proxy-context.ts";
import { bodyTooLong, checkedBody } from "./placeholders.ts";
import { type Head, isPassedOn, readHead } from "./request-head.ts";

export async function forwardRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  outlet: ProxyContext,
  inside: string | undefined,
): Promise<void> {
  const { visits } = outlet;
  const method = (incoming.method ?? "").toLowerCase();
  const stopped = new AbortController();
  response.once("close", () =>
    stopped.abort(new SysError("EINTR", "the program closed the connection")),
  );
  const { signal } = stopped;
  let host = "";
  let leave = () => {};
  try {
    leave = outlet.enter();
    const head = readHead(incoming, inside);
    host = hostOfTarget(head.target);
    const answer = await send(head, incoming, outlet, signal).catch((error: unknown) => {
      throw networkFailure(signal.aborted ? signal.reason : error, head.target);
    });
    const headers = headersBack(answer, outlet);
    visits.note(host, method, answer.statusCode!);
    response.writeHead(answer.statusCode!, headers);
    await pipeline(answer, atMost(outlet.limits.responseBytes), response);
  } catch (error) {
    if (response.headersSent || !(error instanceof SysError)) response.destroy();
    else refuse(response, visits.noteFailure(host, method, error), error);
  } finally {
    leave();
  }
}

export const hostOfTarget = ({ origin }: UrlTarget): string => new URL(origin).host;

async function send(
  head: Head,
  incoming: IncomingMessage,
  outlet: ProxyContext,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { context, means, limits } = outlet;
  const { target, readings, method, body } = head;
  for (const reading of readings) context.authorize(touchOf(reading, method));
  if (typeof body === "number" && body > limits.requestBytes)
    throw bodyTooLong(limits.requestBytes);
  const headers = headersToSend(head, outlet);
  const socket = await reach(target, method, context, { ...means, signal });
  socket.setTimeout(limits.idleMs, () =>
    socket.destroy(new SysError("ETIMEDOUT", `${target.origin} does not answer`)),
  );
  const path = `${target.path}${target.query}`;
  const sending = requestOn(socket, { method, path, headers }, signal);
  const answer = answerTo(sending, target);
  if (body === "none") sending.end();
  else sendBody(incoming, sending, limits.requestBytes);
  return answer;
}

/** The program's connection stays: it is told what was wrong with the body. */
function sendBody(incoming: IncomingMessage, sending: ClientRequest, most: number): void {
  const checked = checkedBody(most);
  checked.once("error", (error) => {
    incoming.unpipe(checked);
    sending.destroy(error);
  });
  incoming.pipe(checked).pipe(sending);
}

function headersToSend(head: Head, { context, placeholders }: ProxyContext): string[] {
  const { origin } = head.target;
  const filled = head.headers.map(([name, value]) => {
    const header = name.toLowerCase();
    const text = placeholders.fill(value, (secret) =>
      context.secret(secret, { kind: "header", origin, header }),
    );
    if (!isHeaderLine(text))
      throw new SysError("EINVAL", `${name}: the value with its secret is not a valid header`);
    return [name, text] as const;
  });
  const own = [["host", hostOfTarget(head.target)] as const, ["connection", "close"] as const];
  return [...own, ...filled, ...framingOf(head)].flat();
}

function framingOf({ body }: Head): (readonly [name: string, value: string])[] {
  if (body === "none") return [];
  return body === "chunked"
    ? [["transfer-encoding", "chunked"]]
    : [["content-length", String(body)]];
}

function headersBack(answer: IncomingMessage, { placeholders, limits }: ProxyContext): string[] {
  const headers: string[] = [];
  for (let at = 0; at < answer.rawHeaders.length; at += 2) {
    const [name, value] = [answer.rawHeaders[at]!, answer.rawHeaders[at + 1]!];
    if (isPassedOn(name.toLowerCase())) headers.push(name, placeholders.hide(value));
  }
  const { "content-length": length, "transfer-encoding": coding } = answer.headers;
  if (length !== undefined && coding === undefined) {
    if (Number(length) > limits.responseBytes) throw tooLong(limits.responseBytes);
    headers.push("content-length", length);
  }
  return headers;
}

const atMost = (most: number) =>
  async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      if (size > most) throw tooLong(most);
      yield chunk;
    }
  };

const tooLong = (most: number): SysError =>
  new SysError("EUPSTREAM", `the answer has more than ${most} bytes`);

function refuse(response: ServerResponse, status: number, error: SysError): void {
  // What is left of the request is not read: the connection ends with the answer.
  response.writeHead(status, { ...REFUSAL_HEADERS });
  response.end(refusalText(error));
}

const REFUSAL_HEADERS = { "content-type": "text/plain; charset=utf-8", connection: "close" };

const refusalText = ({ code, message, hint }: SysError): string =>
  `Agent OS: ${code}: ${message}\n${hint === undefined ? "" : `hint: ${hint}\n`}`;

/** The same, as bytes, where there is no response to answer with. */
export function refusalAnswer(status: number, error: SysError): string {
  const headers = Object.entries(REFUSAL_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join("")}\r\n${refusalText(error)}`;
}
