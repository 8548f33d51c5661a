// Parts: the MCP client for the tests of this repository. Not a public interface.

export { CallRegistry } from "./call-registry.ts";
export { connect, type ConnectionOptions, type McpConnection } from "./connection.ts";
export type { HttpDeclaration, StdioDeclaration } from "./declaration.ts";
export { openHttp } from "./open-http.ts";
export type { ServerTimes } from "./server-times.ts";
export { SignIn } from "./sign-in.ts";
export type { ServerToolDefinition } from "./tool-pins.ts";
