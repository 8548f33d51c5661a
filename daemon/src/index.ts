export { createKernel, type CreateKernelOptions } from "./library.ts";
export {
  createScriptedModels,
  defineProjectTool as defineTool,
  type ProjectToolDefinition as ToolDefinition,
  type ToolContext,
} from "@aos/drivers";
export type { Kernel, KernelOptions } from "@aos/kernel";
export { SysError, type Json, type Program, type Sys, type Tool } from "@aos/protocol";
export { z } from "zod";
