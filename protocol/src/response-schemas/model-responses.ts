// The answers of protocol/src/model-reports.ts: models, money, contexts, queues and tests of agents.

import { z } from "zod";
import {
  costGroups,
  type AgentTestReport,
  type BudgetReport,
  type ContextReport,
  type CostReport,
  type CostRow,
  type EstimateReport,
  type InvokeReport,
  type ModelReport,
  type ModelTestReport,
  type QueueReport,
  type SlotReport,
} from "../model-reports.ts";
import {
  amount,
  count,
  failureText,
  jsonValue,
  lastFailure,
  moment,
  named,
  names,
} from "./fields.ts";
import { lane, spend, spendFields } from "./process-responses.ts";

const slotReport = named(
  "SlotReport",
  z
    .strictObject({
      model: z.string(),
      limits: z.strictObject({
        concurrency: amount.nullable(),
        requestsPerMinute: amount.nullable(),
        tokensPerMinute: amount.nullable(),
      }),
      running: count,
      queued: count,
      breaker: z.enum(["closed", "open", "half-open"]),
      requests: count,
      failures: count,
      retries: count,
      fallbacks: count.describe("Requests that went to another model."),
      p50Ms: amount.nullable(),
      p95Ms: amount.nullable(),
      waitP50Ms: amount.nullable(),
      waitP95Ms: amount.nullable(),
      lastFailure,
    })
    .describe("How a model does, since the daemon started."),
) satisfies z.ZodType<SlotReport>;

export const modelReport = named(
  "ModelReport",
  z.strictObject({
    model: z.string().describe("With its provider: `anthropic/claude-sonnet-4-5`."),
    window: count.nullable().describe("Tokens that it can take in."),
    maxOutputTokens: count.nullable(),
    price: z
      .strictObject({
        input: amount,
        output: amount,
        cachedInput: amount.exactOptional(),
        cacheWrite: amount.exactOptional(),
        date: z.string(),
        source: z.string(),
      })
      .nullable()
      .describe("US dollars for a million tokens."),
    provider: z.string(),
    source: z.enum(["configured", "known", "used"]),
    egress: z.boolean(),
    fallback: names,
    key: z
      .strictObject({ name: z.string(), isSet: z.boolean() })
      .nullable()
      .describe("The name of the secret that is its key; null where it needs none."),
    slots: slotReport.nullable(),
  }),
) satisfies z.ZodType<ModelReport>;

export const modelTestReport = named(
  "ModelTestReport",
  z.strictObject({
    model: z.string(),
    ok: z.boolean(),
    ms: amount,
    text: z.string().nullable(),
    usd: amount.nullable(),
    error: failureText.nullable(),
  }),
) satisfies z.ZodType<ModelTestReport>;

const costRow = named(
  "CostRow",
  z.strictObject({
    ...spendFields,
    key: z.string().describe("The agent, the tree, the model, the tool, the tenant or the day."),
    calls: count,
    unpriced: count.describe("Calls of models whose price is not known: they are in no sum."),
    owed: z
      .strictObject({ usd: amount, tokens: count })
      .describe("What vendors reported beyond what was reserved; in no sum.")
      .exactOptional(),
  }),
) satisfies z.ZodType<CostRow>;

export const budgetReport = named(
  "BudgetReport",
  z.strictObject({
    of: z.string().describe("`agent writer`, `tenant default`, `total`."),
    per: z.enum(["hour", "day", "month", "ever"]),
    unit: z.enum(["usd", "tokens", "toolCalls"]),
    limit: amount,
    spent: amount,
    reserved: amount,
    owed: amount.describe("Reported beyond what was reserved.").exactOptional(),
  }),
) satisfies z.ZodType<BudgetReport>;

export const costReport = named(
  "CostReport",
  z.strictObject({
    by: z.enum(costGroups),
    since: moment,
    until: moment,
    rows: z.array(costRow),
    total: costRow,
    rule: z.string().describe("How it is counted, in words."),
    budgets: z.array(budgetReport),
  }),
) satisfies z.ZodType<CostReport>;

export const estimateReport = named(
  "EstimateReport",
  z
    .strictObject({
      of: z.string(),
      contextTokens: count.nullable(),
      contextUsd: amount.nullable(),
      runs: count.describe("The runs of the same agent that it is judged by."),
      usual: spend.nullable(),
      high: spend.nullable(),
      limit: z.strictObject({ usd: amount.nullable(), tokens: amount.nullable() }),
      notes: names,
    })
    .describe("What something may cost, before it is done."),
) satisfies z.ZodType<EstimateReport>;

export const contextReport = named(
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
    nextUsd: amount.nullable(),
  }),
) satisfies z.ZodType<ContextReport>;

export const queueReport = named(
  "QueueReport",
  z.strictObject({
    running: count,
    limit: count.nullable(),
    queued: z.record(lane, count),
    queueLimit: count,
    slots: z.array(slotReport),
  }),
) satisfies z.ZodType<QueueReport>;

export const agentTestReport = named(
  "AgentTestReport",
  z.strictObject({
    name: z.string(),
    file: z.string(),
    ok: z.boolean(),
    ms: amount,
    problems: names,
    calls: count,
    usd: amount,
    pid: z.string().nullable(),
  }),
) satisfies z.ZodType<AgentTestReport>;

export const invokeReport = named(
  "InvokeReport",
  z.strictObject({
    pid: z.string(),
    id: z.string(),
    isRepeat: z.boolean().describe("The key was used before: nothing was done again."),
    output: jsonValue,
  }),
) satisfies z.ZodType<InvokeReport>;
