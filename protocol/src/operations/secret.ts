// Operations about secrets: values that no agent sees.

import { z } from "zod";
import { byName, tenant } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { itsName, jsonValue, moment, named } from "./response-fields.ts";

const secretReport = named(
  "SecretReport",
  z.strictObject({
    name: z.string(),
    tenant: z.string(),
    bindings: z.array(jsonValue),
    updatedAt: moment,
  }),
);
export type SecretReport = ReportOf<typeof secretReport>;

export const secretOperations = {
  secrets: operation({
    method: "GET",
    path: "/secrets",
    summary: "List the names of the secrets and where each may be used; never the values.",
    role: "viewer",
    reach: "tenant",
    response: z.array(secretReport),
  }),

  setSecret: operation({
    method: "POST",
    path: "/secrets",
    summary: "Store a secret, and bind it to the places where it may be used.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({
      name: z.string().min(1).max(200),
      value: z.string().min(1).max(1_000_000),
      /** None: it is put nowhere, and still taken out of everything. */
      bindings: z
        .array(
          z.union([
            z.strictObject({
              kind: z.literal("header"),
              origin: z.string().min(1),
              header: z.string().min(1),
              prefix: z.string().optional(),
            }),
            z.strictObject({
              kind: z.literal("variable"),
              tool: z.string().min(1),
              variable: z.string().min(1),
            }),
            z.strictObject({
              kind: z.literal("service"),
              service: z
                .string()
                .min(1)
                .describe("`hook:SCHEDULE`, `notify:TARGET` or `channel:CHANNEL`"),
            }),
          ]),
        )
        .max(100),
      tenant: tenant.optional(),
    }),
    response: itsName,
  }),

  removeSecret: operation({
    method: "POST",
    path: "/secrets/:name/remove",
    summary: "Delete a secret.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: z.strictObject({ tenant: tenant.optional() }),
    response: itsName,
  }),
} as const;
