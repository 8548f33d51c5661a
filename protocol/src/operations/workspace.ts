// Operations about workspaces: diff, commit and undo.

import { z } from "zod";
import { byPid } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { count, named, names } from "./response-fields.ts";

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
);
export type FileChange = ReportOf<typeof fileChange>;

const changesReport = named(
  "ChangesReport",
  z.strictObject({
    tree: z.string(),
    kind: z.enum(["private", "direct", "copy"]),
    project: z.string().nullable(),
    state: z.string().describe("`open`, `committed`, `undone`."),
    changes: z.array(fileChange),
    /** What a reader should know: what was left out, and why. */
    notes: names.exactOptional(),
  }),
);
export type ChangesReport = ReportOf<typeof changesReport>;

const workspaceActReport = named(
  "WorkspaceActReport",
  z.strictObject({
    tree: z.string(),
    project: z.string().nullable(),
    files: names.describe("The files that were put back or let through."),
    notes: names.exactOptional(),
  }),
);
export type WorkspaceActReport = ReportOf<typeof workspaceActReport>;

export const workspaceOperations = {
  changes: operation({
    method: "GET",
    path: "/processes/:pid/changes",
    summary: "Show the changes of a process and its children in their workspace.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    query: z.strictObject({ text: z.stringbool().optional() }),
    response: changesReport,
  }),

  undo: operation({
    method: "POST",
    path: "/processes/:pid/undo",
    summary: "Revert the changes in the workspace, and those committed from it.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({
      force: z.boolean().optional().describe("also revert files that were changed since"),
    }),
    response: workspaceActReport,
  }),

  commit: operation({
    method: "POST",
    path: "/processes/:pid/commit",
    summary: "Commit the changes of a copy to the project, all or nothing.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({
      force: z
        .boolean()
        .optional()
        .describe("also commit over files that were changed since; never what the policy forbids"),
    }),
    response: workspaceActReport,
  }),
} as const;
