// Operations about the archive: runs that left the database as signed bundles (docs/retention.md).

import { z } from "zod";
import { countArgument, processReference, tenant } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { processState } from "./process.ts";
import { amount, count, moment, named, pid, text } from "./response-fields.ts";

const archiveReport = named(
  "ArchiveReport",
  z.strictObject({
    dryRun: z.boolean(),
    archived: count.describe("Runs that are in a bundle now; in a dry run, that would be."),
    removed: count.describe("Those of them whose rows have left the database."),
    records: count,
    bytesFreed: amount,
    bundles: z.array(text).describe("Their names within the folder of the archive."),
    waiting: count.describe(
      "Runs that were chosen and stay whole: their tree has not ended long enough ago.",
    ),
  }),
);
export type ArchiveReport = ReportOf<typeof archiveReport>;

const archivedRun = named(
  "ArchivedRun",
  z.strictObject({
    pid,
    agent: text,
    tenant: text,
    parent: pid.nullable(),
    state: processState,
    exitCode: z.int().nullable(),
    startedAt: moment,
    endedAt: moment,
    records: count,
    hasHistory: z.boolean().describe("False where only its result was left to archive."),
    bundle: text.describe("The name of its file within the folder of the archive."),
  }),
);
export type ArchivedRun = ReportOf<typeof archivedRun>;

const archiveVerification = named(
  "ArchiveVerification",
  z.strictObject({
    ok: z.boolean(),
    bundles: count,
    runs: count,
    unlisted: count.describe(
      "Bundles that the ledger does not name, e.g. of a daemon that was killed; nothing is read from them.",
    ),
    findings: z.array(z.strictObject({ bundle: text, message: text })),
  }),
);
export type ArchiveVerification = ReportOf<typeof archiveVerification>;

export const archiveOperations = {
  archiveRuns: operation({
    method: "POST",
    path: "/archive",
    summary: "Move finished runs from the database to signed bundles in the archive.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({
      pid: processReference("Only the tree that this process is of.").optional(),
      endedBefore: moment.optional().describe("Whole trees that ended before this time."),
      dryRun: z.boolean().optional().describe("only print the planned changes"),
    }),
    response: archiveReport,
  }),

  archivedRuns: operation({
    method: "GET",
    path: "/archive",
    summary: "List the runs in the archive, newest first.",
    role: "viewer",
    reach: "machine",
    query: z.strictObject({
      tenant: tenant.optional().describe("only runs of this tenant"),
      agent: z.string().min(1).max(200).optional().describe("only runs of this agent"),
      limit: countArgument
        .min(1)
        .max(100_000)
        .optional()
        .describe("only the newest N (default: 100)"),
    }),
    response: z.array(archivedRun),
  }),

  verifyArchive: operation({
    method: "POST",
    path: "/archive/verify",
    summary: "Verify every bundle of the archive and report changed, truncated and missing ones.",
    role: "operator",
    reach: "machine",
    response: archiveVerification,
  }),
} as const;
