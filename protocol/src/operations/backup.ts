// Operations about copies of what is kept: backups of everything, and bundles of single runs.

import { z } from "zod";
import { folder } from "./argument-fields.ts";
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
    endedAt: moment.describe("Whatever was acknowledged before this is in it."),
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
} as const;
