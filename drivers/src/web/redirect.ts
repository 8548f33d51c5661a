// Redirects: the next request of a redirecting reply. It is authorised like any other request.

import type { IncomingMessage } from "node:http";
import { SysError } from "@aos/protocol";
import { type HeaderTexts, secretsIn } from "./header-text.ts";
import { readLocation, type UrlTarget } from "./url.ts";

/** One request of the chain that a call may become. */
export interface Hop {
  readonly method: string;
  readonly target: UrlTarget;
  readonly headers: HeaderTexts;
  readonly body?: Buffer;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What may be told to an origin that the process did not name. */
const HARMLESS = new Set([
  "accept",
  "accept-language",
  "cache-control",
  "content-language",
  "content-type",
  "idempotency-key",
  "if-modified-since",
  "if-none-match",
  "range",
  "user-agent",
]);

export function nextHop(hop: Hop, { statusCode, headers }: IncomingMessage): Hop | undefined {
  const { location } = headers;
  if (statusCode === undefined || !REDIRECTS.has(statusCode) || location === undefined) return;
  const target = readLocation(location, hop.target);
  if (hop.target.scheme === "https" && target.scheme === "http")
    throw new SysError("EACCES", `${hop.target.origin} redirects from https to http`);
  const kept = target.origin === hop.target.origin ? hop.headers : harmlessOf(hop.headers);
  if (!becomesGet(statusCode, hop.method))
    return { method: hop.method, target, headers: kept, ...(hop.body && { body: hop.body }) };
  return { method: "get", target, headers: withoutBody(kept) };
}

/** As browsers do it: 303 always, 301 and 302 of a post. */
function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== "head" && method !== "get";
  return (status === 301 || status === 302) && method === "post";
}

const harmlessOf = (headers: HeaderTexts): HeaderTexts =>
  pick(headers, (name, value) => HARMLESS.has(name) && secretsIn({ value }).length === 0);

const withoutBody = (headers: HeaderTexts): HeaderTexts =>
  pick(headers, (name) => !name.startsWith("content-") && name !== "idempotency-key");

const pick = (
  headers: HeaderTexts,
  keep: (name: string, value: HeaderTexts[string]) => boolean,
): HeaderTexts =>
  Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => keep(name.toLowerCase(), value)),
  );
