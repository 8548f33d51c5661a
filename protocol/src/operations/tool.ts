// Operations about agents by name, tools, and the problems of a folder.

import { z } from "zod";
import {
  byName,
  capabilities,
  durationMs,
  folder,
  fromFolder,
  jsonArgument,
  words,
  workspace,
} from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { amount, count, jsonValue, moment, named, names, started } from "./response-fields.ts";

const agentReport = named(
  "AgentReport",
  z.strictObject({
    name: z.string(),
    description: z.string(),
    models: names.describe("In the order in which they are tried; none for a program of its own."),
    tools: names,
    capabilities: names.describe("The capabilities of its manifest."),
  }),
);
export type AgentReport = ReportOf<typeof agentReport>;

const toolFields = {
  name: z.string(),
  version: z.string(),
  description: z.string(),
  source: z.string().describe("`built-in`, `program`, `project`, `mcp`, `library`."),
  effect: z.enum(["read", "idempotent", "external"]),
  tags: names,
  deprecated: z.string().nullable(),
  calls: count,
  failures: count,
  p50Ms: amount.nullable(),
  p95Ms: amount.nullable(),
  score: z.number().describe("How well it matches the query.").exactOptional(),
  /** `words` where what words mean is not known here; absent without a search. */
  searchedBy: z.enum(["words", "words and meaning"]).exactOptional(),
};

const toolReport = named("ToolReport", z.strictObject(toolFields));
export type ToolReport = ReportOf<typeof toolReport>;

const toolDetail = named(
  "ToolDetail",
  z.strictObject({
    ...toolFields,
    input: jsonValue.describe("JSON Schema of the arguments."),
    output: jsonValue.describe("JSON Schema of the result, or null."),
    sandbox: z.literal("process").nullable(),
    undo: z.string().nullable(),
    egress: z.boolean(),
    hints: z.strictObject({ usd: amount.exactOptional(), ms: amount.exactOptional() }),
    lastFailure: z.strictObject({ at: moment, message: z.string() }).nullable(),
    needs: names.describe("The capabilities that every call needs, whatever its arguments."),
  }),
);
export type ToolDetail = ReportOf<typeof toolDetail>;

const folderProblem = named(
  "FolderProblem",
  z.strictObject({
    kind: z.enum(["tool", "mcp", "instructions"]),
    message: z.string().describe("File, line where there is one, and reason."),
    untrusted: z
      .string()
      .describe("The folder that is not trusted, where that is why.")
      .exactOptional(),
  }),
);
export type FolderProblem = ReportOf<typeof folderProblem>;

export const toolOperations = {
  agents: operation({
    method: "GET",
    path: "/agents",
    summary: "List the agents that can be started by name here.",
    role: "viewer",
    reach: "tenant",
    query: fromFolder,
    response: z.array(agentReport),
  }),

  tools: operation({
    method: "GET",
    path: "/tools",
    summary: "List the tools, or search them by words.",
    role: "viewer",
    reach: "tenant",
    query: fromFolder.extend({ search: words.optional() }),
    response: z.array(toolReport),
  }),

  tool: operation({
    method: "GET",
    path: "/tools/:name",
    summary: "Show a tool in full: its arguments, needs and statistics.",
    role: "viewer",
    reach: "tenant",
    params: byName,
    query: fromFolder,
    response: toolDetail,
  }),

  callTool: operation({
    method: "POST",
    path: "/tools/:name/call",
    summary: "Call a tool once, through the gate, and print its result.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: z.strictObject({
      args: jsonArgument.optional(),
      cwd: folder.optional(),
      workspace: workspace.optional(),
      /** Narrow what the call may touch. */
      capabilities: capabilities.optional(),
      timeoutMs: durationMs.optional(),
    }),
    response: started,
  }),

  folderProblems: operation({
    method: "GET",
    path: "/problems",
    summary: "List the files of the home and of a folder that were ignored, and why.",
    role: "operator",
    reach: "machine",
    query: fromFolder.extend({ folder: folder.optional() }),
    response: z.array(folderProblem),
  }),
} as const;
