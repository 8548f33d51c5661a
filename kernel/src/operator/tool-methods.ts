// The kernel's methods about what processes can use: tools and mounts.

import type { ConnectorReport, Tool, ToolScope } from "@aos/protocol";
import type { HealthReport } from "../api.ts";
import { connectorsOfProcess, connectorsOfTenant } from "../inspection/connectors.ts";
import type { KernelParts } from "./kernel-parts.ts";
import type { MethodReach } from "./method-reach.ts";
import type { OpenKernel } from "./open-kernel.ts";

export interface ToolMethods {
  /** The tools that there are for a scope, and how they have done since boot. */
  tools(scope: ToolScope): Promise<{ tool: Tool; health: HealthReport }[]>;
  /** What is mounted below /mnt: for a process, or by the configuration for a tenant. */
  connectors(of?: { readonly tenant?: string; readonly pid?: string }): Promise<ConnectorReport[]>;
}

export const toolReach = {
  tools: "own",
  connectors: "own",
} as const satisfies Record<keyof ToolMethods, MethodReach>;

export function toolMethods(parts: KernelParts, open: OpenKernel): ToolMethods {
  return {
    tools: async (scope) => toolsFor(parts, scope),
    connectors: async ({ tenant, pid } = {}) =>
      pid === undefined
        ? connectorsOfTenant(parts, tenant)
        : connectorsOfProcess(parts, await open.find(pid)),
  };
}

/** The tools that there are for a scope and that its tenant's ceiling covers, and how they have done. */
async function toolsFor(
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
