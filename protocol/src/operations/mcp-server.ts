// Operations about MCP servers.

import { z } from "zod";
import { byName, fromFolder } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { amount, count, itsName, named, names, text } from "./response-fields.ts";

const mcpServerReport = named(
  "McpServerReport",
  z.strictObject({
    name: z.string(),
    transport: z.enum(["stdio", "http"]),
    where: z.string().describe("The command, or the address."),
    /** The file that declares it. */
    declaredIn: z.string(),
    state: z.enum(["ready", "connecting", "failed", "changed", "stopped"]),
    detail: z.string().nullable().describe("Why it is not ready."),
    protocol: z.string().nullable(),
    tools: names,
    /** Tools whose description or schema is no longer what was agreed to, with what changed. */
    changed: z.array(z.strictObject({ tool: z.string(), what: z.string() })),
    restarts: count,
  }),
);
export type McpServerReport = ReportOf<typeof mcpServerReport>;

const mcpTestReport = named(
  "McpTestReport",
  z.strictObject({
    name: z.string(),
    ok: z.boolean(),
    steps: z.array(
      z.strictObject({ step: z.string(), ok: z.boolean(), detail: z.string(), ms: amount }),
    ),
  }),
);
export type McpTestReport = ReportOf<typeof mcpTestReport>;

export const mcpServerOperations = {
  mcpServers: operation({
    method: "GET",
    path: "/mcp/servers",
    summary: "List the MCP servers and their state.",
    role: "viewer",
    reach: "machine",
    query: fromFolder,
    response: z.array(mcpServerReport),
  }),

  addMcpServer: operation({
    method: "POST",
    path: "/mcp/servers",
    summary: "Add an MCP server for all agents, and list its tools.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({
      name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, "1 to 63 of a-z 0-9 _ -"),
      /** One of the two. */
      command: z.array(z.string().min(1)).min(1).optional(),
      url: z
        .url({ protocol: /^https?$/ })
        .optional()
        .describe("a server over HTTP"),
      /** Values, or `$SECRET_NAME` for a secret. */
      env: z
        .record(z.string(), z.string())
        .optional()
        .describe("environment variables; $NAME is a secret"),
      headers: z.record(z.string(), z.string()).optional(),
      /** Paths that a stdio server sees, `:rw` at the end to write. */
      paths: z.array(z.string().min(1)).optional(),
      /** Hosts that a stdio server may reach. */
      hosts: z.array(z.string().min(1)).optional(),
    }),
    response: z.strictObject({ name: text, file: text }),
  }),

  removeMcpServer: operation({
    method: "POST",
    path: "/mcp/servers/:name/remove",
    summary: "Remove an MCP server from $AOS_HOME/mcp.yaml, with its pins.",
    role: "operator",
    reach: "machine",
    params: byName,
    response: itsName,
  }),

  testMcpServer: operation({
    method: "POST",
    path: "/mcp/servers/:name/test",
    summary: "Test the connection to an MCP server, step by step.",
    role: "operator",
    reach: "machine",
    params: byName,
    body: fromFolder,
    response: mcpTestReport,
  }),

  pinMcpServer: operation({
    method: "POST",
    path: "/mcp/servers/:name/pin",
    summary: "Pin the present descriptions of the tools of an MCP server.",
    role: "operator",
    reach: "machine",
    params: byName,
    body: fromFolder,
    response: mcpServerReport,
  }),
} as const;
