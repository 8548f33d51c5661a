// Handlers of operations about MCP servers.
//
// MCP-HANDLERS-1  Only the operator's own file is changed here, never a project's.

import {
  DEFAULT_TENANT,
  type McpServerReport,
  type ToolScope,
  type mcpServerOperations,
} from "@aos/protocol";
import type { HandlersOf } from "./handler.ts";

const scopeOf = (cwd: string | undefined): ToolScope => ({
  tenant: DEFAULT_TENANT,
  folders: cwd === undefined ? [] : [cwd],
});

/** A project that nobody trusted: nothing of it is read or started. */
const strangerOf = (project: string): McpServerReport => ({
  name: "-",
  transport: "stdio",
  where: project,
  declaredIn: `${project}/.agents/mcp.yaml`,
  state: "stopped",
  detail: `${project} is not trusted: aos trust ${project}`,
  protocol: null,
  tools: [],
  changed: [],
  restarts: 0,
});

export const mcpServerHandlers: HandlersOf<typeof mcpServerOperations> = {
  async mcpServers({ mcp }, { cwd }) {
    const scope = scopeOf(cwd);
    mcp.registry.declarations(scope); // a file that says nonsense is an error here
    return [
      ...(await mcp.provider.reports(scope)),
      ...mcp.registry.untrusted(scope).map(strangerOf),
    ];
  },
  async addMcpServer({ mcp }, server) {
    return mcp.registry.add(server);
  },
  async removeMcpServer({ mcp }, { name }) {
    const { key } = mcp.registry.remove(name);
    mcp.pins.forget(key);
    // What is no longer declared is closed when somebody looks.
    await mcp.provider.prepare(scopeOf(undefined));
    return { name };
  },
  async testMcpServer({ mcp }, { name, cwd }) {
    return mcp.provider.test(scopeOf(cwd), name);
  },
  async pinMcpServer({ mcp }, { name, cwd }) {
    return mcp.provider.agree(scopeOf(cwd), name);
  },
};
