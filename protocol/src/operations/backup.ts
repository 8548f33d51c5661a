// Operations about copies of what is kept: backups of everything, and bundles of single runs.

import { z } from "zod";
import { folder, processReference } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { count, moment, named, text } from "./response-fields.ts";

const backupReport = named(
  "BackupReport",
  z.strictObject({
    file: text,
    bytes: count,
    files: count,
    skipped: count.describe("Links and special files of workspaces, which are not in it."),
    store: z.enum(["sqlite", "postgres"]),
    schema: count,
    version: text,
    startedAt: moment,
    endedAt: moment.describe("Everything that was acknowledged before this time is in it."),
  }),
);
export type BackupReport = ReportOf<typeof backupReport>;

const backupProgress = named(
  "BackupProgress",
  z.strictObject({
    doing: text,
    bytes: count,
    report: backupReport.nullable().describe("In the last line."),
  }),
);

const exportReport = named(
  "ExportReport",
  z.strictObject({
    file: text,
    bytes: count,
    runs: count,
    records: count,
    signer: text.nullable().describe("The key that signed it, as a verifier key of signed notes."),
  }),
);
export type ExportReport = ReportOf<typeof exportReport>;

export const backupOperations = {
  backUp: operation({
    method: "POST",
    path: "/backup",
    summary: "Write everything that is kept to one sealed file, while agents run.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({
      file: folder.describe("A file of the daemon's machine that is not there yet."),
      passphrase: z.string().min(8).max(10_000),
    }),
    streams: true,
    response: backupProgress,
  }),

  exportRuns: operation({
    method: "POST",
    path: "/export",
    summary: "Write runs to one signed file that another machine can replay.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({
      file: folder.describe("A file of the daemon's machine that is not there yet."),
      pid: processReference("Only the tree that this process is of.").optional(),
      agent: z.string().min(1).max(200).optional().describe("Only trees with a run of this agent."),
      since: moment.optional().describe("Only trees with a run that was started then or later."),
    }),
    response: exportReport,
  }),
} as const;
