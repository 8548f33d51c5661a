// Operations about fleets: replicas of an agent that work on a queue of items.

import { z } from "zod";
import { fleetName, itemStates, MOST_REPLICAS } from "../fleet.ts";
import {
  countArgument,
  folder,
  jsonArgument,
  labelArgument,
  tenant,
  textFile,
  workspace,
} from "./argument-fields.ts";
import { operation, type ReportOf } from "./operation.ts";
import { amount, count, jsonValue, moment, named, names, pid } from "./response-fields.ts";

/** The most items or events of one page. */
const MOST_ROWS = 1000;

const fleetVersion = named(
  "FleetVersion",
  z.strictObject({
    version: count,
    role: z.enum(["stable", "canary"]),
    agent: z.string(),
    manifestHash: z.string(),
    programVersion: z.string(),
    capabilities: names,
    runs: count.describe("That ended, of the last 400."),
    errors: count.describe("Of those, the runs that did not complete."),
    costUsd: amount.describe("The mean of one run."),
    writtenBy: z.string(),
    writtenAt: moment,
  }),
);

const fleetReplica = named(
  "FleetReplica",
  z.strictObject({
    item: z.string(),
    pid: pid.nullable(),
    version: count,
    attempt: count,
    since: moment,
  }),
);

const fleetRoll = named(
  "FleetRoll",
  z.strictObject({
    from: count,
    to: count,
    share: amount,
    first: count.nullable(),
    sample: count,
    runs: count.describe("Of the new version, that ended."),
    isPaused: z.boolean(),
    verdict: z.enum(["hold", "back", "promote"]),
    reason: z.string(),
    begunAt: moment,
    by: z.string(),
  }),
);

const fleetReport = named(
  "FleetReport",
  z
    .strictObject({
      name: z.string(),
      tenant: z.string(),
      agent: z.string(),
      state: z.enum(["active", "paused", "draining", "drained", "held"]),
      reason: z.string().nullable().describe("Why it is not active."),
      replicas: count.describe("As many runs at once as it may have now."),
      min: count,
      max: count,
      running: z.array(fleetReplica),
      limitedBy: z.string().nullable().describe("What keeps it from beginning an item."),
      waiting: count,
      oldestAt: moment.nullable().describe("When the oldest waiting item was sent."),
      done: count,
      dead: count.describe("Items that are given up; `retryFleetItem` sends one again."),
      errorRate: amount.nullable().describe("Of the last 100 runs; null before the first."),
      costUsd: amount.describe("The mean of the last 100 runs."),
      month: z.strictObject({ usd: amount, tokens: amount }).describe("Used in this UTC month."),
      versions: z.array(fleetVersion),
      roll: fleetRoll.nullable(),
      fleet: jsonValue.describe("Its text, as it was written."),
      createdAt: moment,
      updatedAt: moment,
    })
    .describe("A fleet, its queue and its versions."),
);
export type FleetReport = ReportOf<typeof fleetReport>;

const fleetItemReport = named(
  "FleetItemReport",
  z
    .strictObject({
      fleet: z.string(),
      id: z.string(),
      state: z.enum(itemStates),
      attempt: count.describe("How often it was begun."),
      crashes: count.describe("How often the host died while it ran."),
      version: count.nullable(),
      pid: pid.nullable().describe("Of its last run."),
      reason: z.string().nullable().describe("Why its last attempt failed, or it is dead."),
      label: z.string(),
      sentAt: moment,
      sentBy: z.string(),
      notBefore: moment.nullable().describe("It is begun again then, at the earliest."),
      begunAt: moment.nullable(),
      endedAt: moment.nullable(),
      costUsd: amount.describe("Of all its attempts."),
      tokens: amount,
      output: jsonValue.describe("Of its run, once it is done; null where the run is removed."),
    })
    .describe("One piece of work of a fleet."),
);
export type FleetItemReport = ReportOf<typeof fleetItemReport>;

const fleetEventReport = named(
  "FleetEventReport",
  z.strictObject({
    fleet: z.string(),
    id: z.string(),
    at: moment,
    what: z.enum([
      "created",
      "changed",
      "scaled",
      "rolling",
      "promoted",
      "rolled-back",
      "paused",
      "draining",
      "drained",
      "resumed",
      "dead",
    ]),
    by: z.string(),
    detail: z.string(),
  }),
);
export type FleetEventReport = ReportOf<typeof fleetEventReport>;

const byName = z.strictObject({ name: fleetName });
const itemId = z.string().min(1).max(200);
const byItem = byName.extend({ item: itemId });
const ofTenant = z.strictObject({ tenant: tenant.optional().describe("whose fleet it is") });

const writtenFields = {
  fleet: textFile.describe("the text of a `kind: Fleet`, and the file name for messages"),
  manifest: textFile.optional().describe("in place of its `agent`: the text of a manifest"),
  folder: folder.optional().describe("the folder that relative paths of the manifest refer to"),
  cwd: folder.optional().describe("the caller's folder; its .agents/ is searched too"),
  workspace: workspace.optional().describe("the workspace of its runs"),
  tenant: tenant.optional().describe("the tenant that its runs belong to"),
};

const pageLimit = countArgument
  .min(1)
  .max(MOST_ROWS, `at most ${MOST_ROWS} at once; olderThan=ID of the last is the next page`)
  .optional()
  .describe(`at most this many (default: 100, limit: ${MOST_ROWS})`);

export const fleetOperations = {
  fleets: operation({
    method: "GET",
    path: "/fleets",
    summary: "List fleets.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject({ tenant: tenant.optional().describe("only this tenant's") }),
    response: z.array(fleetReport),
  }),

  fleet: operation({
    method: "GET",
    path: "/fleets/:name",
    summary: "Show a fleet: replicas, queue, versions, errors, cost and roll.",
    role: "viewer",
    reach: "tenant",
    params: byName,
    query: ofTenant,
    response: fleetReport,
  }),

  applyFleet: operation({
    method: "POST",
    path: "/fleets",
    summary: "Create a fleet, or change all of one but its agent.",
    role: "operator",
    reach: "tenant",
    body: z.strictObject({
      ...writtenFields,
      mustBeNew: z.boolean().optional().describe("refused where there is one of that name"),
    }),
    response: fleetReport,
  }),

  scaleFleet: operation({
    method: "POST",
    path: "/fleets/:name/scale",
    summary: "Set the bounds of a fleet's replicas; the same number twice fixes them.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: ofTenant.extend({
      min: z.number().int().min(0).max(MOST_REPLICAS).optional().describe("at least so many"),
      max: z.number().int().min(0).max(MOST_REPLICAS).optional().describe("at most so many"),
    }),
    response: fleetReport,
  }),

  rollFleet: operation({
    method: "POST",
    path: "/fleets/:name/roll",
    summary: "Bring a fleet to a new version of its agent: some items first, then all or none.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: z.strictObject(writtenFields),
    response: fleetReport,
  }),

  decideFleetRoll: operation({
    method: "POST",
    path: "/fleets/:name/decide",
    summary: "Promote, roll back, pause or resume the roll of a fleet.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: ofTenant.extend({
      decision: z.enum(["promote", "rollback", "pause", "resume"]).describe("what becomes of it"),
    }),
    response: fleetReport,
  }),

  pauseFleet: operation({
    method: "POST",
    path: "/fleets/:name/pause",
    summary: "Pause a fleet: items may be sent and wait; running ones go on.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: ofTenant.extend({ reason: z.string().min(1).max(1000).optional().describe("why") }),
    response: fleetReport,
  }),

  drainFleet: operation({
    method: "POST",
    path: "/fleets/:name/drain",
    summary: "Drain a fleet: no item is begun or accepted; running ones go on to their end.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: ofTenant.extend({ reason: z.string().min(1).max(1000).optional().describe("why") }),
    response: fleetReport,
  }),

  resumeFleet: operation({
    method: "POST",
    path: "/fleets/:name/resume",
    summary: "Resume a fleet that is paused or drained.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: ofTenant,
    response: fleetReport,
  }),

  removeFleet: operation({
    method: "POST",
    path: "/fleets/:name/remove",
    summary: "Remove a fleet with its items and history.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: ofTenant.extend({
      force: z
        .enum(["discard", "stop"])
        .optional()
        .describe(
          "with items that are not finished. discard: those that wait are dropped, running ones go on as plain processes. stop: those are ended too",
        ),
    }),
    response: z.strictObject({ name: z.string(), discarded: count, stopped: count }),
  }),

  sendFleetItem: operation({
    method: "POST",
    path: "/fleets/:name/items",
    summary: "Send an item to a fleet; the same key is one item.",
    role: "operator",
    reach: "tenant",
    params: byName,
    body: ofTenant.extend({
      input: jsonArgument.describe("what a replica gets; checked against the fleet's schema"),
      key: itemId.optional().describe("its id: sent again, it is the same item"),
      label: labelArgument.optional().describe("of the input (default: trusted/public)"),
    }),
    response: fleetItemReport,
  }),

  fleetItems: operation({
    method: "GET",
    path: "/fleets/:name/items",
    summary: "List the items of a fleet, newest first.",
    role: "viewer",
    reach: "tenant",
    params: byName,
    query: ofTenant.extend({
      state: z.enum(itemStates).optional().describe("only waiting, running, done or dead ones"),
      olderThan: itemId.optional().describe("the page after this item"),
      limit: pageLimit,
    }),
    response: z.array(fleetItemReport),
  }),

  fleetItem: operation({
    method: "GET",
    path: "/fleets/:name/items/:item",
    summary: "Show an item of a fleet.",
    role: "viewer",
    reach: "tenant",
    params: byItem,
    query: ofTenant,
    response: fleetItemReport,
  }),

  retryFleetItem: operation({
    method: "POST",
    path: "/fleets/:name/items/:item/retry",
    summary: "Send a dead item again, with all its attempts.",
    role: "operator",
    reach: "tenant",
    params: byItem,
    body: ofTenant,
    response: fleetItemReport,
  }),

  fleetEvents: operation({
    method: "GET",
    path: "/fleets/:name/history",
    summary: "List what happened to a fleet, newest first.",
    role: "viewer",
    reach: "tenant",
    params: byName,
    query: ofTenant.extend({
      olderThan: z.string().min(1).max(100).optional().describe("the page after this event"),
      limit: pageLimit,
    }),
    response: z.array(fleetEventReport),
  }),
} as const;
