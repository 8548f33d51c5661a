// RunStatus: what other programs are told of a run, the same in every answer.

import {
  isEnded,
  type FailureText,
  type ProcessDetail,
  type ProcessInfo,
  type Question,
} from "@aos/protocol";
import { z } from "zod";
import { anyJson } from "./any-json.ts";
import type { CallOperation } from "./operations-as.ts";
import { detailsOf } from "./question-details.ts";

export const questionShape = z.object({
  id: z.string().describe("What deny takes, and approve where it is offered."),
  pid: z.string(),
  question: z.string(),
  choices: z.array(z.string()),
  details: z
    .string()
    .optional()
    .describe("All that a yes is for: arguments, what would run, reach."),
});

export const runShape = z.object({
  pid: z.string().describe("The run's id, for every other tool."),
  agent: z.string(),
  state: z.enum(["pending", "running", "waiting", "paused", "completed", "failed", "killed"]),
  waitingOn: z.string().optional().describe("What it waits for: a model, a tool, an approval …"),
  exitCode: z.number().optional().describe("Once it is over: 0 when all went well."),
  costUsd: z.number(),
  startedAt: z.string(),
  endedAt: z.string().optional(),
});

export const statusShape = runShape.extend({
  output: anyJson.optional().describe("What it returned, once it has."),
  error: z
    .object({ code: z.string(), message: z.string(), hint: z.string().optional() })
    .optional()
    .describe("Why it failed, where it did."),
  questions: z.array(questionShape).describe("What it waits for a person to answer."),
  next: z.string().describe("What can be done now."),
});

export type RunStatus = z.output<typeof statusShape>;

export const runOf = (info: ProcessInfo): z.output<typeof runShape> => ({
  pid: info.pid,
  agent: info.agent,
  state: info.state,
  costUsd: info.costUsd,
  startedAt: info.startedAt,
  ...(info.waitingOn === null ? {} : { waitingOn: info.waitingOn }),
  ...(info.exitCode === null ? {} : { exitCode: info.exitCode }),
  ...(info.endedAt === null ? {} : { endedAt: info.endedAt }),
});

export const questionOf = ({ id, pid, question, choices, about }: Question) => ({
  id,
  pid,
  question,
  choices: [...choices],
  ...(about === null ? {} : { details: detailsOf(about) }),
});

export async function runStatus(
  ask: CallOperation,
  pid: string,
  signal: AbortSignal,
): Promise<RunStatus> {
  const detail = await ask("show", { pid }, signal);
  const open = isEnded(detail.state) ? [] : await runQuestions(ask, detail.pid, signal);
  const { error } = detail;
  return {
    ...runOf(detail),
    ...(isEnded(detail.state) ? { output: detail.output ?? null } : {}),
    ...(error === null ? {} : { error: errorOf(error) }),
    questions: open.map(questionOf),
    next: nextOf(detail, open),
  };
}

const errorOf = ({ code, message, hint }: FailureText) => ({
  code,
  message,
  ...(hint === undefined ? {} : { hint }),
});

/** What a run, or one that it started, waits for people to answer. */
export const runQuestions = (
  ask: CallOperation,
  pid: string,
  signal: AbortSignal,
): Promise<Question[]> => ask("questions", { pid }, signal);

function nextOf({ pid, state }: ProcessDetail, open: readonly Question[]): string {
  if (isEnded(state)) return `It is over. aos://runs/${pid}/journal has all that it did.`;
  if (open.length > 0) {
    const ids = open.map(({ id }) => id).join(", ");
    return `A person has to decide about ${ids} (aos approvals, or the page), then get_agent_status.`;
  }
  return `It goes on by itself. Call get_agent_status with pid ${pid} and waitSeconds, or cancel_agent.`;
}
