// Operations about contexts: the messages that a process shows its model.

import { z } from "zod";
import { byPid, countArgument } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { amount, count, jsonValue, named, names, started } from "./response-fields.ts";

const contextReport = named(
  "ContextReport",
  z.strictObject({
    pid: z.string(),
    model: z.string().nullable(),
    tokens: count,
    window: count.nullable(),
    compactions: count,
    blocks: z.array(
      z.strictObject({
        id: z.string().describe("Its digest: the same block in a fork is the same."),
        role: z.string(),
        tokens: count,
        text: z.string().describe("Its beginning."),
        toolCalls: names,
        replaces: z.strictObject({ messages: count, archive: z.string() }).nullable(),
      }),
    ),
    /** What one more request with it costs in input alone; null without a price. */
    nextUsd: amount.nullable(),
  }),
);
export type ContextReport = ReportOf<typeof contextReport>;

export type ContextBlock = ContextReport["blocks"][number];

const atRecord = z.strictObject({ at: countArgument.optional() });

export const contextOperations = {
  context: operation({
    method: "GET",
    path: "/processes/:pid/context",
    summary: "Show the context of an agent: each message, its tokens, and the compactions.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    query: atRecord,
    response: contextReport,
  }),

  exportContext: operation({
    method: "GET",
    path: "/processes/:pid/context/messages",
    summary: "Print the context of an agent as JSON: the messages as its model received them.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    query: atRecord,
    response: jsonValue,
  }),

  compactContext: operation({
    method: "POST",
    path: "/processes/:pid/context/compact",
    summary: "Tell an agent to replace its old messages by a summary.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    response: started,
  }),
} as const;
