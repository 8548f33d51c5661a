// Operations about who may call: a part of the rows (operations.ts). The tokens of here open the HTTP
// API; those of `mintToken` are power for agents, which is something else.

import { z } from "zod";
import { durationMs, tenant } from "./operation-fields.ts";
import { takes } from "./operation-row.ts";
import { roles, type Role } from "./route-roles.ts";

/** What opens the API, without the secret itself. */
export interface AccessTokenReport {
  readonly id: string;
  /** A session is the page's; it was opened with a token, or with a login key. */
  readonly kind: "token" | "session";
  /** Whose word it is when it answers a question. */
  readonly name: string;
  readonly role: Role;
  /** Null: of all tenants. */
  readonly tenant: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

/** Who the daemon takes the caller for. */
export interface CallerReport {
  readonly name: string;
  readonly role: Role;
  readonly tenant: string | null;
}

/** A name as it may stand in a line of a log. */
const printable = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text), "a name has no control characters");

export const tokenOperations = {
  accessTokens: takes().answers<AccessTokenReport[]>(),
  createAccessToken: takes({
    body: z.strictObject({
      role: z.enum(roles),
      tenant: tenant.optional(),
      name: printable.optional(),
      expiresInMs: durationMs.optional(),
    }),
  }).answers<AccessTokenReport & { readonly token: string }>(),
  revokeAccessToken: takes({
    params: z.strictObject({ id: z.string().min(1).max(200) }),
  }).answers<{ readonly id: string; readonly sessions: number }>(),
  /** One use, a few minutes: what the page is opened with. */
  loginKey: takes().answers<{
    readonly key: string;
    /** Null while there is no listener but the socket. */
    readonly url: string | null;
    readonly expiresAt: string;
  }>(),
  whoAmI: takes().answers<CallerReport>(),
} as const;
