// Operations about notifications: whom the daemon tells of what, and what came of it.

import { z } from "zod";
import { byId, byName, countArgument, tenant } from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { count, moment, named, names } from "./response-fields.ts";

const MOST_NOTIFICATIONS = 1000;

const notifyTargetReport = named(
  "NotifyTargetReport",
  z
    .strictObject({
      name: z.string(),
      tenant: z.string(),
      kind: z.string().describe("webhook, email, slack or telegram"),
      to: z.string().describe("Where it leads, without secrets."),
      events: names,
      agents: names.nullable().describe("Null: all."),
      person: z.string().nullable().describe("Who answers by its links."),
      counts: z.strictObject({
        waiting: count,
        done: count,
        void: count,
        held: count,
        dead: count,
      }),
      warnings: names,
    })
    .describe("A row of `notify:` in config.yaml, and how it does."),
);
export type NotifyTargetReport = ReportOf<typeof notifyTargetReport>;

const notificationReport = named(
  "NotificationReport",
  z
    .strictObject({
      id: z.string().describe("Stable: it is part of every message that was sent for it."),
      tenant: z.string(),
      target: z.string(),
      kind: z.string().describe("What it tells: approval, failure, budget, goal, finished …"),
      subject: z.string().describe("The id of a question, or a pid."),
      state: z.enum(["waiting", "done", "void", "held", "dead"]),
      attempts: count,
      error: z.string().nullable().describe("What the last try failed with."),
      dueAt: moment.describe("The next try, while it waits."),
      createdAt: moment,
      settledAt: moment.nullable(),
    })
    .describe("A notification, and what came of it."),
);
export type NotificationReport = ReportOf<typeof notificationReport>;

const ofTenant = z.strictObject({ tenant: tenant.optional().describe("whose notifications") });

export const notifyOperations = {
  notifyTargets: operation({
    method: "GET",
    path: "/notify/targets",
    summary: "List whom the daemon tells of what, and how many notifications wait or failed.",
    role: "viewer",
    reach: "tenant",
    query: ofTenant,
    response: z.array(notifyTargetReport),
  }),

  testNotify: operation({
    method: "POST",
    path: "/notify/targets/:name/test",
    summary: "Send a test notification to a target now, and say what came of it.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: ofTenant,
    response: z.strictObject({
      id: z.string(),
      ok: z.boolean(),
      why: z.string().nullable().describe("Why it failed."),
      warnings: names,
    }),
  }),

  notifications: operation({
    method: "GET",
    path: "/notify/log",
    summary: "List notifications, the newest first: those that wait, were sent, or were given up.",
    role: "viewer",
    reach: "tenant",
    query: ofTenant.extend({
      target: z.string().min(1).max(63).optional().describe("only of this target"),
      state: z
        .enum(["waiting", "done", "void", "held", "dead"])
        .optional()
        .describe("only in this state: waiting, done, void, held or dead"),
      olderThan: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("the page after this one, by its id"),
      limit: countArgument
        .min(1)
        .max(MOST_NOTIFICATIONS)
        .optional()
        .describe(`at most this many (default: 100, limit: ${MOST_NOTIFICATIONS})`),
    }),
    response: z.array(notificationReport),
  }),

  retryNotification: operation({
    method: "POST",
    path: "/notify/log/:id/retry",
    summary: "Send a notification again that was given up or held.",
    role: "operator",
    reach: "tenant",
    params: byId,
    body: ofTenant,
    response: notificationReport,
  }),
} as const;
