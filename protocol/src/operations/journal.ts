// Operations on journals: read, follow, replay, fork and retry.

import { z } from "zod";
import { byPid, countArgument, jsonArgument, seqArgument } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { attached, journalRecord } from "./record.ts";
import { count, jsonValue, named, pid, seq, started } from "./response-fields.ts";

const replayReport = named(
  "ReplayReport",
  z.strictObject({
    pid,
    records: count,
    identical: z.boolean(),
    difference: z
      .strictObject({ seq, recorded: z.string(), replayed: z.string() })
      .nullable()
      .describe("The first difference, where there is one."),
  }),
);
export type ReplayReport = ReportOf<typeof replayReport>;

export const journalOperations = {
  journal: operation({
    method: "GET",
    path: "/processes/:pid/journal",
    summary: "Print the journal of a process, one record per line.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    query: z.strictObject({
      after: countArgument.optional().describe("only the records after this one"),
      limit: countArgument.max(10_000).optional(),
    }),
    response: z.array(journalRecord),
  }),

  watch: operation({
    method: "GET",
    path: "/processes/:pid/watch",
    summary: "Follow the journal of a process, record by record, until it ends.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    query: z.strictObject({ after: countArgument.optional() }),
    streams: true,
    response: journalRecord,
  }),

  /** Records as they become durable and, between them, what is being said, which counts for nothing. */
  attach: operation({
    method: "GET",
    path: "/processes/:pid/attach",
    summary: "Follow the records and the output of a process.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    query: z.strictObject({ after: countArgument.optional() }),
    streams: true,
    response: attached,
  }),

  coreDump: operation({
    method: "GET",
    path: "/processes/:pid/core",
    summary: "Show the state that an abnormal end left behind.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    response: jsonValue,
  }),

  replay: operation({
    method: "POST",
    path: "/processes/:pid/replay",
    summary: "Run a process again from its journal, without tools or models.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    reportsProgress: true,
    response: replayReport,
  }),

  fork: operation({
    method: "POST",
    path: "/processes/:pid/fork",
    summary: "Start a new process that shares the history of another.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({
      at: seqArgument
        .optional()
        .describe("fork after this record (default: the last before the end)"),
    }),
    response: started,
  }),

  retry: operation({
    method: "POST",
    path: "/processes/:pid/retry",
    summary: "Fork a process and repeat one of its calls.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({
      from: seqArgument
        .optional()
        .describe("the number of the call (default: the last that failed)"),
      result: jsonArgument.optional().describe("do not make the call; use this as its result"),
    }),
    response: started,
  }),
} as const;
