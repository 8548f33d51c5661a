// Fixture: a tool of the conformance suite. Its name and what it answers are the suite's; it has no power at
// all.

import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
  Tool,
} from "@modelcontextprotocol/server";

export type FixtureResult = CallToolResult | InputRequiredResult;

export interface Fixture {
  readonly tool: Tool;
  readonly run: (args: Record<string, unknown>, context: ServerContext) => Promise<FixtureResult>;
}

const NOTHING: Tool["inputSchema"] = { type: "object", properties: {} };

export const fixture = (
  name: string,
  run: (
    context: ServerContext,
    args: Record<string, unknown>,
  ) => Promise<FixtureResult> | FixtureResult,
  inputSchema: Tool["inputSchema"] = NOTHING,
): Fixture => ({
  tool: { name, description: `A fixture of the conformance suite: ${name}.`, inputSchema },
  run: async (args, context) => run(context, args),
});

export const said = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

export const takesText = (name: string): Tool["inputSchema"] => ({
  type: "object",
  properties: { [name]: { type: "string" } },
  required: [name],
});
