// Tenants: processes, spending, remaining budgets and ceilings by tenant. The ledger records each change with the
// person.

import { usdOf, type TenantReport, type Tool, type ToolScope } from "@aos/protocol";
import type { HealthReport, KernelApi } from "../api.ts";
import type { KernelParts } from "./kernel-parts.ts";

type Parts = Pick<KernelParts, "store" | "journal" | "wide" | "tenants">;

export async function tenantReports(parts: Parts): Promise<TenantReport[]> {
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

type TenantKeeper = Pick<
  KernelApi,
  "addTenant" | "setTenant" | "removeTenant" | "covers" | "configureTenants"
>;

/** `mustBeOpen` throws when nothing can be done any more. */
export function tenantKeeper(parts: Parts, mustBeOpen: () => void): TenantKeeper {
  const { tenants } = parts;
  return {
    async addTenant(name, setting, by) {
      mustBeOpen();
      await tenants.add(name, setting, by);
    },
    async setTenant(name, change, by) {
      mustBeOpen();
      return { stopped: await tenants.set(name, change, by) };
    },
    async removeTenant(name, by) {
      mustBeOpen();
      await tenants.remove(name, by);
    },
    covers: (name, touch) => tenants.covers(name, touch),
    configureTenants: (settings) => tenants.configure(settings),
  };
}

/** The tools that there are for a scope and that its tenant's ceiling covers, and how they have done. */
export async function toolsFor(
  { devices, tenants }: Pick<KernelParts, "devices" | "tenants">,
  scope: ToolScope,
): Promise<{ tool: Tool; health: HealthReport }[]> {
  await devices.prepare(scope);
  const found = devices.tools(scope);
  const touch = (resource: string) => ({ kind: "tool", resource, verb: "call" });
  const may = await Promise.all(found.map(({ name }) => tenants.covers(scope.tenant, touch(name))));
  return found
    .filter((_, n) => may[n])
    .map((tool) => ({ tool, health: devices.health.of(tool.name) }));
}
