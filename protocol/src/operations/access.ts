// Operations about access tokens, which open the HTTP API. Capability tokens for agents are those of `mintToken`.

import { z } from "zod";
import { roles } from "../role.ts";
import { byId, durationMs, tenant } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { count, moment, named, text } from "./response-fields.ts";

const role = named("Role", z.enum(roles).describe("What a caller may do."));

const tokenFields = {
  id: z.string(),
  /** A session is the page's; it was opened with a token, or with a login key. */
  kind: z.enum(["token", "session"]),
  name: z.string().describe("Whose word it is when it answers a question."),
  role,
  tenant: z.string().nullable().describe("Null: of all tenants."),
  createdAt: moment,
  expiresAt: moment.nullable(),
};

const accessTokenReport = named("AccessTokenReport", z.strictObject(tokenFields));
export type AccessTokenReport = ReportOf<typeof accessTokenReport>;

const newAccessToken = named(
  "NewAccessToken",
  z.strictObject({ ...tokenFields, token: z.string().describe("Shown this once.") }),
);
export type NewAccessToken = ReportOf<typeof newAccessToken>;

const callerReport = named(
  "CallerReport",
  z.strictObject({ name: z.string(), role, tenant: z.string().nullable() }),
);
export type CallerReport = ReportOf<typeof callerReport>;

/** A name as it may stand in a line of a log. */
const printable = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text), "a name has no control characters");

export const accessOperations = {
  accessTokens: operation({
    method: "GET",
    path: "/access-tokens",
    summary: "List the access tokens and sessions of the HTTP API, without their secrets.",
    role: "operator",
    reach: "machine",
    response: z.array(accessTokenReport),
  }),

  createAccessToken: operation({
    method: "POST",
    path: "/access-tokens",
    summary: "Create an access token for the HTTP API.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({
      role: z.enum(roles).describe("viewer, approver or operator"),
      tenant: tenant.optional().describe("limit the token to this tenant (default: all tenants)"),
      name: printable
        .optional()
        .describe("the person who holds the token (default: the token's id)"),
      expiresInMs: durationMs.optional(),
    }),
    isSecret: true,
    response: newAccessToken,
  }),

  revokeAccessToken: operation({
    method: "POST",
    path: "/access-tokens/:id/revoke",
    summary: "Revoke an access token and its sessions.",
    role: "operator",
    reach: "machine",
    params: byId,
    response: z.strictObject({ id: text, sessions: count }),
  }),

  /** One use, a few minutes: what the page is opened with. */
  loginKey: operation({
    method: "POST",
    path: "/session/key",
    summary: "Create a single-use key that opens the dashboard and expires soon.",
    role: "viewer",
    reach: "tenant",
    isSecret: true,
    response: z.strictObject({
      key: text,
      /** Null while there is no listener but the socket. */
      url: text.nullable(),
      expiresAt: moment,
    }),
  }),

  whoAmI: operation({
    method: "GET",
    path: "/session",
    summary: "Show the identity and role of the caller.",
    role: "viewer",
    reach: "tenant",
    response: callerReport,
  }),
} as const;
