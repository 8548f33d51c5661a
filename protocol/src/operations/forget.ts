// Operations about forgetting: what is about something goes from memory and from what is recorded (docs/forgetting.md).
//
// FORGET-OPERATION-1  What is to be forgotten is not in the answer, beyond the paths of files.

import { z } from "zod";
import { processReference, tenant } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { count, named } from "./response-fields.ts";

const forgetReport = named(
  "ForgetReport",
  z.strictObject({
    dryRun: z.boolean(),
    erasures: z.array(z.string()).describe("The ids of the signed rows that record the removals."),
    files: count.describe("Files of memory."),
    paths: z.array(z.string()).describe("Some of them."),
    records: count.describe("Journal records that lost a part."),
    values: count.describe("Large values of journals."),
    results: count.describe("Outputs and errors of runs."),
    messages: count,
    questions: count,
    runs: z.array(z.string()).describe("Runs of which something went: they cannot be replayed."),
    left: z
      .array(
        z.strictObject({
          because: z.enum(["running", "damaged", "ledger", "manifest", "label", "structure"]),
          pid: z.string().optional(),
          rows: count,
        }),
      )
      .describe("What is kept, and why."),
  }),
);
export type ForgetReport = ReportOf<typeof forgetReport>;

export const forgetOperations = {
  forgetMemory: operation({
    method: "POST",
    path: "/memory/forget",
    summary: "Remove everything about a subject from memory and from the journals.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({
      about: z.string().min(1).max(1000).optional().describe("words that it contains"),
      path: z
        .string()
        .max(4096)
        .regex(/^\/mem\/(?:shared|agents)\/./, "a path below /mem/shared or /mem/agents")
        .optional()
        .describe("only this file of memory or folder, and copies of its text"),
      pid: processReference()
        .optional()
        .describe("only files last written by this process, and copies"),
      writer: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("only files last written by processes of this agent, and copies"),
      tenant: tenant.optional().describe("in this tenant"),
      dryRun: z.boolean().optional().describe("only list what would be removed"),
      stop: z.boolean().optional().describe("end the processes that hold a part of it first"),
    }),
    response: forgetReport,
  }),
} as const;
