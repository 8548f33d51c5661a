export {
  createScriptedModels,
  type ScriptedModelsOptions,
  type ScriptText,
} from "./models/scripted/index.ts";
export { builtInTools, defineTool, type ToolDefinition } from "./tools/index.ts";
export { createForeignPrograms, type ForeignProgramOptions } from "./programs/foreign-programs.ts";
