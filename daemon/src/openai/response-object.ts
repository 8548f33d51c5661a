// Response object: a run as a response, whenever it is asked for.
//
// RESPONSE-OBJECT-1  It is made of the process and its journal alone: the same today and after a restart.

import type { FailureText, ProcessState, ProcessId } from "@aos/protocol";
import type { TurnResult } from "@aos/userland";
import { callersCall, type CallersTool } from "./callers-tools.ts";
import type { ClientNote } from "./client-note.ts";
import { responseErrorCode } from "./error-shape.ts";
import { createdAtOf, callId, itemId, messageId, responseId } from "./ids.ts";
import { replyText } from "./outcome.ts";
import type { ClientRun } from "./client-run.ts";
import { responseUsage, type RunUsage } from "./usage.ts";

export type ResponseStatus =
  | "queued"
  | "in_progress"
  | "completed"
  | "incomplete"
  | "failed"
  | "cancelled";

export interface ResponseShape {
  readonly run: ClientRun;
  readonly model: string;
  readonly door: ClientNote;
}

export interface ResponseState {
  readonly status: ResponseStatus;
  readonly output: readonly object[];
  readonly usage?: RunUsage;
  readonly failure?: FailureText;
}

export function responseObject({ run: { pid }, model, door }: ResponseShape, state: ResponseState) {
  const { status, output, usage, failure } = state;
  return {
    id: responseId(pid),
    object: "response",
    created_at: createdAtOf(pid),
    status,
    error:
      failure === undefined
        ? null
        : { code: responseErrorCode(failure.code), message: `${failure.code}: ${failure.message}` },
    incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
    ...door.echo,
    model,
    output,
    reasoning: { effort: null, summary: null },
    store: door.store,
    tools: door.tools.map(({ given }) => given),
    top_p: 1,
    truncation: "auto",
    usage: usage === undefined ? null : responseUsage(usage),
    user: door.user ?? null,
    metadata: door.metadata ?? {},
    aos: { pid },
  };
}

export const messageItem = (
  pid: ProcessId,
  text: string,
  status: "completed" | "incomplete" = "completed",
) => ({
  id: messageId(pid),
  type: "message",
  status,
  role: "assistant",
  content: [textPart(text)],
});

export const textPart = (text: string) => ({
  type: "output_text",
  text,
  annotations: [],
  logprobs: [],
});

/** The calls that are the client's to make. */
export const callItems = (pid: ProcessId, { calls }: TurnResult, tools: readonly CallersTool[]) =>
  calls.map((call, index) => {
    const { id, kind, name, namespace, text } = callersCall(call, callId(pid, index), tools);
    const called = { call_id: id, name, ...(namespace === undefined ? {} : { namespace }) };
    return kind === "custom"
      ? ({
          id: itemId(pid, index),
          type: "custom_tool_call",
          status: "completed",
          ...called,
          input: text,
        } as const)
      : ({
          id: itemId(pid, index),
          type: "function_call",
          status: "completed",
          ...called,
          arguments: text,
        } as const);
  });

export function outputOf({ run, door }: ResponseShape, turned: TurnResult): object[] {
  const words = replyText(turned, run.isLive);
  return [
    ...(words === "" ? [] : [messageItem(run.pid, words)]),
    ...callItems(run.pid, turned, door.tools),
  ];
}

export const responseStatus = ({ finish }: TurnResult): ResponseStatus =>
  finish === "length" ? "incomplete" : "completed";

/** SIGINT and SIGTERM: somebody ended it. */
const ENDED_BY_SIGNAL = new Set<number | null>([130, 143]);

/** Of a run that has given no answer. */
export function statusWithout(state: ProcessState, exitCode: number | null): ResponseStatus {
  if (state === "pending") return "queued";
  if (state === "killed" || ENDED_BY_SIGNAL.has(exitCode)) return "cancelled";
  return state === "failed" || state === "completed" ? "failed" : "in_progress";
}
