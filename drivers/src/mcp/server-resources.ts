// Server resources: the resources of a declared MCP server, for mounts (mounts/mcp-mount.ts).

import type { DeviceContext, Touch } from "@aos/protocol";
import type { McpToolProvider } from "./mcp-tool-provider.ts";
import { touchesOf } from "./mcp-tools.ts";
import type { McpServer } from "./server.ts";

/** What an MCP server is to a mount (mounts/mcp-mount.ts). */
export interface ResourceServer {
  /** What a call needs, beside the mount itself. */
  readonly touches: readonly Touch[];
  list(
    cursor: string | undefined,
    context: DeviceContext,
  ): Promise<{ readonly uris: readonly string[]; readonly next: string | undefined }>;
  read(uri: string, context: DeviceContext): Promise<readonly ResourceContent[]>;
}

export interface ResourceContent {
  readonly uri: string;
  readonly text?: string;
  /** Base64. */
  readonly blob?: string;
}

/** Servers come and go with the configuration: it is looked up at each call. */
export type FindResources = (name: string) => ResourceServer | undefined;

/** Of the operator's servers, which every folder has. */
export const resourcesOf =
  (provider: Pick<McpToolProvider, "operatorsServer">) =>
  (tenant: string): FindResources =>
  (name) => {
    const server = provider.operatorsServer(tenant, name);
    return server === undefined ? undefined : resourceServer(server);
  };

const resourceServer = (server: McpServer): ResourceServer => ({
  touches: touchesOf(server.declaration, { isCow: false }),
  list: (cursor, context: DeviceContext) =>
    server.use(context, (made, idleMs) => made.listResources(cursor, context, idleMs)),
  read: (uri, context: DeviceContext) =>
    server.use(context, (made, idleMs) => made.readResource(uri, context, idleMs)),
});
