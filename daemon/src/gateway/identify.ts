// Identify: identifies the caller, and refuses unknown callers and those above their limits.
//
// IDENTIFY-1  Over the network everything needs a token or a session, except what reveals nothing about users: the
//     files of the page, the documentation, health, and login. Webhooks are signed, and answered before this.
// IDENTIFY-2  An invalid token is refused; it does not count as no token.
// IDENTIFY-3  A session is a cookie at the origin where it was opened; it is not valid as a token.
//
// SESSION-COOKIE-1  The name of the cookie has the port, so that two daemons of one host do not overwrite each other's
//     sessions: browsers store cookies by host and send them to every port.
//     With TLS it begins with `__Host-`: no other host, and nothing without TLS, can set it.
// SESSION-COOKIE-2  A session is valid only at the origin where it was opened.

import { API_ROOT } from "@aos/protocol";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import {
  type Caller,
  type GatewayEnv,
  requestBindings,
  socketCaller,
  transportOf,
} from "./caller.ts";
import type { RateLimit } from "./limits.ts";
import { problemResponse } from "./problem.ts";
import type { TokenRegistry } from "./tokens.ts";

export const SESSION_PATH = `${API_ROOT}/session`;

/** What is below these is never the page's. */
const CLOSED = new Set(["api", "v1", "mcp", "metrics", "a2a"]);

export function identifyCaller(parts: {
  tokens: TokenRegistry;
  limit: RateLimit;
  isTls: boolean;
}): MiddlewareHandler<GatewayEnv> {
  return async (context, next) => {
    const given = secretOf(context, parts.isTls);
    const caller = callerBy(context, given, parts.tokens);
    if (transportOf(context) === "network") parts.limit.take(caller?.id ?? addressOf(context));
    if (caller !== undefined) context.set("caller", caller);
    else if (given.hasAuthorization || !isOpen(context.req)) return unknown(given.hasAuthorization);
    return next();
  };
}

interface Given {
  readonly secret?: string;
  /** Of a session: where it is used. */
  readonly origin?: string;
  /** There is an Authorization header, with a token in it or not. */
  readonly hasAuthorization: boolean;
}

function secretOf(context: Context<GatewayEnv>, isTls: boolean): Given {
  const header = context.req.header("authorization");
  if (header !== undefined) {
    const secret = /^Bearer +(\S+)$/i.exec(header)?.[1];
    return secret === undefined ? { hasAuthorization: true } : { secret, hasAuthorization: true };
  }
  const cookie = getCookie(context, sessionCookie(context, isTls));
  if (cookie === undefined) return { hasAuthorization: false };
  return { secret: cookie, origin: sessionOrigin(context, isTls), hasAuthorization: false }; // IDENTIFY-3
}

/** Who comes through the socket with a token is who the token says. */
function callerBy(
  context: Context<GatewayEnv>,
  { secret, origin, hasAuthorization }: Given,
  tokens: TokenRegistry,
): Caller | undefined {
  if (transportOf(context) === "socket" && !hasAuthorization) return socketCaller();
  return secret === undefined ? undefined : tokens.callerOf(secret, origin);
}

/** IDENTIFY-1. */
function isOpen({ method, path }: Context["req"]): boolean {
  if (path === SESSION_PATH) return method === "POST" || method === "DELETE";
  return (method === "GET" || method === "HEAD") && !CLOSED.has(path.split("/", 2)[1] ?? "");
}

const addressOf = ({ env }: Context<GatewayEnv>): string =>
  `address:${requestBindings(env).incoming?.socket.remoteAddress ?? ""}`;

function unknown(hasAuthorization: boolean): Response {
  const refusal = problemResponse(
    {
      code: "EACCES",
      message: hasAuthorization ? "the token is unknown, revoked or expired" : "a token is needed",
      hint: "create one with `aos token create --role viewer` and send it as `Authorization: Bearer …`",
    },
    401,
  );
  refusal.headers.set("www-authenticate", 'Bearer realm="aos"');
  return refusal;
}

export const SESSION_COOKIE = "aos_session";

const HTTP = 80;
const HTTPS = 443;

/** SESSION-COOKIE-1. */
export function sessionCookie({ req }: Pick<Context, "req">, isTls: boolean): string {
  const port = /:(\d{1,5})$/.exec(req.header("host") ?? "")?.[1] ?? (isTls ? HTTPS : HTTP);
  return `${isTls ? "__Host-" : ""}${SESSION_COOKIE}_${port}`;
}

/** SESSION-COOKIE-2. */
export const sessionOrigin = ({ req }: Pick<Context, "req">, isTls: boolean): string =>
  `${isTls ? "https" : "http"}://${(req.header("host") ?? "").toLowerCase()}`;
