// The daemon as an MCP server, on the gateway's app. Its modules are loaded at the first request.

import type { Hono } from "hono";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { GatewayEnv } from "../gateway/caller.ts";
import type { McpEndpoint } from "./mcp-endpoint.ts";

export const MCP_PATH = "/mcp";

export function addMcpRoutes(app: Hono<GatewayEnv>, gateway: GatewayContext): void {
  let endpoint: Promise<McpEndpoint> | undefined;
  const open = async () => (await import("./mcp-endpoint.ts")).openMcpEndpoint(gateway);
  app.on(["GET", "POST", "DELETE"], MCP_PATH, async (context) =>
    (await (endpoint ??= open())).serve(context),
  );
}
