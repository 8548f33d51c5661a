// Operations about tidying: the long-term memory of agents is consolidated, and that can be taken back.

import { z } from "zod";
import { durationMs, tenant } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { count, named } from "./response-fields.ts";

const kind = z.enum(["replaced", "duplicate", "summary", "age", "size"]);

const tidyReport = named(
  "TidyReport",
  z.strictObject({
    dryRun: z.boolean(),
    id: z.string().nullable().describe("The id that undoes it; null if nothing was removed."),
    removed: count.describe("Rows."),
    written: count.describe("Summaries in the place of some of them."),
    kinds: z.record(z.string(), count).describe("How many rows went, and why."),
    changes: z
      .array(z.strictObject({ kind, removed: z.array(z.string()), kept: z.string().nullable() }))
      .describe("Examples: what was removed, and what replaces it."),
  }),
);
export type TidyReport = ReportOf<typeof tidyReport>;

const untidyReport = named(
  "UntidyReport",
  z.strictObject({
    id: z.string(),
    restored: count,
    kept: z.array(z.string()).describe("Paths where something else stands now."),
  }),
);
export type UntidyReport = ReportOf<typeof untidyReport>;

export const tidyOperations = {
  tidyMemory: operation({
    method: "POST",
    path: "/memory/tidy",
    summary: "Merge duplicates, retire replaced facts, summarize episodes and limit memory.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({
      agent: z
        .string()
        .regex(/^[\w.@~-]{1,200}$/, "the name of an agent or of its space")
        .optional()
        .describe("only the memory of this agent, or space (default: of every agent)"),
      olderThanMs: durationMs
        .optional()
        .describe("facts replaced, and episodes written, longer ago (default: 30d)"),
      maxAgeMs: durationMs.optional().describe("also remove records older than this, e.g. 365d"),
      maxRows: count.optional().describe("also remove the oldest beyond this many in each space"),
      dryRun: z.boolean().optional().describe("only list the changes"),
      tenant: tenant.optional().describe("in this tenant"),
    }),
    response: tidyReport,
  }),

  untidyMemory: operation({
    method: "POST",
    path: "/memory/untidy",
    summary: "Take back what was tidied.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({
      id: z
        .string()
        .regex(/^\d{1,16}$/, "the id that was printed")
        .describe("The id."),
      tenant: tenant.optional().describe("in this tenant"),
    }),
    response: untidyReport,
  }),
} as const;
