// Task: a run as a task of the MCP tasks extension (io.modelcontextprotocol/tasks). The id of a task is the pid of its
// run: it is as durable as the run, has 80 random bits, and every request about it is authorised for its caller.
//
// MCP-SERVER-TASK-1  Only a client that declares support for tasks receives one.
// MCP-SERVER-TASK-2  A failed run is a completed task whose result describes the failure: `failed` is reserved for
//     failures of the protocol itself.
// MCP-SERVER-TASK-3  A run that waits for a person is `input_required` for callers that may answer, and `working` for
//     all others.

import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type InputRequests,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isEnded } from "@aos/protocol";
import type { RunStatus } from "./run-status.ts";
import { successResult } from "./tool-row.ts";

export const TASKS = "io.modelcontextprotocol/tasks";

/** How often it makes sense to ask. */
const POLL_MS = 1000;

export interface TaskText {
  readonly taskId: string;
  readonly status: "working" | "input_required" | "completed" | "cancelled";
  readonly statusMessage: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** Runs are kept as the daemon's retention says; nothing here ends before. */
  readonly ttlMs: null;
  readonly pollIntervalMs: number;
  readonly inputRequests?: InputRequests;
  readonly result?: CallToolResult;
}

/** What a tool answers with: a result, a question, or a task in place of both. */
export type ToolCallOutcome =
  | CallToolResult
  | InputRequiredResult
  | (TaskText & { readonly resultType: "task"; readonly content: CallToolResult["content"] });

/** What this very request says that its client can do. */
export const declared = ({ mcpReq }: ServerContext): ClientCapabilities => {
  const envelope = (mcpReq.envelope ?? {}) as Record<string, unknown>;
  return (envelope[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;
};

/** MCP-SERVER-TASK-1. */
export const knowsTasks = (context: ServerContext): boolean =>
  declared(context).extensions?.[TASKS] !== undefined;

/** MCP-SERVER-TASK-1. */
export function mustKnowTasks(context: ServerContext): void {
  if (knowsTasks(context)) return;
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS]: {} } },
  });
}

export const callToolResult = (status: RunStatus): CallToolResult =>
  successResult(status, isEnded(status.state) && status.exitCode !== 0); // MCP-SERVER-TASK-2

export function taskOf(
  status: RunStatus,
  asked: { context: ServerContext; mayAnswer: boolean },
): TaskText {
  const base = {
    taskId: status.pid,
    createdAt: status.startedAt,
    lastUpdatedAt: status.endedAt ?? new Date().toISOString(),
    ttlMs: null,
    pollIntervalMs: POLL_MS,
    statusMessage: sayStatus(status),
  };
  if (status.state === "killed") return { ...base, status: "cancelled" };
  if (isEnded(status.state))
    return { ...base, status: "completed", result: callToolResult(status) };
  const asks = status.questions.length > 0 && declared(asked.context).elicitation !== undefined;
  if (!asks || !asked.mayAnswer) return { ...base, status: "working" };
  return { ...base, status: "input_required", inputRequests: requestsOf(status) }; // MCP-SERVER-TASK-3
}

export const created = (task: TaskText): ToolCallOutcome => ({
  ...task,
  resultType: "task",
  content: [{ type: "text", text: task.statusMessage }],
});

const sayStatus = ({ agent, state, waitingOn, questions }: RunStatus): string => {
  if (questions.length > 0) return `${agent} waits for a person: ${questions[0]!.question}`;
  return waitingOn === undefined ? `${agent} is ${state}` : `${agent} waits for: ${waitingOn}`;
};

/** One form for each question, under its id. */
function requestsOf({ questions }: RunStatus): InputRequests {
  const forms = questions.map(({ id, question, choices, details }) => {
    const choice =
      choices.length === 0
        ? { type: "string", title: "Answer" }
        : { type: "string", title: "Answer", enum: choices };
    const text = { type: "string", title: "Why", description: "Kept with the answer." };
    const requestedSchema = {
      type: "object",
      properties: { choice, text },
      required: ["choice"],
    };
    const message = details === undefined ? question : `${question}\n${details}`;
    const params = { mode: "form", message, requestedSchema };
    return [id, { method: "elicitation/create", params }];
  });
  return Object.fromEntries(forms) as InputRequests;
}

/** The answers that a client sent, by question; what is no answer is left out. */
export function wordsIn(
  responses: Readonly<Record<string, unknown>>,
): { id: string; choice: string; text?: string }[] {
  return Object.entries(responses).flatMap(([id, response]) => {
    const { action, content } = (response ?? {}) as { action?: unknown; content?: unknown };
    const { choice, text } = (content ?? {}) as { choice?: unknown; text?: unknown };
    if (action !== "accept" || typeof choice !== "string") return [];
    return [{ id, choice, ...(typeof text === "string" ? { text } : {}) }];
  });
}
