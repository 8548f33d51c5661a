// Operations about schedules: what starts runs of agents by itself.

import { z } from "zod";
import { scheduleName } from "../schedule.ts";
import { countArgument, folder, tenant, textFile, workspace } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { amount, count, jsonValue, moment, named, names, pid, text } from "./response-fields.ts";

/** The most ticks of one page. */
const MOST_TICKS = 1000;

const tickReport = named(
  "TickReport",
  z
    .strictObject({
      schedule: z.string(),
      id: z.string().describe("The nominal time; `manual:KEY` for a run by hand."),
      nominal: moment,
      dueAt: moment.describe("With its jitter."),
      at: moment.describe("When its outcome was decided."),
      outcome: z.enum(["queued", "started", "skipped", "failed"]),
      reason: z.string().nullable().describe("Why it was not started, or waits."),
      pid: pid.nullable(),
      state: z.string().nullable().describe("The outcome of its run, once the run has ended."),
      exitCode: z.int().nullable(),
      endedAt: moment.nullable(),
      costUsd: amount,
      tokens: amount,
    })
    .describe("One time at which a schedule was due, with its result."),
);
export type TickReport = ReportOf<typeof tickReport>;

const scheduleReport = named(
  "ScheduleReport",
  z
    .strictObject({
      name: z.string(),
      tenant: z.string(),
      agent: z.string(),
      when: z.string().describe("Its trigger, in words."),
      timeZone: z.string(),
      state: z.enum(["active", "paused", "held"]),
      reason: z.string().nullable().describe("Why it is paused or held."),
      nextAt: moment.nullable().describe("The next nominal time."),
      nextStartAt: moment.nullable().describe("The same with its jitter."),
      running: z.array(pid),
      queued: count,
      failures: count.describe("In a row."),
      skips: count.describe("Ticks in a row that were skipped because of an earlier run."),
      month: z.strictObject({ usd: amount, tokens: amount }).describe("Spent by runs that ended."),
      last: tickReport.nullable(),
      capabilities: names.describe("The most that its runs may do."),
      schedule: jsonValue.describe("As it was written."),
      writtenBy: z.string(),
      createdAt: moment,
      updatedAt: moment,
    })
    .describe("A schedule, and how it does."),
);
export type ScheduleReport = ReportOf<typeof scheduleReport>;

const byName = z.strictObject({ name: scheduleName });
const ofTenant = z.strictObject({ tenant: tenant.optional().describe("whose schedule it is") });

const writtenFields = {
  schedule: textFile.describe("the text of a `kind: Schedule`, and the file name for messages"),
  manifest: textFile.optional().describe("in place of its `agent`: the text of a manifest"),
  folder: folder.optional().describe("the folder that relative paths of the manifest refer to"),
  cwd: folder.optional().describe("the caller's folder; its .agents/ is searched too"),
  workspace: workspace.optional().describe("the workspace of its runs"),
  tenant: tenant.optional().describe("the tenant that its runs belong to"),
};

export const scheduleOperations = {
  schedules: operation({
    method: "GET",
    path: "/schedules",
    summary: "List schedules.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject({ tenant: tenant.optional().describe("only this tenant's") }),
    response: z.array(scheduleReport),
  }),

  schedule: operation({
    method: "GET",
    path: "/schedules/:name",
    summary: "Show a schedule: its next time, its last one, its power and its budget.",
    role: "viewer",
    reach: "tenant",
    params: byName,
    query: ofTenant,
    response: scheduleReport,
  }),

  createSchedule: operation({
    method: "POST",
    path: "/schedules",
    summary: "Create a schedule that starts runs of an agent by itself.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject(writtenFields),
    response: scheduleReport,
  }),

  editSchedule: operation({
    method: "POST",
    path: "/schedules/:name",
    summary: "Replace a schedule; its history stays.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: z.strictObject(writtenFields),
    response: scheduleReport,
  }),

  pauseSchedule: operation({
    method: "POST",
    path: "/schedules/:name/pause",
    summary: "Pause a schedule: its ticks are skipped, with a record.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: ofTenant.extend({ reason: z.string().min(1).max(1000).optional().describe("why") }),
    response: scheduleReport,
  }),

  resumeSchedule: operation({
    method: "POST",
    path: "/schedules/:name/resume",
    summary: "Resume a paused schedule; what it skipped is not made up for.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: ofTenant,
    response: scheduleReport,
  }),

  runSchedule: operation({
    method: "POST",
    path: "/schedules/:name/run",
    summary: "Start a run of a schedule now, also while it is paused.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: ofTenant.extend({
      key: z.string().min(1).max(200).optional().describe("the same key starts one run only"),
    }),
    response: tickReport,
  }),

  removeSchedule: operation({
    method: "POST",
    path: "/schedules/:name/remove",
    summary: "Remove a schedule and its history; its runs go on.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: ofTenant,
    response: z.strictObject({ name: text }),
  }),

  scheduleTicks: operation({
    method: "GET",
    path: "/schedules/:name/ticks",
    summary: "List what came of the ticks of a schedule, newest first.",
    role: "viewer",
    reach: "tenant",
    params: byName,
    query: ofTenant.extend({
      olderThan: z
        .string()
        .min(1)
        .max(300)
        .optional()
        .describe("the page after this tick, by its id"),
      limit: countArgument
        .min(1)
        .max(MOST_TICKS, `at most ${MOST_TICKS} at once; olderThan=ID of the last is the next page`)
        .optional()
        .describe(`at most this many (default: 100, limit: ${MOST_TICKS})`),
    }),
    response: z.array(tickReport),
  }),
} as const;
