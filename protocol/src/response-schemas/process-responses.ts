// The answers of protocol/src/process.ts: what the outside sees of a process.

import { z } from "zod";
import { lanes } from "../lane.ts";
import {
  processStates,
  waitKinds,
  type Budget,
  type Ending,
  type ProcessDetail,
  type ProcessInfo,
  type Spend,
} from "../process.ts";
import { amount, count, failureText, jsonValue, label, moment, named, pid } from "./fields.ts";

export const lane = named("Lane", z.enum(lanes).describe("How urgent something is."));
export const processState = named("ProcessState", z.enum(processStates));

const infoFields = {
  pid,
  agent: z.string(),
  state: processState,
  waitingOn: z.enum(waitKinds).nullable(),
  parent: pid.nullable(),
  exitCode: z.int().nullable(),
  costUsd: amount,
  startedAt: moment,
  endedAt: moment.nullable(),
  lane,
  deadline: moment.nullable(),
  held: z.string().exactOptional().describe("Why it does not run although nobody paused it."),
};

export const processInfo = named(
  "ProcessInfo",
  z.strictObject(infoFields),
) satisfies z.ZodType<ProcessInfo>;

export const spendFields = { usd: amount, tokens: amount, toolCalls: count };
export const spend = named("Spend", z.strictObject(spendFields)) satisfies z.ZodType<Spend>;

export const budget = named(
  "Budget",
  z.strictObject({
    usd: amount.exactOptional(),
    tokens: amount.exactOptional(),
    toolCalls: amount.exactOptional(),
    wallMs: amount.exactOptional(),
  }),
) satisfies z.ZodType<Budget>;

export const processDetail = named(
  "ProcessDetail",
  z.strictObject({
    ...infoFields,
    place: count
      .nullable()
      .describe("Its place in the queue, 1 for the next to begin; null when it does not wait."),
    ttl: z
      .strictObject({
        hops: count.nullable(),
        expiresAt: moment.nullable().describe("When its whole tree must have ended."),
      })
      .describe("What its task may still take, where something was said."),
    tenant: z.string(),
    program: z.string(),
    programVersion: z.string(),
    manifestHash: z.string(),
    depth: count,
    labels: label,
    budget: z.strictObject({ limit: budget, spent: spend }),
    output: jsonValue,
    error: failureText.nullable(),
    records: count,
    head: z.string().describe("The end of its hash chain."),
    compacted: z.boolean(),
    workspace: z
      .strictObject({
        tree: z.string(),
        folder: z.string().nullable(),
        isCow: z.boolean(),
      })
      .describe("What `/work` is for its tree; `folder` is null where it is one of its own."),
    forkedFrom: z.strictObject({ pid, at: count }).nullable(),
  }),
) satisfies z.ZodType<ProcessDetail>;

export const ending = named(
  "Ending",
  z.strictObject({
    pid,
    state: processState,
    exitCode: z.int().nullable(),
    output: jsonValue,
    error: failureText.nullable(),
  }),
) satisfies z.ZodType<Ending>;
