// Formats a tenant and its ceiling.

import type { TenantReport } from "@aos/protocol";

const SOURCES = {
  default: "default",
  config: "set in config.yaml",
  operator: "set by the operator",
} as const;

export const ceilingSource = ({ ceiling }: TenantReport): string =>
  ceiling.problem !== null ? "broken" : ceiling.capabilities === null ? "none" : ceiling.source;

export function formatTenant({ name, ceiling }: TenantReport): string {
  const { source, capabilities, problem } = ceiling;
  if (problem !== null) return `${name}: ${problem}`;
  if (capabilities === null) return `${name} has no ceiling: its agents may hold any capability.`;
  const lines = capabilities.map((text) => `  ${text}`);
  return [`ceiling of ${name} (${SOURCES[source]}):`, ...lines].join("\n");
}
