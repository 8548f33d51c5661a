// Request heads: validates requests of a program so that they have one interpretation. Node's parser has parsed them
// strictly before; these are the additional rules.
//
// REQUEST-HEAD-1  A URL is parsed as strictly as in the http tools. Inside a tunnel it is a path, and the host is the
//     tunnel's.
// REQUEST-HEAD-2  `Host` equals the host and port of the URL. Only HTTP/1.0 may omit it.
// REQUEST-HEAD-3  `Host`, `Content-Length` and `Transfer-Encoding` occur at most once. The last is `chunked`, and
//     then there is no length.
// REQUEST-HEAD-4  Only headers about the request are forwarded, none about the connection. The proxy frames the
//     request itself.
// REQUEST-HEAD-5  Servers read an encoded slash as a slash or as a character. Both readings are checked; the original
//     is sent.

import type { IncomingMessage } from "node:http";
import { SysError } from "@aos/protocol";
import { isHeaderLine } from "../../web/header-text.ts";
import { readUrl, type UrlTarget } from "../../web/url.ts";
import { hasPlaceholder, misplaced } from "./placeholders.ts";
import { METHODS } from "./whole-grants.ts";

type Header = readonly [name: string, value: string];

export interface Head {
  readonly target: UrlTarget;
  /** What the gate has to allow: the target, as anybody may read it. */
  readonly readings: readonly UrlTarget[];
  /** In small letters. */
  readonly method: string;
  /** Without those about the connection. */
  readonly headers: readonly Header[];
  /** Its length in bytes, where that is said. */
  readonly body: "none" | "chunked" | number;
}

const MAX_HEADERS = 128;
const VERSIONS = new Set(["1.0", "1.1"]);

/** About the connection, or for us. Also all of `proxy-…`. */
const NOT_PASSED = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** `inside`: the origin of the tunnel that it came through. */
export function readHead(incoming: IncomingMessage, inside: string | undefined): Head {
  const method = (incoming.method ?? "").toLowerCase();
  if (!METHODS.includes(method)) throw refused(`no capability covers the method ${method}`);
  const headers = readHeaders(incoming);
  const read = readTarget(incoming.url ?? "", inside);
  checkHost(single(headers, "host"), read.target);
  return { ...read, method, headers: passedOn(headers), body: bodyOf(headers, incoming) };
}

function readTarget(text: string, inside: string | undefined): Pick<Head, "target" | "readings"> {
  if (hasPlaceholder(text)) throw misplaced("the URL");
  if (text.includes("#")) throw refused("its URL has a fragment");
  if (inside === undefined) return readInEveryWay(text);
  if (!text.startsWith("/")) throw refused("the URL inside a tunnel must be a path");
  return readInEveryWay(`${inside}${text}`);
}

const PARTS = /^([a-z]+:\/\/[^/?]*)([^?]*)(.*)$/i;
const SLASH = /%2f/gi;
/** An encoded slash that was encoded once more: to the gate a character like any other. */
const NO_SLASH = "%252f";

function readInEveryWay(text: string): Pick<Head, "target" | "readings"> {
  const [, origin = "", path = "", query = ""] = PARTS.exec(text) ?? [];
  if (path.search(SLASH) < 0) {
    const target = readUrl(text);
    return { target, readings: [target] };
  }
  if (path.toLowerCase().includes(NO_SLASH)) throw refused("its path is encoded twice");
  const asSlash = readUrl(`${origin}${path.replaceAll(SLASH, "/")}${query}`);
  const asCharacter = readUrl(`${origin}${path.replaceAll(SLASH, NO_SLASH)}${query}`);
  const written = asCharacter.path.replaceAll(NO_SLASH, "%2f");
  const url = `${asCharacter.origin}${written}${asCharacter.query}`;
  return { target: { ...asCharacter, path: written, url }, readings: [asSlash, asCharacter] };
}

function readHeaders({ httpVersion, rawHeaders: raw }: IncomingMessage): Header[] {
  // A line that ends in nothing but a line break is read as version 0.9.
  if (!VERSIONS.has(httpVersion)) throw refused(`it is HTTP ${httpVersion}`);
  if (raw.length > 2 * MAX_HEADERS) throw refused(`it has more than ${MAX_HEADERS} headers`);
  const headers: Header[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const [name, value] = [raw[at]!, raw[at + 1]!];
    if (hasPlaceholder(name)) throw misplaced("a header's name");
    if (!isHeaderLine(value)) throw refused(`${name} is not one line of visible ASCII`);
    headers.push([name, value]);
  }
  if (httpVersion !== "1.0" && single(headers, "host") === undefined)
    throw refused("it has no Host header");
  return headers;
}

function single(headers: readonly Header[], wanted: string): string | undefined {
  const found = headers.filter(([name]) => name.toLowerCase() === wanted);
  if (found.length > 1) throw refused(`it repeats the header ${wanted}`);
  return found[0]?.[1];
}

function checkHost(said: string | undefined, target: UrlTarget): void {
  if (said === undefined) return;
  if (readUrl(`${target.scheme}://${said}/`).origin !== target.origin || /[/?#]/.test(said))
    throw refused("its Host header names another host");
}

function bodyOf(headers: readonly Header[], { httpVersion }: IncomingMessage): Head["body"] {
  const length = single(headers, "content-length");
  const coding = single(headers, "transfer-encoding");
  if (coding === undefined) {
    if (length === undefined) return "none";
    if (!/^\d{1,15}$/.test(length)) throw refused("its Content-Length is not a number");
    return Number(length);
  }
  if (length !== undefined || coding !== "chunked" || httpVersion !== "1.1")
    throw refused("its Transfer-Encoding is not `chunked` alone");
  return "chunked";
}

function passedOn(headers: readonly Header[]): Header[] {
  const named = headers
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.toLowerCase().split(/[\s,]+/));
  return headers.filter(([name]) => isPassedOn(name.toLowerCase(), named));
}

export const isPassedOn = (name: string, named: readonly string[] = []): boolean =>
  !NOT_PASSED.has(name) && !name.startsWith("proxy-") && !named.includes(name);

/** The host and port that a tunnel is asked for: a target with the path `/`. */
export function readTunnelHead(incoming: IncomingMessage): UrlTarget {
  const authority = incoming.url ?? "";
  if (!/^[^/?#]+:\d+$/.test(authority)) throw refused("a tunnel needs a host and a port");
  const target = readUrl(`https://${authority}/`);
  const headers = readHeaders(incoming);
  if (
    headers.some(([name]) => ["content-length", "transfer-encoding"].includes(name.toLowerCase()))
  )
    throw refused("the request for a tunnel has a body");
  const said = single(headers, "host");
  // Some programs leave the port out.
  if (said !== undefined && !/:\d+$/.test(said)) checkHost(`${said}:${target.port}`, target);
  else checkHost(said, target);
  return target;
}

const refused = (why: string): SysError => new SysError("EINVAL", `the request is refused: ${why}`);
