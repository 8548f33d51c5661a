// Host patterns: `api.example.com/v1/**`, `*.example.com`, `[::1]:8080`, `*`.
//
// HOST-PATTERN-1  `*.example.com` is one or more labels before example.com: never example.com itself, never
//     `evilexample.com`. A star is allowed nowhere else in a host.
// HOST-PATTERN-2  A star never covers an IP address or localhost. These are granted explicitly, so that a resolver
//     can ask again with the address it found.
// HOST-PATTERN-3  A pattern without a port covers 80 and 443; any other port is named.
// HOST-PATTERN-4  A pattern without a path covers every path; it prints as `/**`.
// HOST-PATTERN-5  A host has the spelling of the URL standard: `0x7f.1`, `127.1` and names outside ASCII are refused,
//     not translated.

import { CapabilityError, rebaseErrors } from "./error.ts";
import { checkCharacters, compilePath, matchPath, readPath, type Segment } from "./path-pattern.ts";

export interface HostPattern {
  /** With its dot where it stands for the names below it: `.example.com`; empty for every name. */
  readonly host: string;
  /** The host stands for every name that ends in it. */
  readonly below: boolean;
  /** 0: the usual ports. */
  readonly port: number;
  readonly path: readonly Segment[];
}

export interface HostTarget {
  readonly host: string;
  /** 0: not said, so a usual one. */
  readonly port: number;
  readonly path: readonly string[];
}

const SCHEMES: readonly (readonly [string, number])[] = [
  ["https://", 443],
  ["http://", 80],
];

const DIGITS = "0123456789";

export function compileHost(text: string): { text: string; value: HostPattern } {
  const { authority, path: written } = splitPath(text);
  const pathText = written === "" ? "/**" : written;
  const { host: name, port } = splitPort(authority);
  if (Number.isNaN(port)) throw new CapabilityError("not a port", text, name.length + 1);
  const path = rebaseErrors(text, authority.length, () => {
    checkCharacters(pathText, ", ");
    return compilePath(pathText);
  });
  const host = name.toLowerCase();
  const below = host === "*" || host.startsWith("*.");
  if (host !== "*") checkHost(text, below ? host.slice(2) : host);
  const canonical = `${host}${port === 0 ? "" : `:${port}`}${pathText}`;
  return { text: canonical, value: { host: below ? host.slice(1) : host, below, port, path } };
}

function checkHost(text: string, host: string): void {
  const star = text.slice(1).indexOf("*") + 1;
  if (host.includes("*"))
    throw new CapabilityError("* may only be the first label of a host", text, star);
  if (!isHost(host)) throw new CapabilityError("not a host name", text, 0);
  const standard = standardHost(host);
  if (standard === host) return;
  throw new CapabilityError(standard === null ? "not a host" : `write ${standard}`, text, 0);
}

function standardHost(host: string): string | null {
  return URL.parse(`http://${host}/`)?.hostname ?? null;
}

/** The path begins with its slash; it is empty when none is written. */
function splitPath(text: string): { authority: string; path: string } {
  const slash = text.indexOf("/");
  if (slash < 0) return { authority: text, path: "" };
  return { authority: text.slice(0, slash), path: text.slice(slash) };
}

/** Port 0 when none is written, NaN when what is written is none. */
function splitPort(authority: string): { host: string; port: number } {
  const colon = authority.lastIndexOf(":");
  if (colon <= authority.lastIndexOf("]")) return { host: authority, port: 0 };
  const digits = authority.slice(colon + 1);
  const port = Number(digits);
  const good = String(port) === digits && Number.isInteger(port) && port > 0 && port < 65536;
  return { host: authority.slice(0, colon), port: good ? port : NaN };
}

/** Letters, digits, `-`, `_` in labels that are not empty; or an address in brackets. */
function isHost(host: string): boolean {
  if (host.startsWith("[")) return host.endsWith("]") && consistsOf(host, "[]:.", 0x66);
  if (host === "" || host.length > 253 || !consistsOf(host, ".-_", 0x7a)) return false;
  return !host.startsWith(".") && !host.endsWith(".") && !host.includes("..");
}

function consistsOf(text: string, marks: string, lastLetter: number): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x61 ? unit <= lastLetter : unit >= 0x30 && unit <= 0x39) continue;
    if (!marks.includes(text.charAt(at))) return false;
  }
  return true;
}

/** What a request reaches, or null when it is not canonical. Takes a URL or `host:port/path`. */
export function readHostTarget(text: string): HostTarget | null {
  const scheme = SCHEMES.find(([prefix]) => text.startsWith(prefix));
  const rest = scheme === undefined ? text : text.slice(scheme[0].length);
  const { authority, path: written } = splitPath(rest);
  const { host: name, port } = splitPort(authority.toLowerCase());
  const host = name.endsWith(".") ? name.slice(0, -1) : name;
  if (Number.isNaN(port) || !isHost(host)) return null;
  const path = readUrlPath(written === "" ? "/" : written);
  return path === null ? null : { host, port: port === 0 ? (scheme?.[1] ?? 0) : port, path };
}

function readUrlPath(text: string): readonly string[] | null {
  if (text.includes("?") || text.includes("#") || text.includes("\\")) return null;
  if (text.includes("%") && hidesSeparator(text.toLowerCase())) return null;
  // One slash at the end changes nothing; two are an empty segment, also at the root.
  return readPath(text.length > 2 && text.endsWith("/") ? text.slice(0, -1) : text);
}

/** Encodings that a server may turn back into `/`, `\`, `.` or the end of a string. */
function hidesSeparator(path: string): boolean {
  return ["%2f", "%5c", "%2e", "%00"].some((code) => path.includes(code));
}

export function matchHost(want: HostPattern, target: HostTarget): boolean {
  if (want.port === 0 ? !isUsualPort(target.port) : want.port !== target.port) return false;
  if (!matchLabels(want, target.host)) return false;
  return matchPath(want.path, target.path);
}

export function isUsualPort(port: number): boolean {
  return port === 0 || port === 80 || port === 443;
}

function matchLabels(want: HostPattern, host: string): boolean {
  if (!want.below) return want.host === host;
  if (isGrantedByNameOnly(host)) return false;
  return host.endsWith(want.host);
}

function isGrantedByNameOnly(host: string): boolean {
  if (host.startsWith("[") || host === "localhost" || host.endsWith(".localhost")) return true;
  // No top-level domain begins with a digit: a last label that does is part of an address.
  return DIGITS.includes(host.charAt(host.lastIndexOf(".") + 1));
}
