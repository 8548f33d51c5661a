// The kernel's methods about tenants: processes, spending, remaining budgets and ceilings of each. The ledger records
// each change with the person.

import {
  usdOf,
  type CeilingChange,
  type CeilingSetting,
  type TenantReport,
  type Touch,
} from "@aos/protocol";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import type { OpenKernel } from "./open-kernel.ts";

export interface TenantMethods {
  /** Every tenant, its processes, what they have spent and what is left to them. */
  tenants(): Promise<TenantReport[]>;
  addTenant(name: string, setting: CeilingSetting, by: string): Promise<void>;
  /** Reaches what runs: calls that the ceiling no longer covers are stopped when it resolves. */
  setTenant(name: string, change: CeilingChange, by: string): Promise<{ stopped: number }>;
  /** Its history stays; nothing is started in it any more. */
  removeTenant(name: string, by: string): Promise<void>;
  /** Whether the ceiling of a tenant, if it has one, covers this. */
  covers(tenant: string, touch: Touch): Promise<boolean>;
  /** Takes the place of what `KernelOptions.tenants` said: all of it, or nothing. */
  configureTenants(settings: Readonly<Record<string, CeilingSetting>>): Promise<void>;
}

export const tenantReach = {
  tenants: "own",
  addTenant: "all",
  setTenant: "all",
  removeTenant: "all",
  covers: "own",
  configureTenants: "all",
} as const satisfies Record<keyof TenantMethods, MethodReach>;

export function tenantMethods(parts: KernelParts, open: OpenKernel): TenantMethods {
  const { tenants } = parts;
  return {
    async tenants() {
      open.mustBeOpen();
      return tenantReports(parts);
    },
    async addTenant(name, setting, by) {
      open.mustBeOpen();
      await tenants.add(name, setting, by);
    },
    async setTenant(name, change, by) {
      open.mustBeOpen();
      return { stopped: await tenants.set(name, change, by) };
    },
    async removeTenant(name, by) {
      open.mustBeOpen();
      await tenants.remove(name, by);
    },
    covers: (name, touch) => tenants.covers(name, touch),
    configureTenants: (settings) => tenants.configure(settings),
  };
}

async function tenantReports(
  parts: Pick<KernelParts, "store" | "journal" | "wide" | "tenants">,
): Promise<TenantReport[]> {
  const { store, journal, wide, tenants } = parts;
  await journal.durable();
  return Promise.all(
    (await store.tenants()).map(async ({ key, name, states, microUsd, tokens, toolCalls }) => ({
      name,
      states,
      spent: { usd: usdOf(microUsd), tokens, toolCalls },
      budgets: await wide.reportsOf(key, name),
      ceiling: await tenants.ceilingOf(name),
    })),
  );
}
