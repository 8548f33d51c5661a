// Operations on goals, and on the roles that they give work to.

import { z } from "zod";
import { lanes } from "../lane.ts";
import { MOST_LISTED } from "../process.ts";
import {
  byName,
  byPid,
  capabilities,
  countArgument,
  durationMs,
  folder,
  fromFolder,
  jsonArgument,
  labelArgument,
  tenant,
  textFile,
  workspace,
} from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { lane, processState, runBudget } from "./process.ts";
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
} from "./response-fields.ts";

const goalFields = {
  pid,
  goal: z.string(),
  state: processState,
  lane,
  place: count.nullable().describe("Its place in the queue; null once it has begun."),
  costUsd: amount.describe("With all of its subtasks."),
  startedAt: moment,
  endedAt: moment.nullable(),
};

const goalInfo = named("GoalInfo", z.strictObject(goalFields));
export type GoalInfo = ReportOf<typeof goalInfo>;

const subtaskStates = ["blocked", "running", "done", "failed", "skipped"] as const;

const subtaskReport = named(
  "SubtaskReport",
  z.strictObject({
    id: z.string(),
    role: z.string(),
    state: z.enum(subtaskStates).describe("blocked: what it depends on is not done."),
    pid: pid.nullable().describe("The child that does it, or did it last."),
    tries: count,
    dependsOn: names,
    outputs: names,
    costUsd: amount,
    error: z.string().nullable(),
  }),
);
export type SubtaskReport = ReportOf<typeof subtaskReport>;

const goalReport = named(
  "GoalReport",
  z.strictObject({
    ...goalFields,
    exitCode: z.int().nullable(),
    error: failureText.nullable(),
    plan: jsonValue.describe("As it is walked now; null before there is one."),
    replans: count,
    subtasks: z.array(subtaskReport),
    result: jsonValue,
    files: names.describe("The files that subtasks wrote below /work."),
    notes: names,
    faults: names.describe("Why a plan was refused."),
    estimate: z
      .strictObject({
        contextUsd: amount.describe("The first request of each subtask that is not done."),
        unknown: count.describe("Subtasks whose model has no known price, or no model."),
        mostTokens: count.nullable().describe("By the budgets; null where one has none."),
      })
      .describe("The part that is still owed."),
  }),
);
export type GoalReport = ReportOf<typeof goalReport>;

const goalEvent = named(
  "GoalEvent",
  z.strictObject({
    at: amount.describe("Milliseconds since 1970."),
    pid,
    step: z.string().nullable().describe("The subtask; null for the goal itself."),
    agent: z.string(),
    where: z
      .enum(["sandbox", "host", "daemon"])
      .describe("Where it ran: a program in the sandbox or without one, or the daemon itself."),
    what: z.string(),
    code: z.string().nullable().describe("Its failure. (A field `error` would end the stream.)"),
  }),
);
export type GoalEvent = ReportOf<typeof goalEvent>;

const roleFields = {
  name: z.string(),
  description: z.string(),
  source: z.enum(["home", "system", "project"]),
  by: z.string().describe("Its model or its program; `goal` for the models of the goal."),
  parameters: names,
  problem: z.string().nullable().describe("Why it is not offered."),
};

const roleReport = named("RoleReport", z.strictObject(roleFields));
export type RoleReport = ReportOf<typeof roleReport>;

const roleDetail = named(
  "RoleDetail",
  z.strictObject({
    ...roleFields,
    file: z.string(),
    text: z.string(),
    role: jsonValue.describe("As a goal uses it; null where it has problems."),
  }),
);
export type RoleDetail = ReportOf<typeof roleDetail>;

export const goalOperations = {
  submitGoal: operation({
    method: "POST",
    path: "/goals",
    summary: "Queue a goal: it is planned, given to roles, and ends with the result.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({
      goal: z.string().min(1).max(100_000).describe("the goal, in words"),
      plan: jsonArgument.optional().describe("a plan to run as it is, without planning"),
      isPlanOnly: z.boolean().optional().describe("only plan; nothing is run"),
      roles: z.array(z.string().min(1).max(100)).max(100).optional(),
      model: z.array(z.string().min(1).max(200)).min(1).max(10).optional(),
      planner: z.enum(["auto", "always", "never"]).optional(),
      parallel: z.number().int().min(1).max(64).optional(),
      capabilities: capabilities
        .optional()
        .describe("instead of the default capabilities of goals"),
      budget: runBudget.optional(),
      cwd: folder.optional(),
      workspace: workspace.optional(),
      label: labelArgument.optional(),
      tenant: tenant.optional(),
      lane: z.enum(lanes).optional(),
      deadlineMs: durationMs.optional(),
      ttl: z
        .strictObject({
          hops: z.number().int().nonnegative().optional(),
          wallMs: durationMs.optional(),
        })
        .optional(),
    }),
    response: started,
  }),

  goals: operation({
    method: "GET",
    path: "/goals",
    summary: "List goals, newest first.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject({
      tenant: tenant.optional(),
      limit: countArgument.max(MOST_LISTED).optional().describe("at most this many (default: 50)"),
    }),
    response: z.array(goalInfo),
  }),

  goal: operation({
    method: "GET",
    path: "/goals/:pid",
    summary: "Show a goal: its plan, its subtasks, its result and its files.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    response: goalReport,
  }),

  watchGoal: operation({
    method: "GET",
    path: "/goals/:pid/watch",
    summary: "Follow a goal and its subtasks to the end: step, agent, place, event.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    streams: true,
    response: goalEvent,
  }),

  retryGoal: operation({
    method: "POST",
    path: "/goals/:pid/retry",
    summary: "Restart a goal that ended, and keep what is done.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({
      from: z.array(z.string().min(1).max(63)).max(256).optional(),
      skip: z.array(z.string().min(1).max(63)).max(256).optional(),
      replan: z.boolean().optional().describe("make a new plan for the goal, and do all of it"),
      cwd: folder.optional(),
    }),
    response: started,
  }),

  roles: operation({
    method: "GET",
    path: "/roles",
    summary: "List the roles, and the problems of those that are not offered.",
    role: "viewer",
    reach: "tenant",
    query: fromFolder,
    response: z.array(roleReport),
  }),

  role: operation({
    method: "GET",
    path: "/roles/:name",
    summary: "Show a role: its file, and the manifest that a goal makes of it.",
    role: "viewer",
    reach: "tenant",
    params: byName,
    query: fromFolder,
    response: roleDetail,
  }),

  checkRole: operation({
    method: "POST",
    path: "/roles/check",
    summary: "Check a role file, ours or one of aaOS.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({ role: textFile }),
    response: z.strictObject({ ok: z.boolean(), role: jsonValue }),
  }),
} as const;
