// Operations on processes: start, inspect, wait, signal and message.

import { z } from "zod";
import { isProcessId } from "../ids.ts";
import { lanes } from "../lane.ts";
import { MOST_LISTED, processStates, waitKinds } from "../process.ts";
import { signalNames } from "../signals.ts";
import { messages } from "../syscalls.ts";
import {
  byPid,
  countArgument,
  durationMs,
  folder,
  jsonArgument,
  labelArgument,
  processReference,
  runName,
  tenant,
  textFile,
  workspace,
} from "./argument-fields.ts";
import { urgencyFields } from "./message.ts";
import { operation, type ReportOf } from "./operation.ts";
import {
  amount,
  count,
  failureText,
  jsonValue,
  label,
  moment,
  named,
  pid,
  signalName,
  started,
  text,
} from "./response-fields.ts";

export const lane = named("Lane", z.enum(lanes).describe("How urgent something is."));

export const processState = named("ProcessState", z.enum(processStates));

const infoFields = {
  pid,
  agent: z.string(),
  name: z.string().nullable().describe("What the run was called at its start."),
  state: processState,
  waitingOn: z.enum(waitKinds).nullable(),
  parent: pid.nullable(),
  exitCode: z.int().nullable(),
  costUsd: amount,
  startedAt: moment,
  endedAt: moment.nullable(),
  lane,
  deadline: moment.nullable(),
  mailbox: z
    .strictObject({ depth: count, oldestAt: moment.nullable() })
    .describe("How many messages wait to be received, and when the oldest was sent."),
  held: z.string().exactOptional().describe("Why it does not run although nobody paused it."),
};

const processInfo = named("ProcessInfo", z.strictObject(infoFields));
export type ProcessInfo = ReportOf<typeof processInfo>;

export const spendFields = { usd: amount, tokens: amount, toolCalls: count };

export const spend = named("Spend", z.strictObject(spendFields));
export type Spend = ReportOf<typeof spend>;

export const budget = named(
  "Budget",
  z.strictObject({
    usd: amount.exactOptional(),
    tokens: amount.exactOptional(),
    toolCalls: amount.exactOptional(),
    wallMs: amount.exactOptional(),
  }),
);
export type Budget = ReportOf<typeof budget>;

const processDetail = named(
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
      .describe("What is left of the limits of its task, if it has any."),
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
    archive: text
      .exactOptional()
      .describe("The bundle that has its history, within the folder of the archive."),
    workspace: z
      .strictObject({
        tree: z.string(),
        folder: z.string().nullable(),
        isCow: z.boolean(),
      })
      .describe("The workspace of its tree; `folder` is null for a private one."),
    forkedFrom: z.strictObject({ pid, at: count }).nullable(),
  }),
);
export type ProcessDetail = ReportOf<typeof processDetail>;

const ending = named(
  "Ending",
  z.strictObject({
    pid,
    state: processState,
    exitCode: z.int().nullable(),
    output: jsonValue,
    error: failureText.nullable(),
  }),
);
export type Ending = ReportOf<typeof ending>;

const invokeReport = named(
  "InvokeReport",
  z.strictObject({
    pid: z.string(),
    id: z.string(),
    isRepeat: z.boolean().describe("The key was used before: nothing was done again."),
    output: jsonValue,
  }),
);
export type InvokeReport = ReportOf<typeof invokeReport>;

const manifestReport = named(
  "ManifestReport",
  z.strictObject({
    pid: text,
    hash: z.string().describe("The same in `show`: `manifestHash`."),
    manifest: jsonValue.describe("As an agent.yaml has it; JSON is YAML."),
  }),
);

/** The most that one run may use. */
export const runBudget = z.strictObject({
  usd: z.number().nonnegative().optional(),
  tokens: z.number().int().nonnegative().optional(),
  toolCalls: z.number().int().nonnegative().optional(),
  wallMs: z.number().int().positive().optional(),
});

export const spawnBody = z.strictObject({
  agent: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("the name of an agent of the caller's project, of the home, or built in"),
  manifest: textFile
    .optional()
    .describe(
      "instead of agent: the text of a manifest, and the file name to use in error messages",
    ),
  folder: folder.optional().describe("the folder that relative paths of the manifest refer to"),
  cwd: folder.optional().describe("the caller's folder; its .agents/ is searched first"),
  workspace: workspace.optional(),
  persistent: z
    .boolean()
    .optional()
    .describe("stay alive and answer one message after another, whatever its manifest says"),
  input: jsonArgument.optional().describe("the input: any JSON value"),
  label: labelArgument
    .optional()
    .describe("the label of the input, e.g. untrusted/confidential (default: trusted/public)"),
  capabilities: z
    .array(z.string().min(1))
    .optional()
    .describe("only these capabilities of its manifest"),
  budget: runBudget
    .optional()
    .describe("the most that it may spend; its manifest's limits hold as well"),
  tenant: tenant.optional().describe("the tenant that the run belongs to"),
  model: z
    .string()
    .min(3)
    .max(200)
    .optional()
    .describe("the model that it asks, instead of every one that its manifest names"),
  name: runName
    .optional()
    .describe("a name for the run, to be used instead of its pid; no other living run has it"),
  lane: z.enum(lanes).optional().describe("its priority in the queues"),
  deadlineMs: durationMs.optional().describe("milliseconds from now until it must have ended"),
  ttl: z
    .strictObject({
      hops: z.number().int().nonnegative().optional(),
      wallMs: durationMs.optional(),
    })
    .optional(),
});

/** Processes that one request may name. */
const MOST_NAMED = 500;

export const processOperations = {
  spawn: operation({
    method: "POST",
    path: "/processes",
    summary: "Start an agent.",
    role: "operator",
    reach: "tenant",
    body: spawnBody,
    response: started,
  }),

  list: operation({
    method: "GET",
    path: "/processes",
    summary: "List processes, newest first.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject({
      tenant: tenant.optional().describe("only this tenant"),
      states: z
        .string()
        .refine(
          (text) =>
            text.split(",").every((name) => (processStates as readonly string[]).includes(name)),
          `states are ${processStates.join(", ")}`,
        )
        .optional(),
      parent: processReference().optional(),
      pids: z
        .string()
        .refine((text) => text.split(",").every(isProcessId), "pids in full, separated by commas")
        .refine((text) => text.split(",").length <= MOST_NAMED, `at most ${MOST_NAMED} at once`)
        .optional()
        .describe("only these pids, separated by commas"),
      find: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("only those whose agent, name or pid contains this text"),
      since: moment.optional().describe("only those that were started then or later"),
      before: processReference().optional().describe("the next page: the entries after this one"),
      limit: countArgument
        .max(
          MOST_LISTED,
          `at most ${MOST_LISTED} at once; before=PID of the last one is the next page`,
        )
        .optional()
        .describe("at most this many, newest first (default: 1000, limit: 10000)"),
    }),
    response: z.array(processInfo),
  }),

  show: operation({
    method: "GET",
    path: "/processes/:pid",
    summary: "Show one process in full.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    response: processDetail,
  }),

  manifest: operation({
    method: "GET",
    path: "/processes/:pid/manifest",
    summary: "Print the manifest that a process was started with.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    response: manifestReport,
  }),

  wait: operation({
    method: "GET",
    path: "/processes/:pid/wait",
    summary: "Wait until a process ends, and show how it ended.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    query: z.strictObject({ timeoutMs: countArgument.optional() }),
    response: ending,
  }),

  signal: operation({
    method: "POST",
    path: "/processes/:pid/signals",
    summary: "Send a signal to a process.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({ signal: z.enum(signalNames, "no such signal") }),
    response: z.strictObject({ pid: text, signal: signalName }),
  }),

  send: operation({
    method: "POST",
    path: "/processes/:pid/messages",
    summary: "Send a message to a process.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({
      body: jsonArgument,
      type: z.string().min(1).max(100).optional().describe("the message's type"),
      label: labelArgument.optional(),
      ...urgencyFields,
    }),
    response: z.strictObject({ id: text }),
  }),

  invoke: operation({
    method: "POST",
    path: "/processes/:pid/invoke",
    summary: "Ask a running agent, and print its answer.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({
      input: jsonArgument.optional(),
      /** Takes the place of its context before it is asked. */
      context: messages.optional().describe("JSON messages that replace its context first"),
      /** The same key of the same process is answered once, however often it is sent. */
      key: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("requests with the same key get the same answer"),
      label: labelArgument.optional(),
      timeoutMs: durationMs.optional(),
    }),
    response: invokeReport,
  }),

  nice: operation({
    method: "POST",
    path: "/processes/:pid/nice",
    summary: "Set the lane of a process and of all its children.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({ lane: z.enum(lanes) }),
    response: z.strictObject({ pid: text, lane }),
  }),
} as const;
