// The answers of protocol/src/token-operations.ts: who may call.

import { z } from "zod";
import { roles } from "../route-roles.ts";
import type { AccessTokenReport, CallerReport } from "../token-operations.ts";
import { moment, named } from "./fields.ts";

const role = named("Role", z.enum(roles).describe("What a caller may do."));

const tokenFields = {
  id: z.string(),
  kind: z.enum(["token", "session"]),
  name: z.string().describe("Whose word it is when it answers a question."),
  role,
  tenant: z.string().nullable().describe("Null: of all tenants."),
  createdAt: moment,
  expiresAt: moment.nullable(),
};

export const accessTokenReport = named(
  "AccessTokenReport",
  z.strictObject(tokenFields),
) satisfies z.ZodType<AccessTokenReport>;

export const newAccessToken = named(
  "NewAccessToken",
  z.strictObject({ ...tokenFields, token: z.string().describe("Shown this once.") }),
) satisfies z.ZodType<AccessTokenReport & { readonly token: string }>;

export const callerReport = named(
  "CallerReport",
  z.strictObject({ name: z.string(), role, tenant: z.string().nullable() }),
) satisfies z.ZodType<CallerReport>;
