export { listFolder } from "./folder/list-folder.ts";
export {
  createProvider,
  createProviderEmbeddings,
  hasEmbeddings,
  type ProviderOptions,
} from "./models/provider/index.ts";
export {
  createScriptedModels,
  type ScriptedModelsOptions,
  type ScriptText,
} from "./models/scripted/index.ts";
export {
  createSandbox,
  describeReport,
  type Sandbox,
  type SandboxOptions,
  type SandboxReport,
} from "./sandbox/index.ts";
export { defaultRunLimits } from "./sandbox/limits.ts";
export { findChromium } from "./tools/browser/chromium.ts";
export { createInspector } from "./tools/inspector.ts";
export { createTools, defineTool, type ToolDefinition, type ProgramRunner } from "./tools/index.ts";
export { withFile } from "./tools/file/open-checked.ts";
export { patchText } from "./workspace/patch-text.ts";
export { createWorkspaces, type Workspaces } from "./workspace/index.ts";
export { createForeignPrograms, type ForeignProgramOptions } from "./programs/foreign-programs.ts";
export { inProcessTools } from "./tool-host/in-process-tool.ts";
export {
  defineTool as defineProjectTool,
  type ProjectToolDefinition,
  type ToolContext,
} from "./tool-host/inside/agent-os.ts";
export { createProjectTools, type ProjectTools, type ToolFlaw } from "./tool-host/index.ts";
export { natsHints } from "./hints/nats.ts";
export { createMounts, type ConfiguredMount, type MountProviderOptions } from "./mounts/index.ts";
export { createEgress } from "./web/egress.ts";
export { createEmbeddings, type Embeddings } from "./search/index.ts";
export {
  createMcpToolProvider,
  type McpDeclaration,
  type McpToolProvider,
  type PinStore,
  type Pins,
  readDeclaredHost,
  SERVER_NAME,
  type Setting,
  secretsOf,
  whereOf,
  resourcesOf,
} from "./mcp/index.ts";
