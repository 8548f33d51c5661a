// Operations on processes: start, see, wait, signal and tell them.

import { z } from "zod";
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
  tenant,
  textFile,
  workspace,
} from "./argument-fields.ts";
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
  /** An agent by name: one of the caller's project, of the home, or built in. */
  agent: z.string().min(1).max(200).optional(),
  /** Or its manifest as it was written, with the name to use for it in complaints. */
  manifest: textFile.optional(),
  /** Where the manifest's relative commands and scripts are. */
  folder: folder.optional(),
  /** Where the caller is: its `.agents/` is looked in first. */
  cwd: folder.optional(),
  workspace: workspace.optional(),
  input: jsonArgument.optional(),
  /** Where the input comes from; trusted and public unless said. */
  label: labelArgument.optional(),
  capabilities: z.array(z.string().min(1)).optional(),
  budget: runBudget.optional(),
  tenant: tenant.optional(),
  lane: z.enum(lanes).optional(),
  /** From now. */
  deadlineMs: durationMs.optional(),
  ttl: z
    .strictObject({
      hops: z.number().int().nonnegative().optional(),
      wallMs: durationMs.optional(),
    })
    .optional(),
});

export const processOperations = {
  spawn: operation({
    method: "POST",
    path: "/processes",
    summary: "Start a process.",
    role: "operator",
    reach: "tenant",
    body: spawnBody,
    response: started,
  }),

  list: operation({
    method: "GET",
    path: "/processes",
    summary: "The processes, newest first.",
    role: "viewer",
    reach: "tenant",
    query: z.strictObject({
      tenant: tenant.optional(),
      /** Names with commas between them. */
      states: z
        .string()
        .refine(
          (text) =>
            text.split(",").every((name) => (processStates as readonly string[]).includes(name)),
          `states are ${processStates.join(", ")}`,
        )
        .optional(),
      parent: processReference().optional(),
      before: processReference().optional(),
      limit: countArgument
        .max(
          MOST_LISTED,
          `at most ${MOST_LISTED} at once; before=PID of the last one is the next page`,
        )
        .optional(),
    }),
    response: z.array(processInfo),
  }),

  show: operation({
    method: "GET",
    path: "/processes/:pid",
    summary: "One process, in full.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    response: processDetail,
  }),

  manifest: operation({
    method: "GET",
    path: "/processes/:pid/manifest",
    summary: "The manifest that it was started with.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    response: manifestReport,
  }),

  wait: operation({
    method: "GET",
    path: "/processes/:pid/wait",
    summary: "How it ended, once it has.",
    role: "viewer",
    reach: "tenant",
    params: byPid,
    query: z.strictObject({ timeoutMs: countArgument.optional() }),
    response: ending,
  }),

  signal: operation({
    method: "POST",
    path: "/processes/:pid/signals",
    summary: "Send it a signal.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({ signal: z.enum(signalNames, "no such signal") }),
    response: z.strictObject({ pid: text, signal: signalName }),
  }),

  send: operation({
    method: "POST",
    path: "/processes/:pid/messages",
    summary: "Put a message into its mailbox.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({
      body: jsonArgument,
      type: z.string().min(1).max(100).optional(),
      label: labelArgument.optional(),
    }),
    response: z.strictObject({ id: text }),
  }),

  invoke: operation({
    method: "POST",
    path: "/processes/:pid/invoke",
    summary: "Ask a living agent, and wait for its answer.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({
      input: jsonArgument.optional(),
      /** Takes the place of its context before it is asked. */
      context: messages.optional(),
      /** The same key of the same process is answered once, however often it is sent. */
      key: z.string().min(1).max(200).optional(),
      label: labelArgument.optional(),
      timeoutMs: durationMs.optional(),
    }),
    response: invokeReport,
  }),

  nice: operation({
    method: "POST",
    path: "/processes/:pid/nice",
    summary: "Say how urgent it is.",
    role: "operator",
    reach: "tenant",
    params: byPid,
    body: z.strictObject({ lane: z.enum(lanes) }),
    response: z.strictObject({ pid: text, lane }),
  }),
} as const;
