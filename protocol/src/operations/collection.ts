// Operations about collections: files that were read outside and are searched as memory, below /mem/shared/NAME.

import { z } from "zod";
import { countArgument, labelArgument, tenant } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { amount, count, moment, named } from "./response-fields.ts";

/** A collection is a folder of /mem/shared, and its name a part of capabilities: no sign of a pattern is in it. */
const collectionName = z
  .string()
  .regex(/^[\p{L}\p{N}_@][\p{L}\p{N}_.@ -]{0,99}$/u, "letters, digits, spaces and _ . @ -");

const filePath = z.string().min(1).max(2000).describe("Below the collection, with `/` between.");

const source = {
  file: z.string().min(1).max(4096).describe("Its path below `root`."),
  root: z.string().min(1).max(4096).describe("The folder that was ingested."),
  digest: z
    .string()
    .min(1)
    .max(200)
    .describe("Digest of the content; files with the same digest are unchanged."),
};

const claimedBy = z
  .string()
  .nullable()
  .describe("The process that claims this source, if no ingestion wrote the file; else null.");

const collectionReport = named(
  "CollectionReport",
  z
    .strictObject({
      name: z.string(),
      path: z.string().describe("The path that a capability names: `memory:PATH/**:search`."),
      files: count,
      bytes: count,
      label: z.string().describe("Of all of it together: `untrusted/public`."),
      updatedAt: moment,
      root: z.string(),
      commit: z.string().nullable().describe("That was checked out when it was read."),
      claimedBy,
    })
    .describe("A folder of shared memory that was ingested."),
);
export type CollectionReport = ReportOf<typeof collectionReport>;

const collectionFile = named(
  "CollectionFile",
  z.strictObject({
    path: z.string(),
    ...source,
    commit: z.string().nullable(),
    claimedBy,
    bytes: count,
    label: z.string(),
    writtenAt: moment,
  }),
);
export type CollectionFile = ReportOf<typeof collectionFile>;

const collectionPage = named(
  "CollectionPage",
  z.strictObject({
    files: z.array(collectionFile),
    next: z
      .string()
      .nullable()
      .describe("If there are more: the value of `after` for the next page."),
  }),
);

const turn = z.strictObject({
  speaker: z.string().min(1).max(200),
  text: z.string(),
  date: z.string().max(100).optional(),
  line: count.optional(),
});

const ingestedFile = z.strictObject({
  path: filePath,
  source: z.strictObject({ ...source, commit: z.string().max(100).optional() }),
  text: z.string().optional().describe("Its content as text; or `turns`."),
  turns: z.array(turn).max(100_000).optional().describe("Of a conversation."),
  title: z.string().max(1000).optional(),
  author: z.string().max(200).optional(),
  date: z.string().max(100).optional(),
});
export type IngestedFile = z.output<typeof ingestedFile>;

/** The most files of one request. */
const MOST_INGESTED = 500;

const ingestReport = named(
  "IngestReport",
  z.strictObject({
    name: z.string(),
    path: z.string(),
    written: count,
    removed: count,
    pid: z.string().describe("The process that wrote them."),
  }),
);
export type IngestReport = ReportOf<typeof ingestReport>;

const contextPassage = named(
  "ContextPassage",
  z.strictObject({
    n: z.int().positive().describe("Its number, by which an answer cites it."),
    path: z.string(),
    file: z
      .string()
      .nullable()
      .describe("The file that it was read from; null if it was not ingested."),
    root: z.string().nullable(),
    commit: z.string().nullable(),
    claimed: z
      .strictObject({
        file: z.string(),
        root: z.string().optional(),
        commit: z.string().optional(),
        by: z.string(),
      })
      .nullable()
      .describe("The source that the process `by` claims; no ingestion wrote it."),
    heading: z
      .string()
      .nullable()
      .describe("The headings above it, or the names that it declares."),
    line: count.nullable(),
    endLine: count.nullable(),
    text: z.string(),
    score: amount,
    tokens: count,
    label: z.string().nullable(),
    writtenAt: moment.nullable(),
  }),
);
export type ContextPassage = ReportOf<typeof contextPassage>;

const contextAnswer = named(
  "ContextAnswer",
  z
    .strictObject({
      question: z.string(),
      answer: z.string().nullable().describe("Null without a model."),
      citations: z.array(count).describe("The numbers of the passages that the answer cites."),
      passages: z.array(contextPassage).describe("The best first."),
      conflicts: z
        .array(z.strictObject({ heading: z.string(), passages: z.array(count) }))
        .describe("Passages with the same heading that say different things."),
      leftOut: z
        .array(
          z.strictObject({
            reason: z.enum(["budget", "weak", "duplicate"]),
            passages: count,
            tokens: count,
          }),
        )
        .describe("Other results, and why they are left out."),
      tokens: count.describe("Of all passages."),
      budget: count,
      searchedBy: z.enum(["text", "text and vectors"]),
      rerankedBy: z
        .string()
        .nullable()
        .describe("The model that ordered them; null where none did, or it failed."),
      tenant: z.string(),
      pid: z.string().describe("The process that searched."),
    })
    .describe("The passages that fit a question best, within a budget of tokens."),
);
export type ContextAnswer = ReportOf<typeof contextAnswer>;

export const collectionOperations = {
  collections: operation({
    method: "GET",
    path: "/collections",
    summary: "List the ingested collections.",
    role: "operator",
    reach: "tenant",
    query: z.strictObject({ tenant: tenant.optional().describe("of this tenant") }),
    response: z.array(collectionReport),
  }),

  collectionFiles: operation({
    method: "GET",
    path: "/collections/:name/files",
    summary: "List the files of a collection and their sources.",
    role: "operator",
    reach: "tenant",
    params: z.strictObject({ name: collectionName }),
    query: z.strictObject({
      tenant: tenant.optional().describe("of this tenant"),
      after: filePath.optional().describe("the next page: `next` of the last"),
      limit: countArgument
        .min(1)
        .max(1000)
        .optional()
        .describe("at most this many (default: 1000)"),
    }),
    response: collectionPage,
  }),

  /** By a process of the program `ingest`: the gate judges each write, and the journal has it. */
  ingest: operation({
    method: "POST",
    path: "/collections/:name/files",
    summary: "Write and remove files of a collection, as they were read by the caller.",
    role: "operator",
    reach: "tenant",
    params: z.strictObject({ name: collectionName }),
    body: z.strictObject({
      files: z.array(ingestedFile).max(MOST_INGESTED).optional(),
      remove: z.array(filePath).max(10_000).optional().describe("Files that are forgotten."),
      label: labelArgument
        .optional()
        .describe("The label of the files (default: untrusted/public)."),
      tenant: tenant.optional(),
    }),
    response: ingestReport,
  }),

  askContext: operation({
    method: "POST",
    path: "/context/ask",
    summary: "Find the passages that answer a question, within a budget of tokens.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({
      question: z.string().min(1).max(10_000),
      collections: z
        .array(collectionName)
        .max(50)
        .optional()
        .describe("Only in these (default: all of shared memory)."),
      tokens: z
        .int()
        .min(100)
        .max(1_000_000)
        .optional()
        .describe("the budget for passages (default: 4000)"),
      model: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("let this model answer from the passages"),
      rerank: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("A model that orders the passages, with one request."),
      usd: z
        .number()
        .positive()
        .max(1000)
        .optional()
        .describe("the most that models may cost (default: 0.50)"),
      tenant: tenant.optional(),
    }),
    response: contextAnswer,
  }),
} as const;
