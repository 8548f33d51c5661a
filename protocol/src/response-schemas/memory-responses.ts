// The answers of protocol/src/memory-reports.ts and protocol/src/mail-reports.ts.

import { z } from "zod";
import type { DeadLetter } from "../mail-reports.ts";
import type { MemoryFile, MemoryReport, MemorySearchReport } from "../memory-reports.ts";
import { amount, count, jsonValue, moment, named, pid } from "./fields.ts";

const fileFields = {
  path: z.string(),
  writer: z.string().describe("The process that wrote it last."),
  label: z.string().describe("Where it comes from: `trusted/public`."),
  writtenAt: moment,
  bytes: count,
};

const memoryFile = named("MemoryFile", z.strictObject(fileFields)) satisfies z.ZodType<MemoryFile>;

export const memoryReport = named(
  "MemoryReport",
  z
    .strictObject({
      pid,
      path: z.string(),
      file: z
        .strictObject({ ...fileFields, data: jsonValue })
        .nullable()
        .describe("Null where there is none at the path itself."),
      files: z.array(memoryFile).describe("Those below the path, or a page of them."),
      next: z
        .string()
        .nullable()
        .describe("Where there are more: what the next page comes `after`."),
    })
    .describe("What a process has at a path of its memory, and below it."),
) satisfies z.ZodType<MemoryReport>;

export const memorySearchReport = named(
  "MemorySearchReport",
  z
    .strictObject({
      found: z.array(
        z.strictObject({
          path: z.string(),
          data: jsonValue,
          score: amount.describe("The part of the words that are there: 1 for all of them."),
          writer: z.string().nullable().describe("Null where it is gone since."),
        }),
      ),
      tenant: z.string().describe("Whose memory it was."),
      pid: z.string().describe("The process that searched."),
    })
    .describe("What a search of shared memory has found, the best first."),
) satisfies z.ZodType<MemorySearchReport>;

export const deadLetter = named(
  "DeadLetter",
  z
    .strictObject({
      id: z.string(),
      to: z.string().describe("The process that it was sent to."),
      from: z.string(),
      type: z.string(),
      replyTo: z.string().nullable().describe("The request that it would have answered."),
      body: jsonValue.describe("A long one is cut, and a text then."),
      label: z.string().describe("Where it comes from: `trusted/public`."),
      sentAt: moment,
      diedAt: moment,
      reason: z.string(),
    })
    .describe("A message that nobody will take."),
) satisfies z.ZodType<DeadLetter>;
