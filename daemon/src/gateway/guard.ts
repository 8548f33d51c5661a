// Guard: checks of a network request before its caller is identified. They protect against browsers: any page can
// send requests to this machine, and can give it a name of its own (DNS rebinding).
//
// GATEWAY-GUARD-1  The Host is an address, localhost or a configured name: other names that resolve to this machine
//     (DNS rebinding) are not served.
// GATEWAY-GUARD-2  A request with an Origin must come from the page that this host served. There is no CORS: a
//     preflight is refused like any other request.
// GATEWAY-GUARD-3  A body is JSON: a form, which needs no preflight, is read only where a signature lets callers in.
// GATEWAY-GUARD-4  A path has no encoded slash, no dot segments and no control characters.

import { isIP } from "node:net";
import type { Context, MiddlewareHandler } from "hono";
import { requestBindings, transportOf, type GatewayEnv } from "./caller.ts";
import { problemResponse } from "./problem.ts";

export interface GuardOptions {
  /** Beside addresses and localhost. */
  readonly hosts: readonly string[];
  readonly isTls: boolean;
}

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};
const ONE_YEAR_S = 31_536_000;

export function guard(options: GuardOptions): MiddlewareHandler<GatewayEnv> {
  return async (context, next) => {
    if (transportOf(context) === "socket") return next();
    const refusal = refusalOf(context, options);
    if (refusal !== undefined) context.res = refusal;
    else await next();
    for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
    // A form without a referrer has no origin either, and would be refused as foreign.
    if (isSignedPath(context.req.path)) context.res.headers.set("referrer-policy", "same-origin");
    if (options.isTls)
      context.res.headers.set("strict-transport-security", `max-age=${ONE_YEAR_S}`);
    return undefined;
  };
}

function refusalOf({ req, env }: Context<GatewayEnv>, options: GuardOptions) {
  if (isAmbiguousPath(requestBindings(env).incoming?.url ?? req.url)) return notThere(req.path);
  const complaint = hostProblem(req.header("host"), options.hosts);
  if (complaint !== undefined) return problemResponse({ code: "EACCES", ...complaint }, 421);
  if (isForeign(originsOf(req), options)) {
    return problemResponse({
      code: "EACCES",
      message: "the request comes from a page of another site",
      hint: "pages of other sites may not call this API; a program must omit the Origin header",
    });
  }
  const type = req.header("content-type");
  if (isSignedPath(req.path)) return undefined;
  if (req.method !== "GET" && type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) {
    return problemResponse(
      { code: "EINVAL", message: "a body must be application/json", hint: "set Content-Type" },
      415,
    );
  }
  return undefined;
}

/** Nobody is known there by a token or a session, but by what they sign. */
const isSignedPath = (path: string): boolean => /^\/(?:hooks|answer|channels)\//.test(path);

interface Origins {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly site: string | undefined;
  readonly mode: string | undefined;
}

const originsOf = (req: Context["req"]): Origins => ({
  host: req.header("host"),
  origin: req.header("origin"),
  site: req.header("sec-fetch-site"),
  mode: req.header("sec-fetch-mode"),
});

/** GATEWAY-GUARD-1. */
export function hostProblem(
  header: string | undefined,
  hosts: readonly string[],
): { message: string; hint: string } | undefined {
  const name = hostNameOf(header);
  if (name !== undefined && (isIP(name) !== 0 || name === "localhost" || hosts.includes(name)))
    return undefined;
  return {
    message: `the Host header ${JSON.stringify(header ?? "")} is not a name of this daemon`,
    hint: "use its address or localhost, or add the name to http.hosts in config.yaml",
  };
}

function hostNameOf(header: string | undefined): string | undefined {
  const parts = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+))(?::\d{1,5})?$/.exec(header ?? "");
  return (parts?.[1] ?? parts?.[2])?.toLowerCase();
}

/** GATEWAY-GUARD-2. */
export function isForeign(
  { host, origin, site, mode }: Origins,
  { isTls }: Pick<GuardOptions, "isTls">,
): boolean {
  if (origin !== undefined) {
    const from = URL.canParse(origin) ? new URL(origin) : undefined;
    const isHttp = from?.protocol === "https:" || (from?.protocol === "http:" && !isTls);
    return !isHttp || from.host !== host?.toLowerCase();
  }
  // A browser says where a request comes from, also where it sends no Origin. Whoever follows a link
  // comes from another site too, and only sees a page.
  return (site === "cross-site" || site === "same-site") && mode !== "navigate";
}

/** GATEWAY-GUARD-4. It is the text as it was sent: a URL that was parsed has lost its dots already. */
export function isAmbiguousPath(url: string): boolean {
  const path = url.replace(/^[a-z]+:\/\/[^/?#]*/i, "").split(/[?#]/, 1)[0] ?? "";
  if (/%2f|%5c|\\|\/\//i.test(path)) return true;
  try {
    const decoded = decodeURIComponent(path);
    return /\p{Cc}/u.test(decoded) || decoded.split("/").some((part) => /^\.\.?$/.test(part));
  } catch {
    return true; // Not even an encoding.
  }
}

const notThere = (path: string): Response =>
  problemResponse({ code: "ENOENT", message: `there is no ${JSON.stringify(path)}` });
