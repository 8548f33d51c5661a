// Operations about spending and estimates.

import { z } from "zod";
import { byPid, countArgument, processReference, tenant } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { spawnBody, spend, spendFields } from "./process.ts";
import { amount, count, moment, named, names } from "./response-fields.ts";

const costGroups = ["agent", "tree", "model", "tool", "tenant", "day"] as const;
export type CostGroup = (typeof costGroups)[number];

const costRow = named(
  "CostRow",
  z.strictObject({
    ...spendFields,
    key: z.string().describe("The agent, the tree, the model, the tool, the tenant or the day."),
    calls: count,
    unpriced: count.describe("Calls of models whose price is not known: they are in no sum."),
    owed: z
      .strictObject({ usd: amount, tokens: count })
      .describe("Cost that vendors reported beyond the reservation; in no sum.")
      .exactOptional(),
  }),
);
export type CostRow = ReportOf<typeof costRow>;

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
);
export type BudgetReport = ReportOf<typeof budgetReport>;

const costReport = named(
  "CostReport",
  z.strictObject({
    by: z.enum(costGroups),
    since: moment,
    until: moment,
    rows: z.array(costRow),
    total: costRow,
    rule: z.string().describe("How it is counted, in words."),
    /** The budgets wider than a run, and what is left of each. */
    budgets: z.array(budgetReport),
  }),
);
export type CostReport = ReportOf<typeof costReport>;

const estimateReport = named(
  "EstimateReport",
  z
    .strictObject({
      of: z.string(),
      /** The first request to a model: the context that it begins with. */
      contextTokens: count.nullable(),
      contextUsd: amount.nullable(),
      runs: count.describe("The runs of the same agent that it is judged by."),
      usual: spend.nullable(),
      high: spend.nullable(),
      /** What cannot be exceeded: its budget; null where nothing holds it. */
      limit: z.strictObject({ usd: amount.nullable(), tokens: amount.nullable() }),
      notes: names,
    })
    .describe("An estimate of the cost, before the work."),
);
export type EstimateReport = ReportOf<typeof estimateReport>;

export const costOperations = {
  cost: operation({
    method: "GET",
    path: "/cost",
    summary: "Show spending by agent, model or tool, and the remaining budgets.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject({
      by: z
        .enum(costGroups)
        .optional()
        .describe("agent (default), tree, model, tool, tenant or day"),
      sinceMs: countArgument.optional(),
      tenant: tenant.optional().describe("only this tenant"),
      pid: processReference().optional(),
    }),
    response: costReport,
  }),

  estimateSpawn: operation({
    method: "POST",
    path: "/processes/estimate",
    summary: "Estimate the cost of a run.",
    role: "operator",
    reach: "tenant",
    body: spawnBody,
    response: estimateReport,
  }),

  estimateFork: operation({
    method: "GET",
    path: "/processes/:pid/fork/estimate",
    summary: "Estimate the cost of a fork.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    query: z.strictObject({ at: countArgument.optional() }),
    response: estimateReport,
  }),

  estimateReplay: operation({
    method: "GET",
    path: "/processes/:pid/replay/estimate",
    summary: "Estimate the cost of a replay.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    response: estimateReport,
  }),
} as const;
