// URLs: strict parsing of what a request would reach. The URL standard repairs invalid input (`http:evil.com`,
// `127.1`, a backslash, a tab), so a checker and a client may disagree. Here such input is refused.
//
// URL-1  Only `http://` and `https://`, then a host. No user, no white space, no backslash, nothing
//     outside ASCII or encoded in the host.
// URL-2  A host has the spelling of the standard, except for case and one trailing dot. An IPv4 address has four
//     decimal numbers.
// URL-3  A path has no `.`, `..` or empty segment (except a trailing `/`), also not before a `;`, and no encoded `/`,
//     `\`, `.` or NUL.
// URL-4  The gate's `resource` and the sent request come from the same parse.

import { SysError, type Touch } from "@aos/protocol";

export interface UrlTarget {
  /** The whole, as it is sent: without a fragment. */
  readonly url: string;
  readonly scheme: "http" | "https";
  /** A name, an IPv4 address, or an IPv6 address in brackets. */
  readonly host: string;
  readonly port: number;
  /** Scheme, host and port, the usual port left out. */
  readonly origin: string;
  /** Begins with `/`. */
  readonly path: string;
  /** Empty, or begins with `?`. */
  readonly query: string;
}

const MAX_URL_CHARS = 8192;
const USUAL_PORTS = { http: 80, https: 443 } as const;
const PARTS = /^(https?):\/\/([^/?#]+)([^?#]*)(\?[^#]*)?(?:#.*)?$/i;
const HIDDEN = /%(?:2f|5c|2e|00)/i;

export function readUrl(text: string): UrlTarget {
  if (text.length > MAX_URL_CHARS) throw refused(`it has more than ${MAX_URL_CHARS} characters`);
  checkCharacters(text);
  const parts = PARTS.exec(text);
  if (parts === null) throw refused("it must begin with http:// or https://, and a host");
  const scheme = parts[1]!.toLowerCase() as UrlTarget["scheme"];
  const { host, port } = readAuthority(parts[2]!, USUAL_PORTS[scheme]);
  checkPath(parts[3]!);
  const standard = URL.parse(`${scheme}://${host}:${port}${parts[3]!}${parts[4] ?? ""}`);
  if (standard === null) throw refused("it is not a URL");
  if (standard.hostname !== host) throw refused(`its host should be written ${standard.hostname}`);
  const { origin, pathname: path, search: query } = standard;
  return { url: `${origin}${path}${query}`, scheme, host, port, origin, path, query };
}

function checkCharacters(text: string): void {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0020\u007f\s\\]/.test(text)) throw refused("it has white space or a backslash");
}

function readAuthority(authority: string, usualPort: number): { host: string; port: number } {
  if (authority.includes("@")) throw refused("it names a user");
  if (authority.includes("%")) throw refused("its host has an encoded character");
  // What is no host is one without its port, or a port that is none: both are seen below.
  const [, written, digits] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority)!;
  const port = digits === undefined ? usualPort : Number(digits);
  if (!(port > 0 && port < 65_536) || (digits !== undefined && String(port) !== digits))
    throw refused("its port is not a number from 1 to 65535");
  const host = written!.toLowerCase().replace(/\.$/, "");
  if (!isHost(host)) throw refused("its host has an invalid character or an empty label");
  return { host, port };
}

const isHost = (host: string): boolean =>
  /^\[[0-9a-f:.]+\]$/.test(host) ||
  (host.length <= 253 && /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(host));

function checkPath(path: string): void {
  if (HIDDEN.test(path)) throw refused("its path has an encoded separator or dot");
  if (/%(?![0-9a-f]{2})/i.test(path)) throw refused("its path has an invalid % encoding");
  const parts = path.slice(1).split("/");
  // `/a/` is `/a` with nothing more.
  if (parts.length > 0 && parts.at(-1) === "") parts.pop();
  if (parts.some(isDotsOrNothing)) throw refused("its path has `.`, `..` or empty segments");
}

/** Some servers cut a part at `;` before they look for dots. */
const isDotsOrNothing = (part: string): boolean =>
  part === "" || [".", ".."].includes(part.split(";", 1)[0]!);

const refused = (why: string): SysError => new SysError("EINVAL", `the URL is refused: ${why}`);

/** What the gate is asked. With an address in place of the host, whether that address is granted. */
export const touchOf = (target: UrlTarget, method: string, host = target.host): Touch => ({
  kind: "http",
  resource: `${host}:${target.port}${target.path}`,
  verb: method,
});

/** Where a redirect leads: what a server wrote is read as strictly as what a process wrote. */
export function readLocation(location: string, from: UrlTarget): UrlTarget {
  try {
    if (/^[a-z][a-z0-9+.-]*:/i.test(location)) return readUrl(location);
    if (location.startsWith("//")) return readUrl(`${from.scheme}:${location}`);
    checkCharacters(location);
    const { pathname, search } = new URL(location, from.url);
    return readUrl(`${from.origin}${pathname}${search}`);
  } catch (error) {
    throw new SysError("EACCES", `a redirect of ${from.origin}: ${(error as Error).message}`);
  }
}
