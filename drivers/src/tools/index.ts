// Tools that come with the system, and how to write one.

import type { Tool } from "@aos/protocol";
import { echo } from "./echo.ts";
import { fileAppend, fileRead, fileWrite } from "./file.ts";

export { defineTool, type ToolDefinition } from "./define-tool.ts";

export const builtInTools: readonly Tool[] = [echo, fileAppend, fileRead, fileWrite];
