// Operations about what was said in runs: a search over all journals that the caller may read.

import { z } from "zod";
import { integrities } from "../label.ts";
import { countArgument, processReference, tenant } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { amount, moment, named, pid, seq } from "./response-fields.ts";

const foundRunWords = named(
  "FoundRunWords",
  z
    .strictObject({
      pid,
      seq,
      agent: z.string(),
      speaker: z.string().describe("The agent, `operator`, the pid of a sender, or a tool."),
      at: moment,
      text: z.string(),
      score: amount.describe("From 0 to 1, comparable within one search."),
      label: z.string().describe("The label of the run: `trusted/public`."),
      why: z
        .array(z.strictObject({ feature: z.string(), says: z.string(), added: amount }))
        .describe("Why it was found, the strongest reason first."),
    })
    .describe("A text of a run, with its record."),
);
export type FoundRunWords = ReportOf<typeof foundRunWords>;

const runSearchReport = named(
  "RunSearchReport",
  z
    .strictObject({
      found: z.array(foundRunWords).describe("The best first."),
      tenant: z.string().describe("Whose runs they are."),
      searchedBy: z.enum(["text", "text and vectors"]),
      since: moment
        .nullable()
        .describe(
          "Where older records are not searched, or not read yet: when those begin that are.",
        ),
    })
    .describe("The results of a search of runs."),
);
export type RunSearchReport = ReportOf<typeof runSearchReport>;

/** The most that a search of runs finds. */
const MOST_FOUND_IN_RUNS = 200;

export interface RunSearchQuery {
  readonly query: string;
  readonly tenant?: string;
  readonly agent?: string;
  readonly pid?: string;
  readonly label?: (typeof integrities)[number];
  /** Milliseconds since 1970. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly limit?: number;
}

/** What the kernel answers about what was said. */
export interface RunSearchReader {
  searchRuns(query: RunSearchQuery): Promise<RunSearchReport>;
}

export const runSearchOperations = {
  searchRuns: operation({
    method: "GET",
    path: "/search",
    summary: "Search the texts of runs: requests, answers, messages, tool results.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject({
      query: z.string().min(1).max(10_000).describe("The query: words or a question."),
      agent: z.string().min(1).max(200).optional().describe("only runs of this agent"),
      pid: processReference().optional().describe("only this run"),
      since: moment.optional().describe("only texts from this time or later"),
      until: moment.optional().describe("only texts from before this time"),
      label: z.enum(integrities).optional().describe("only runs that are at least this trusted"),
      limit: countArgument
        .min(1)
        .max(MOST_FOUND_IN_RUNS)
        .optional()
        .describe("at most this many (default: 10)"),
      tenant: tenant.optional().describe("in the runs of this tenant"),
    }),
    response: runSearchReport,
  }),
} as const;
