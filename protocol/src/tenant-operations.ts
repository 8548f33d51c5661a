// Operations about tenants and their ceilings: a part of the rows (operations.ts).

import { z } from "zod";
import { tenant } from "./operation-fields.ts";
import { takes } from "./operation-row.ts";
import type { TenantReport } from "./reports.ts";

const capability = z.string().min(1).max(10_000);
const capabilities = z.array(capability).max(1000);
const byTenant = z.strictObject({ name: tenant });

/** What replaces the ceiling, what is added to it and, of one that is there, what is taken out. */
const setting = {
  ceiling: z.union([z.enum(["default", "none"]), capabilities]).optional(),
  allow: capabilities.optional(),
};

export const tenantOperations = {
  tenants: takes().answers<TenantReport[]>(),
  tenant: takes({ params: byTenant }).answers<TenantReport>(),
  addTenant: takes({ body: z.strictObject({ name: tenant, ...setting }) }).answers<TenantReport>(),
  setTenant: takes({
    params: byTenant,
    body: z.strictObject({ ...setting, remove: capabilities.optional() }),
  }).answers<TenantReport & { readonly stopped: number }>(),
  removeTenant: takes({ params: byTenant }).answers<{
    readonly name: string;
    /** How many access tokens were revoked with it. */
    readonly tokens: number;
  }>(),
} as const;
