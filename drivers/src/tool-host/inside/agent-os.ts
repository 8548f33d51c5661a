// The module that a project's tool imports as `agent-os`.

import { defineTool as define, type ToolDefinition } from "../../tools/define-tool.ts";
import type { Tool } from "@aos/protocol";
import type { z } from "zod";
import type { ToolContext } from "./tool-context.ts";

export { SysError } from "@aos/protocol/words";
export { z } from "zod";
export type { ToolContext } from "./tool-context.ts";

/** As `defineTool` of the library; what a call is given is what a host can ask for. */
export interface ProjectToolDefinition<Schema extends z.ZodType> extends Omit<
  ToolDefinition<Schema>,
  "run"
> {
  run(args: z.output<Schema>, context: ToolContext): Promise<unknown>;
}

/** What was stated, by what came of it. */
export const stated = new WeakMap<Tool, ToolDefinition<z.ZodType>>();

export function defineTool<Schema extends z.ZodType>(
  definition: ProjectToolDefinition<Schema>,
): Tool {
  const whole = definition as unknown as ToolDefinition<z.ZodType>;
  const tool = define(whole);
  stated.set(tool, whole);
  return tool;
}
