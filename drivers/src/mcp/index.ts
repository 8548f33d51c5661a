// MCP: the client of the Model Context Protocol. See docs/mcp.md.

export { secretsOf, whereOf } from "./declaration.ts";
export type { McpDeclaration, Setting } from "./declaration.ts";
export { readDeclaredHost } from "./declared-gate.ts";
export { createMcpToolProvider, type McpToolProvider } from "./mcp-tool-provider.ts";
export { resourcesOf } from "./server-resources.ts";
export { SERVER_NAME } from "./tool-name.ts";
export type { PinStore, Pins } from "./tool-pins.ts";
