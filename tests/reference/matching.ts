// Matching, the slow way: does a capability's pattern cover a resource? Patterns become regular
// expressions, as docs/capabilities.md describes them; nothing is compiled once or kept.

import type { Touch } from "@aos/protocol";

export const PATH_KINDS: readonly string[] = ["file", "memory"];
export const HOST_KINDS: readonly string[] = ["http", "browser"];

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** `*` stays inside a segment; `**` is any number of whole segments. */
function pathExpression(pattern: string): RegExp {
  if (pattern === "*") return /^\//;
  const parts = pattern.split("/").slice(1);
  const source = parts.map((part) =>
    part === "**" ? "(?:\\/[^/]+)*" : `\\/${part.split("*").map(quoted).join("[^/]*")}`,
  );
  return new RegExp(`^${pattern === "/" ? "\\/" : source.join("")}$`, "su");
}

function isCanonicalPath(path: string): boolean {
  if (path === "/") return true;
  const [first, ...parts] = path.split("/");
  const isPlain = parts.every((part) => part !== "" && part !== "." && part !== "..");
  return first === "" && isPlain && path.normalize("NFC") === path && !path.includes("\0");
}

export function coversPath(pattern: string, path: string): boolean {
  if (!isCanonicalPath(path)) return false;
  if (path !== "/") return pathExpression(pattern).test(path);
  return ["*", "/", "/**", "/**/**"].includes(pattern);
}

/** A `*` at the end takes all the rest, any other stops at `.` and `/`; a comma list is any of them. */
export function coversName(pattern: string, name: string): boolean {
  return pattern.split(",").some((one) => {
    const isOpen = one.endsWith("*");
    const source = (isOpen ? one.slice(0, -1) : one).split("*").map(quoted).join("[^./]*");
    return new RegExp(`^${source}${isOpen ? ".*" : ""}$`, "su").test(name);
  });
}

interface Place {
  readonly host: string;
  readonly port: string;
  readonly path: string;
}

const USUAL_PORTS: ReadonlySet<string> = new Set(["", "80", "443"]);

function placeOf(text: string): Place | undefined {
  const scheme = /^(https?):\/\//.exec(text)?.[1];
  const parts = /^(\[[^\]]*\]|[^:/]+)(?::(\d+))?(\/.*)?$/s.exec(
    scheme === undefined ? text : text.slice(scheme.length + 3),
  );
  if (parts === null) return undefined;
  const path = readPath(parts[3] ?? "/");
  if (path === undefined) return undefined;
  const usual = scheme === undefined ? "" : scheme === "https" ? "443" : "80";
  return { host: parts[1]!.toLowerCase().replace(/\.$/, ""), port: parts[2] ?? usual, path };
}

/** Not with a query, nor with what a server may read as another path. One slash at its end changes nothing. */
function readPath(text: string): string | undefined {
  if (/[?#\\]|%(2f|5c|2e|00)/i.test(text)) return undefined;
  return text.length > 2 && text.endsWith("/") ? text.slice(0, -1) : text;
}

const isAddress = (host: string): boolean =>
  host.startsWith("[") ||
  /(^|\.)\d[^.]*$/.test(host) ||
  host === "localhost" ||
  host.endsWith(".localhost");

export const coversHost = (pattern: string, resource: string): boolean =>
  pattern.split(",").some((one) => coversOneHost(one, resource));

function coversOneHost(pattern: string, resource: string): boolean {
  const [wanted, asked] = [placeOf(pattern), placeOf(resource)];
  if (wanted === undefined || asked === undefined) return false;
  const isStar = wanted.host.startsWith("*");
  if (isStar && isAddress(asked.host)) return false;
  const isHost = isStar
    ? wanted.host === "*" || asked.host.endsWith(wanted.host.slice(1))
    : wanted.host === asked.host;
  const isPort = wanted.port === "" ? USUAL_PORTS.has(asked.port) : wanted.port === asked.port;
  const path = pattern.includes("/") ? wanted.path : "/**";
  return isHost && isPort && coversPath(path, asked.path);
}

export function covers(kind: string, pattern: string, { resource }: Touch): boolean {
  if (PATH_KINDS.includes(kind)) return coversPath(pattern, resource);
  return HOST_KINDS.includes(kind) ? coversHost(pattern, resource) : coversName(pattern, resource);
}

const EVERYTHING: ReadonlySet<string> = new Set(["*", "/**", "*/**"]);

/** For a rule that takes away: what cannot be read could be anything, a host without a port is at every one. */
export function couldCover(kind: string, pattern: string, touch: Touch): boolean {
  const { resource } = touch;
  if (EVERYTHING.has(pattern) || covers(kind, pattern, touch)) return true;
  if (PATH_KINDS.includes(kind)) return !isCanonicalPath(resource);
  if (!HOST_KINDS.includes(kind)) return false;
  const place = placeOf(resource);
  if (place === undefined) return true;
  return pattern
    .split(",")
    .some((one) => placeOf(one)?.port === "" && coversHost(one, `${place.host}${place.path}`));
}

/** For a rule that gives: also every host, where it says so. */
export const surelyCovers = (kind: string, pattern: string, touch: Touch): boolean => {
  if (!EVERYTHING.has(pattern)) return covers(kind, pattern, touch);
  if (HOST_KINDS.includes(kind)) return placeOf(touch.resource) !== undefined;
  return !PATH_KINDS.includes(kind) || isCanonicalPath(touch.resource);
};
