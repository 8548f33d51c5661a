// SessionCookie: name and origin of the page's session. Browsers store cookies by host and send them to every port,
// so another service on this machine would otherwise receive the session.
//
// SESSION-COOKIE-1  The name has the port, so that two daemons of one host do not overwrite each other's sessions.
//     With TLS it begins with `__Host-`: no other host, and nothing without TLS, can set it.
// SESSION-COOKIE-2  A session is valid only at the origin where it was opened.

import type { Context } from "hono";

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
