// Tools that come with the system, and how to write one.

import type { Tool } from "@aos/protocol";
import { echo } from "./echo.ts";
import { fileAppend, fileList, fileRead, fileRemove, fileWrite } from "./file/index.ts";
import { createEgress, createHttpTools } from "./http/index.ts";

export { defineTool, type ToolDefinition } from "./define-tool.ts";

export const builtInTools: readonly Tool[] = [
  echo,
  fileAppend,
  fileList,
  fileRead,
  fileRemove,
  fileWrite,
  ...createHttpTools(createEgress()),
];
