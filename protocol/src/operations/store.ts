// Operations about storage: integrity of the store and the records, the ledger, and retention.

import { z } from "zod";
import { countArgument } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { amount, count, jsonValue, moment, named } from "./response-fields.ts";

const auditReport = named(
  "AuditReport",
  z.strictObject({
    ok: z.boolean(),
    processes: count,
    records: count,
    logged: count.describe("The number of chain heads under the signed tree head."),
    findings: z.array(
      z.strictObject({
        kind: z.enum(["changed", "missing", "reordered", "truncated", "log", "blob"]),
        pid: z.string().nullable(),
        seq: count.nullable(),
        message: z.string(),
      }),
    ),
    erasures: z
      .array(
        z.strictObject({
          id: z.string(),
          at: moment,
          by: z.string(),
          tenant: z.string(),
          records: count,
          values: count.describe("Large values."),
          rows: count.describe("Files, messages, questions, results and embeddings."),
          runs: z.array(z.string()).describe("Runs that cannot be replayed any more."),
        }),
      )
      .describe("Texts that were erased on request (`aos mem forget`), by signed rows."),
  }),
);
export type AuditReport = ReportOf<typeof auditReport>;

export type AuditFinding = AuditReport["findings"][number];

const storeFields = {
  ok: z.boolean(),
  store: z.string(),
  heads: count.describe("How many signed heads it was compared with."),
  summary: z.string().nullable(),
  held: z
    .array(z.strictObject({ pid: z.string(), why: z.string() }))
    .describe("Processes that do not run, and why."),
  lost: z
    .array(
      z.strictObject({
        pid: z.string(),
        known: z.int().describe("The last record that is known to have been written."),
        stored: z.int().describe("The last that is there; -1 where nothing is."),
        kind: z.enum(["behind", "different", "missing"]),
      }),
    )
    .describe("Data that was written and is missing."),
  damage: z.array(z.string()),
};

const storeReport = named("StoreReport", z.strictObject(storeFields));
export type StoreReport = ReportOf<typeof storeReport>;

const acceptReport = named(
  "AcceptReport",
  z.strictObject({ ...storeFields, released: count.describe("How many processes go on.") }),
);
export type AcceptReport = ReportOf<typeof acceptReport>;

const gcReport = named(
  "GcReport",
  z.strictObject({
    dryRun: z.boolean(),
    compacted: count,
    archived: count.describe("Runs that went to the archive, where one is configured."),
    recordsRemoved: count,
    bytesFreed: amount,
    kept: count,
    /** Compacted runs whose rows went as well; in a dry run, those that are beyond the limit now. */
    resultsRemoved: count,
  }),
);
export type GcReport = ReportOf<typeof gcReport>;

const ledgerReport = named(
  "LedgerReport",
  z.strictObject({
    node: z.string(),
    seq: count,
    at: moment,
    by: z.string(),
    what: z.string(),
    detail: jsonValue,
  }),
);
export type LedgerReport = ReportOf<typeof ledgerReport>;

export const storeOperations = {
  storeReport: operation({
    method: "GET",
    path: "/store",
    summary: "Check that the store has everything that was written to it.",
    role: "operator",
    reach: "machine",
    response: storeReport,
  }),

  acceptStore: operation({
    method: "POST",
    path: "/store/accept",
    summary: "Accept the loss of records, and resume the blocked processes.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({ pids: z.array(z.string()).max(10_000).optional() }),
    response: acceptReport,
  }),

  verify: operation({
    method: "POST",
    path: "/audit/verify",
    summary: "Verify every record and report changed, truncated and missing ones.",
    role: "operator",
    reach: "machine",
    reportsProgress: true,
    response: auditReport,
  }),

  collect: operation({
    method: "POST",
    path: "/gc",
    summary: "Compact finished runs that are older than their retention.",
    role: "operator",
    reach: "machine",
    body: z.strictObject({
      dryRun: z.boolean().optional().describe("only print the planned changes"),
    }),
    response: gcReport,
  }),

  ledger: operation({
    method: "GET",
    path: "/audit/ledger",
    summary: "List the actions of people that are in no journal, newest last.",
    role: "viewer",
    reach: "machine",
    query: z.strictObject({
      limit: countArgument
        .min(1)
        .max(100_000)
        .optional()
        .describe("only the last N (default: 1000)"),
    }),
    response: z.array(ledgerReport),
  }),
} as const;
