// Tools that come with the system, and how to write one.

import type { Tool } from "@aos/protocol";
import { createBrowserTools } from "./browser/browser-tools.ts";
import { createBuildTools } from "./build/build-tools.ts";
import { echo } from "./echo.ts";
import { createFileTools } from "./file/index.ts";
import { createGitTools } from "./git/git-tools.ts";
import { createEgress, createHttpTools } from "./http/index.ts";
import { createQueryTool } from "./json/query-tool.ts";
import { programFiles, programTool, SHIPPED } from "./programs/program-tools.ts";
import { createScoreTool } from "./score-tool.ts";
import { createShellTools } from "./shell/shell-tools.ts";
import type { ProgramRunner } from "./program-runner.ts";

export { defineTool, type ToolDefinition } from "./define-tool.ts";
export type { ProgramRunner } from "./program-runner.ts";

export const createTools = (runner: ProgramRunner): readonly Tool[] => [
  echo,
  ...createFileTools(runner),
  createQueryTool(runner),
  ...createHttpTools(createEgress()),
  ...createShellTools(runner),
  ...createGitTools(runner),
  ...createBuildTools(runner),
  ...createBrowserTools(runner),
  createScoreTool(runner),
  ...programFiles(SHIPPED).map((file) => programTool(runner, file)),
];
