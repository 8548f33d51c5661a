// Session routes: login and logout of the page. They set cookies, so they are not rows.
//
//   POST   /api/v1/session   {"token": …} or {"key": …}: opens a session
//   DELETE /api/v1/session   ends it
//
// SESSION-ROUTES-1  The ledger records the opening of a session before it exists.
// SESSION-ROUTES-2  The cookie is for the browser alone: no script reads it, no other site sends it, and it is valid
//     only at its origin (identify.ts).

import type { Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { SysError, type CallerReport } from "@aos/protocol";
import { z } from "zod";
import type { GatewayContext } from "./gateway-context.ts";
import type { GatewayEnv } from "./caller.ts";
import { SESSION_PATH, sessionCookie, sessionOrigin } from "./identify.ts";
import { parseJson } from "./read-request.ts";
import { problemResponse } from "./problem.ts";
import type { TokenIssuer, TokenRegistry } from "./tokens.ts";

export const login = z.union([
  z.strictObject({ token: z.string().min(1).max(1000) }),
  z.strictObject({ key: z.string().min(1).max(1000) }),
]);

/** SESSION-ROUTES-2. */
const cookie = (isTls: boolean) =>
  ({ path: "/", httpOnly: true, sameSite: "Strict", secure: isTls }) as const;

export function addSessionRoutes(
  app: Hono<GatewayEnv>,
  { kernel, tokens, isTls }: Pick<GatewayContext, "kernel" | "tokens"> & { isTls: boolean },
): void {
  app.post(SESSION_PATH, async (context) => {
    const given = login.safeParse(parseJson(await context.req.text()));
    if (!given.success) {
      throw new SysError("EINVAL", 'the body must be {"token": …} or {"key": …}');
    }
    const asker = askerBy(given.data, tokens);
    if (asker === undefined) return nobody("key" in given.data);
    const { name, role, tenant } = asker;
    const by = "key" in given.data ? "a login key" : "a token";
    await kernel.enter("session.open", name, { of: asker.id, role, tenant, with: by }); // SESSION-ROUTES-1
    const { secret, maxAgeMs } = tokens.openSession(asker, sessionOrigin(context, isTls));
    setCookie(context, sessionCookie(context, isTls), secret, {
      ...cookie(isTls),
      maxAge: Math.floor(maxAgeMs / 1000),
    });
    return context.json({ name, role, tenant } satisfies CallerReport);
  });
  app.delete(SESSION_PATH, (context) => {
    const name = sessionCookie(context, isTls);
    const secret = getCookie(context, name);
    if (secret !== undefined) tokens.closeSession(secret, sessionOrigin(context, isTls));
    deleteCookie(context, name, cookie(isTls));
    return context.json({ ended: secret !== undefined });
  });
}

const askerBy = (given: z.output<typeof login>, tokens: TokenRegistry): TokenIssuer | undefined =>
  "key" in given ? tokens.redeem(given.key) : tokens.callerOf(given.token);

const nobody = (isKey: boolean): Response =>
  problemResponse(
    {
      code: "EACCES",
      message: isKey
        ? "the login key was used already, or has expired"
        : "the token is unknown, revoked or expired",
      hint: isKey ? "`aos status` prints a new address" : "`aos token create` makes one",
    },
    401,
  );
