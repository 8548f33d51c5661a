// Operations on workflows: where each is, what it waits for, its signals and queries, and taking back what it did.

import { z } from "zod";
import { MOST_LISTED } from "../process.ts";
import { acts } from "../workflow/step.ts";
import { stepStates } from "../workflow/outcome.ts";
import { byPid, countArgument, jsonArgument, labelArgument, tenant } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { processState } from "./process.ts";
import {
  amount,
  count,
  failureText,
  jsonValue,
  moment,
  named,
  names,
  pid,
  started,
  text,
} from "./response-fields.ts";

const workflowFields = {
  pid,
  name: z.string(),
  state: processState,
  generation: count.describe("How often it has begun again (`repeat`)."),
  done: count.describe("Steps that are done or were skipped."),
  steps: count.describe("Steps that have begun, or will without a condition."),
  waitsFor: names.describe("What it waits for: `message go`, `person`, `time`."),
  costUsd: amount.describe("With all of its children."),
  startedAt: moment,
  endedAt: moment.nullable(),
};

const workflowInfo = named("WorkflowInfo", z.strictObject(workflowFields));
export type WorkflowInfo = ReportOf<typeof workflowInfo>;

const workflowStepReport = named(
  "WorkflowStepReport",
  z.strictObject({
    step: z.string().describe("Its path: `book`, `each[2]/pay`."),
    does: z.enum([...acts, "code"]).describe("`code`: a step of a library."),
    state: z.enum(stepStates),
    after: names.describe("The paths of the steps that it follows."),
    waitsFor: z.string().nullable(),
    question: z.string().nullable().describe("The id of the question that a person has to answer."),
    attempt: count,
    pid: pid.nullable().describe("The child that does it, or did it last."),
    startedAt: moment.nullable(),
    endedAt: moment.nullable(),
    result: jsonValue,
    error: z.string().nullable().describe("Of the last attempt that failed."),
  }),
);
export type WorkflowStepReport = ReportOf<typeof workflowStepReport>;

const armedReport = named(
  "ArmedReport",
  z
    .strictObject({ step: z.string(), tool: z.string(), args: jsonValue })
    .describe("A call that would take a step back."),
);

const workflowReport = named(
  "WorkflowReport",
  z.strictObject({
    ...workflowFields,
    version: z
      .string()
      .describe("The hash of its definition: it ends on the one that it began with."),
    exitCode: z.int().nullable(),
    error: failureText.nullable(),
    graph: z
      .array(workflowStepReport)
      .describe("Its steps, in the order in which they are written."),
    signals: z
      .array(z.strictObject({ name: z.string(), schema: jsonValue }))
      .describe("The messages that it takes."),
    queries: names,
    result: jsonValue,
    undone: names.describe("Steps that were taken back, in that order."),
    armed: z.array(armedReport).describe("What `aos undo` would do, in that order."),
    lasting: z.array(z.strictObject({ step: z.string(), tool: z.string(), why: z.string() })),
    faults: names.describe("Why it was refused before anything ran."),
  }),
);
export type WorkflowReport = ReportOf<typeof workflowReport>;

const messageName = z.string().min(1).max(100);

export const workflowOperations = {
  workflows: operation({
    method: "GET",
    path: "/workflows",
    summary: "List workflows, newest first.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject({
      tenant: tenant.optional(),
      limit: countArgument.max(MOST_LISTED).optional().describe("at most this many (default: 50)"),
    }),
    response: z.array(workflowInfo),
  }),

  workflow: operation({
    method: "GET",
    path: "/workflows/:pid",
    summary: "Show a workflow: its steps, what it waits for, and what would take it back.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    response: workflowReport,
  }),

  queryWorkflow: operation({
    method: "GET",
    path: "/workflows/:pid/queries/:query",
    summary: "Ask a workflow for a value by the name of a query; it is not disturbed.",
    role: "viewer",
    reach: "tenant",
    params: byPid.extend({ query: messageName }),
    response: z.strictObject({ pid, query: text, value: jsonValue }),
  }),

  signalWorkflow: operation({
    method: "POST",
    path: "/workflows/:pid/signals/:signal",
    summary: "Send a workflow a message that its steps wait for.",
    role: "operator",
    reach: "tenant",
    params: byPid.extend({ signal: messageName }),
    body: z.strictObject({ body: jsonArgument.optional(), label: labelArgument.optional() }),
    response: z.strictObject({ id: text }),
  }),

  takeBack: operation({
    method: "POST",
    path: "/processes/:pid/take-back",
    summary:
      "Take back what the tools of a run that ended did, the last first, by their declared undo.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({}),
    response: z.strictObject({ ...started.shape, armed: z.array(armedReport) }),
  }),
} as const;
