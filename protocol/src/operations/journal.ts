// Operations on journals: what a process did, as it happens and afterwards, and what can be done with it again.

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
    summary: "What it did, record by record.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    query: z.strictObject({
      after: countArgument.optional(),
      limit: countArgument.max(10_000).optional(),
    }),
    response: z.array(journalRecord),
  }),

  watch: operation({
    method: "GET",
    path: "/processes/:pid/watch",
    summary: "The same, as it happens, to its end.",
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
    summary: "What it does and says, as it happens.",
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
    summary: "What an abnormal end left.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    response: jsonValue,
  }),

  replay: operation({
    method: "POST",
    path: "/processes/:pid/replay",
    summary: "Run it again from its journal, and compare.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    response: replayReport,
  }),

  fork: operation({
    method: "POST",
    path: "/processes/:pid/fork",
    summary: "A new process with its history up to a record.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({ at: seqArgument.optional() }),
    response: started,
  }),

  retry: operation({
    method: "POST",
    path: "/processes/:pid/retry",
    summary: "A new process that makes a call of its again.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({ from: seqArgument.optional(), result: jsonArgument.optional() }),
    response: started,
  }),
} as const;
