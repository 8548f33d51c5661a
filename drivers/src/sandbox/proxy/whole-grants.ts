// Whole grants: hosts at which a process may do everything. Only there may bytes pass uninspected:
// a grant for some paths or some methods must not become all of them by way of a tunnel.
//
// WHOLE-GRANTS-1  Every method, on every path, of exactly that host and port. A grant without a port
//     means 443 here.
// WHOLE-GRANTS-2  Grants that count (`max`, `rate`) are not among what the kernel gives, so they never
//     make a host whole.

import { isIP } from "node:net";
import type { HeldPattern } from "@aos/protocol";
import type { UrlTarget } from "../../web/url.ts";

/** The methods that a capability knows. */
export const METHODS: readonly string[] = [
  "get",
  "head",
  "post",
  "put",
  "patch",
  "delete",
  "options",
];

const HTTPS = "443";

/** Until when everything is granted there, in milliseconds since 1970; undefined when it is not. */
export function wholeUntil(
  held: readonly HeldPattern[],
  { host, port }: Pick<UrlTarget, "host" | "port">,
): number | undefined {
  const there = held.filter(({ pattern }) => isWholeHost(pattern, host, String(port)));
  const ends = METHODS.map((method) =>
    Math.max(
      -Infinity,
      ...there
        .filter(({ verbs }) => verbs.includes(method) || verbs.includes("*"))
        .map(({ expiresAt }) => expiresAt ?? Infinity),
    ),
  );
  const until = Math.min(...ends);
  return until === -Infinity ? undefined : until;
}

const PATTERN = /^(\[[^\]/]*\]|[^:/[\]]+)(?::(\d+))?(\/.*)?$/;

function isWholeHost(pattern: string, host: string, port: string): boolean {
  const [, named, namedPort = HTTPS, path = "/**"] = PATTERN.exec(pattern) ?? [];
  if (named === undefined || path !== "/**" || namedPort !== port) return false;
  if (named === host) return true;
  if (isGrantedByName(host)) return false;
  return named === "*" || (named.startsWith("*.") && host.endsWith(named.slice(1)));
}

/** A star never covers these. */
const isGrantedByName = (host: string): boolean =>
  host.startsWith("[") ||
  isIP(host) !== 0 ||
  host === "localhost" ||
  host.endsWith(".localhost") ||
  /^[0-9]/.test(host.slice(host.lastIndexOf(".") + 1));
