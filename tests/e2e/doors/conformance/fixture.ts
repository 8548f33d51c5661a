// Fixture: a tool of the conformance suite. Its name and what it answers are the suite's; it has no power at
// all.

import type { CallToolResult, ServerContext, Tool } from "@modelcontextprotocol/server";
import type { ToolRowResult, ToolRow } from "../../../../daemon/src/mcp-server/tool-row.ts";

const NOTHING: Tool["inputSchema"] = { type: "object", properties: {} };

export const fixture = (
  name: string,
  run: (
    context: ServerContext,
    args: Record<string, unknown>,
  ) => Promise<ToolRowResult> | ToolRowResult,
  inputSchema: Tool["inputSchema"] = NOTHING,
): ToolRow => ({
  tool: { name, description: `A fixture of the conformance suite: ${name}.`, inputSchema },
  run: async (args, { context }) => run(context, args),
});

export const said = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

export const takesText = (name: string): Tool["inputSchema"] => ({
  type: "object",
  properties: { [name]: { type: "string" } },
  required: [name],
});
