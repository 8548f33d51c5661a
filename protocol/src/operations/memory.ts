// Operations about memory: the virtual files below /mem.

import { z } from "zod";
import { integrities } from "../label.ts";
import { foundKinds } from "../found-kind.ts";
import { MOST_LISTED } from "../process.ts";
import { byPid, countArgument, processReference, tenant } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { amount, count, jsonValue, moment, named, pid } from "./response-fields.ts";

const fileFields = {
  path: z.string(),
  writer: z.string().describe("The process that wrote it last."),
  label: z.string().describe("Where it comes from: `trusted/public`."),
  writtenAt: moment,
  bytes: count,
};

const memoryFile = named("MemoryFile", z.strictObject(fileFields));
export type MemoryFile = ReportOf<typeof memoryFile>;

const memoryReport = named(
  "MemoryReport",
  z
    .strictObject({
      pid,
      path: z.string(),
      file: z
        .strictObject({ ...fileFields, data: jsonValue })
        .nullable()
        .describe("Null if the path itself is no file."),
      files: z.array(memoryFile).describe("Those below the path, or a page of them."),
      next: z
        .string()
        .nullable()
        .describe("If there are more: the value of `after` for the next page."),
    })
    .describe("The memory of a process at a path and below it."),
);
export type MemoryReport = ReportOf<typeof memoryReport>;

/** What a search says of a file that it has found. */
export const foundFile = z.strictObject({
  path: z.string(),
  kind: z.enum(foundKinds).optional().describe("The results."),
  data: jsonValue,
  score: amount.describe("From 0 to 1, comparable within one search."),
  writer: z.string().nullable().describe("Null where it is gone since."),
  why: z
    .array(z.strictObject({ feature: z.string(), says: z.string(), added: amount }))
    .optional()
    .describe("Why it was found, the strongest reason first."),
  passage: z
    .strictObject({
      text: z.string(),
      heading: z.string().optional(),
      line: count.optional(),
    })
    .optional()
    .describe("Of a file in several parts: the part that fits best."),
  label: z.string().optional().describe("Where it comes from: `trusted/public`."),
  writtenAt: moment.optional(),
  contradicts: z
    .array(z.string())
    .optional()
    .describe("Of a fact: others about the same subject that say something else."),
  replacedBy: z.string().optional().describe("Of a fact: the one in its place."),
  searchedBy: z
    .enum(["text", "text and vectors"])
    .optional()
    .describe("Whether meanings were compared, or words alone."),
});

const memorySearchReport = named(
  "MemorySearchReport",
  z
    .strictObject({
      found: z.array(foundFile),
      rerankedBy: z
        .string()
        .nullable()
        .describe("The model that ordered the results; null if none did."),
      tenant: z.string().describe("Whose memory it was."),
      pid: z.string().describe("The process that searched."),
    })
    .describe("The results of a search of shared memory, best first."),
);
export type MemorySearchReport = ReportOf<typeof memorySearchReport>;

/** The most that a search finds. */
export const MOST_FOUND = 1000;

/** A place of memory that outlives a process. `/mem/semantic` and `/mem/episodic` are those of every agent. */
export const sharedPath = z
  .string()
  .regex(
    /^\/mem\/(shared|semantic|episodic|agents\/[\w.@~-]+\/(semantic|episodic))(\/[\w.@ -]+)*$/,
    "a plain path of memory that outlives a process: /mem/shared/…, /mem/semantic/…, /mem/agents/SPACE/semantic/…",
  );

export const memoryOperations = {
  /** By a process of the program `recall`: the gate judges it, and the journal has it. */
  searchMemory: operation({
    method: "GET",
    path: "/memory",
    summary: "Search the memory of agents by words and meaning.",
    role: "operator",
    reach: "tenant",
    query: z.strictObject({
      query: z.string().min(1).max(10_000).describe("The query: words or a question."),
      path: sharedPath
        .optional()
        .describe(
          "only below this path: /mem/semantic/people of every agent, /mem/agents/researcher/semantic of one",
        ),
      agent: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("only results written by processes of this agent"),
      pid: processReference().optional().describe("only results written by this process"),
      tenant: tenant.optional().describe("in the memory of this tenant"),
      label: z
        .enum(integrities)
        .optional()
        .describe(
          "only results that are at least this trusted; untrusted: also facts in quarantine",
        ),
      since: moment.optional().describe("only records from this time or later"),
      until: moment.optional().describe("only records from before this time"),
      limit: countArgument
        .min(1)
        .max(MOST_FOUND)
        .optional()
        .describe("at most this many (default: 10)"),
      rerank: z
        .string()
        .min(3)
        .max(200)
        .optional()
        .describe("a model that orders the results, as provider/name"),
      usd: z.coerce
        .number()
        .positive()
        .max(1000)
        .optional()
        .describe("the most that this may cost, in dollars (default: 0.50)"),
    }),
    response: memorySearchReport,
  }),

  memory: operation({
    method: "GET",
    path: "/processes/:pid/memory",
    summary: "List the memory files of a process, or read one.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    query: z.strictObject({
      path: z
        .string()
        .min(1)
        .max(4096)
        .optional()
        .describe("A file or a folder (default: `/mem`)."),
      after: z
        .string()
        .min(1)
        .max(4096)
        .optional()
        .describe("the next page: the entries after this one"),
      limit: countArgument
        .min(1)
        .max(MOST_LISTED, `at most ${MOST_LISTED} at once; after=PATH of the last is the next page`)
        .optional()
        .describe("at most this many, by path (default: 1000, limit: 10000)"),
    }),
    response: memoryReport,
  }),
} as const;
