// Formats an MCP server.

import type { McpServerReport } from "@aos/protocol";
import { facts } from "./table.ts";

export function formatMcpServer(server: McpServerReport): string {
  const changes = server.changed.map(({ tool, what }): [string, string] => [
    `changed: ${tool}`,
    what,
  ]);
  return facts([
    ["name", server.name],
    ["state", server.detail === null ? server.state : `${server.state}: ${server.detail}`],
    ["where", server.where],
    ["declared in", server.declaredIn],
    ["revision", server.protocol ?? "-"],
    ["restarts", String(server.restarts)],
    ["tools", server.tools.map((tool) => `mcp.${server.name}.${tool}`).join(", ") || "none"],
    ...changes,
  ]);
}
