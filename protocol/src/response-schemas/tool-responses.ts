// The answers of protocol/src/tool-reports.ts: tools, MCP servers, skills and workspaces.

import { z } from "zod";
import type {
  AgentReport,
  ChangesReport,
  FileChange,
  FolderProblem,
  McpServerReport,
  McpTestReport,
  SkillDetail,
  SkillReport,
  ToolDetail,
  ToolReport,
  WorkspaceActReport,
} from "../tool-reports.ts";
import { amount, count, jsonValue, moment, named, names } from "./fields.ts";

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
  score: z.number().describe("How well it fits what was searched for.").exactOptional(),
  searchedBy: z.enum(["words", "words and meaning"]).exactOptional(),
};

export const toolReport = named(
  "ToolReport",
  z.strictObject(toolFields),
) satisfies z.ZodType<ToolReport>;

export const folderProblem = named(
  "FolderProblem",
  z.strictObject({
    kind: z.enum(["tool", "mcp", "instructions"]),
    message: z.string().describe("File, line where there is one, and reason."),
    untrusted: z
      .string()
      .describe("The folder that is not trusted, where that is why.")
      .exactOptional(),
  }),
) satisfies z.ZodType<FolderProblem>;

export const toolDetail = named(
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
) satisfies z.ZodType<ToolDetail>;

export const mcpServerReport = named(
  "McpServerReport",
  z.strictObject({
    name: z.string(),
    transport: z.enum(["stdio", "http"]),
    where: z.string().describe("The command, or the address."),
    declaredIn: z.string(),
    state: z.enum(["ready", "connecting", "failed", "changed", "stopped"]),
    detail: z.string().nullable().describe("Why it is not ready."),
    protocol: z.string().nullable(),
    tools: names,
    changed: z.array(z.strictObject({ tool: z.string(), what: z.string() })),
    restarts: count,
  }),
) satisfies z.ZodType<McpServerReport>;

export const mcpTestReport = named(
  "McpTestReport",
  z.strictObject({
    name: z.string(),
    ok: z.boolean(),
    steps: z.array(
      z.strictObject({ step: z.string(), ok: z.boolean(), detail: z.string(), ms: amount }),
    ),
  }),
) satisfies z.ZodType<McpTestReport>;

export const agentReport = named(
  "AgentReport",
  z.strictObject({
    name: z.string(),
    description: z.string(),
    models: names.describe("In the order in which they are tried; none for a program of its own."),
    tools: names,
  }),
) satisfies z.ZodType<AgentReport>;

const skillFields = {
  name: z.string(),
  description: z.string(),
  source: z.string().describe("`project`, `user`, `system`."),
  folder: z.string(),
  allowedTools: names.nullable(),
  problems: names.describe("What is wrong with it; it is not offered then."),
};

export const skillReport = named(
  "SkillReport",
  z.strictObject(skillFields),
) satisfies z.ZodType<SkillReport>;

export const skillDetail = named(
  "SkillDetail",
  z.strictObject({
    ...skillFields,
    body: z.string(),
    files: z.array(z.strictObject({ path: z.string(), bytes: count })),
  }),
) satisfies z.ZodType<SkillDetail>;

const fileChange = named(
  "FileChange",
  z.strictObject({
    path: z.string().describe("As the agent sees it: `/work/src/a.ts`."),
    change: z.enum(["added", "removed", "changed", "mode"]),
    kind: z.enum(["file", "folder", "link"]),
    isBinary: z.boolean(),
    before: count.nullable(),
    after: count.nullable(),
    diff: z.string().describe("A unified diff, where it was asked for.").exactOptional(),
  }),
) satisfies z.ZodType<FileChange>;

export const changesReport = named(
  "ChangesReport",
  z.strictObject({
    tree: z.string(),
    kind: z.enum(["private", "direct", "copy"]),
    project: z.string().nullable(),
    state: z.string().describe("`open`, `committed`, `undone`."),
    changes: z.array(fileChange),
    notes: names.exactOptional(),
  }),
) satisfies z.ZodType<ChangesReport>;

export const workspaceActReport = named(
  "WorkspaceActReport",
  z.strictObject({
    tree: z.string(),
    project: z.string().nullable(),
    files: names.describe("The files that were put back or let through."),
    notes: names.exactOptional(),
  }),
) satisfies z.ZodType<WorkspaceActReport>;
