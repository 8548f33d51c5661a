// Operations about tenants and their ceilings.

import { z } from "zod";
import { capabilities, tenant } from "./argument-fields.ts";
import { budgetReport } from "./cost.ts";
import { operation, type ReportOf } from "./operation.ts";
import { processState, spend } from "./process.ts";
import { count, named, names, text } from "./response-fields.ts";

const tenantReport = named(
  "TenantReport",
  z.strictObject({
    name: z.string(),
    states: z.partialRecord(processState, count).describe("How many processes it has in each."),
    spent: spend.describe("Since ever."),
    budgets: z.array(budgetReport).describe("Those of all its runs together."),
    ceiling: z
      .strictObject({
        source: z.enum(["default", "config", "operator"]),
        capabilities: names.nullable().describe("Null: there is none."),
        problem: z.string().nullable().describe("The faults of the stored data."),
      })
      .describe("The most that anybody of it may hold."),
  }),
);
export type TenantReport = ReportOf<typeof tenantReport>;

export type CeilingReport = TenantReport["ceiling"];

const byTenant = z.strictObject({ name: tenant });

/** What replaces the ceiling, what is added to it and, of one that is there, what is taken out. */
const setting = {
  ceiling: z.union([z.enum(["default", "none"]), capabilities]).optional(),
  allow: capabilities.optional(),
};

export const tenantOperations = {
  tenants: operation({
    method: "GET",
    path: "/tenants",
    summary: "List the tenants with their processes, spending and remaining budgets.",
    role: "viewer",
    reach: "tenant",
    response: z.array(tenantReport),
  }),

  tenant: operation({
    method: "GET",
    path: "/tenants/:name",
    summary: "Show a tenant and its ceiling: the most that its processes may hold.",
    role: "viewer",
    reach: "tenant",
    params: byTenant,
    response: tenantReport,
  }),

  addTenant: operation({
    method: "POST",
    path: "/tenants",
    summary: "Create a tenant.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({ name: tenant, ...setting }),
    response: tenantReport,
  }),

  setTenant: operation({
    method: "POST",
    path: "/tenants/:name/ceiling",
    summary: "Set the ceiling of a tenant: the most that its processes may hold.",
    role: "operator",
    reach: "machine",
    params: byTenant,
    body: z.strictObject({ ...setting, remove: capabilities.optional() }),
    response: tenantReport.extend({ stopped: count }),
  }),

  removeTenant: operation({
    method: "POST",
    path: "/tenants/:name/remove",
    summary: "Disable a tenant, and revoke its access tokens.",
    role: "operator",
    reach: "machine",
    params: byTenant,
    response: z.strictObject({
      name: text,
      /** How many access tokens were revoked with it. */
      tokens: count,
    }),
  }),
} as const;
