export { createKernel, type CreateKernelOptions } from "./library.ts";
export {
  createScriptedModels,
  defineProjectTool as defineTool,
  type ProjectToolDefinition as ToolDefinition,
  type ToolContext,
} from "@aos/drivers";
export { defineWorkflow, type WorkflowProgramDefinition, type WorkflowFlow } from "@aos/userland";
export { observeProgram, type ObservedRun, type ObservedStep } from "./workflows/observe-run.ts";
export type { Kernel, KernelOptions } from "@aos/kernel";
export { SysError, type Json, type Program, type Sys, type Tool } from "@aos/protocol";
export { z } from "zod";
