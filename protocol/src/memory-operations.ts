// Operations about memory and messages: a part of the rows (operations.ts).

import { z } from "zod";
import type { DeadLetter } from "./mail-reports.ts";
import type { MemoryReport, MemorySearchReport } from "./memory-reports.ts";
import { byPid, count, tenant } from "./operation-fields.ts";
import { takes } from "./operation-row.ts";
import { MOST_LISTED } from "./process.ts";

/** The most that a search finds. */
export const MOST_FOUND = 1000;

/** A place of the memory that a tenant's processes share; /mem/working is each one's own. */
export const sharedPath = z
  .string()
  .regex(/^\/mem\/(shared|semantic|episodic)(\/[\w.@ -]+)*$/, "a plain path of shared memory");

export const memoryOperations = {
  /** By a process of the program `recall`: the gate judges it, and the journal has it. */
  searchMemory: takes({
    query: z.strictObject({
      query: z.string().min(1).max(10_000).describe("The words to look for."),
      path: sharedPath.optional().describe("Only below this path."),
      agent: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("Only what this agent's processes wrote."),
      pid: z.string().min(1).max(200).optional().describe("Only what this process wrote."),
      tenant: tenant.optional(),
      limit: count.min(1).max(MOST_FOUND).optional().describe("10 unless said."),
    }),
  }).answers<MemorySearchReport>(),
  deadLetters: takes({
    query: z.strictObject({
      pid: z.string().min(1).max(200).optional().describe("Only those sent to this process."),
      tenant: tenant.optional(),
      before: z.string().min(1).max(200).optional().describe("The page after this letter."),
      limit: count
        .min(1)
        .max(MOST_FOUND, `at most ${MOST_FOUND} at once; before=ID of the last is the next page`)
        .optional()
        .describe("100 unless said."),
    }),
  }).answers<DeadLetter[]>(),
  memory: takes({
    params: byPid,
    query: z.strictObject({
      path: z
        .string()
        .min(1)
        .max(4096)
        .optional()
        .describe("A file, or what files are below; `/mem` unless said."),
      after: z.string().min(1).max(4096).optional().describe("The page after this path."),
      limit: count
        .min(1)
        .max(MOST_LISTED, `at most ${MOST_LISTED} at once; after=PATH of the last is the next page`)
        .optional()
        .describe("1000 unless said."),
    }),
  }).answers<MemoryReport>(),
} as const;
