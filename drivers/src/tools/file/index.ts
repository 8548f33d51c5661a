// Files of this machine and of workspaces: the tools, and the one way that tools open files.

import type { Tool } from "@aos/protocol";
import type { ProgramRunner } from "../program-runner.ts";
import { createChangeTools } from "./change-tools.ts";
import { createGrepTool } from "./grep-tool.ts";
import { createReadTools } from "./read-tools.ts";

export const createFileTools = (runner: ProgramRunner): readonly Tool[] => [
  ...createReadTools(runner),
  createGrepTool(runner),
  ...createChangeTools(runner),
];
