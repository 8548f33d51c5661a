// Episode of a task: goal, calls and result as one record, by rules and without a model.
//
//   episodeOf("deploy the shop", messages, { error })      { kind: "episode", goal, action, result, outcome, … }
//
// EPISODE-OF-1  A task is bad if it ended with a failure, if its answer was not sure enough, or if its last call failed.
// EPISODE-OF-2  The same messages have the same episode.

import { type Episode, failures, type Json, type Message, type SysError } from "@aos/protocol";

/** How a task came to its end. */
export type TaskEnd =
  | { readonly answer: Json; readonly isSure: boolean }
  | { readonly error: SysError };

interface Made {
  /** Tool and arguments, in short. */
  readonly text: string;
  readonly tool: string;
  /** Why it failed, in a line. */
  readonly failure: string | undefined;
}

const GOAL = 1000;
const LINE = 160;
const RESULT = 600;
const MOST_CALLS = 8;
const MOST_FAILURES = 5;

export function episodeOf(goal: string, messages: readonly Message[], end: TaskEnd): Episode {
  const calls = callsIn(messages);
  const reflection = reflectionOf(calls, end);
  return {
    kind: "episode",
    goal: cut(goal, GOAL),
    action: actionOf(calls),
    result: cut("error" in end ? failureLine(end.error) : textOf(end.answer), RESULT),
    outcome: isBad(calls, end) ? "bad" : "good",
    ...(reflection === "" ? {} : { reflection }),
  };
}

/** EPISODE-OF-1. */
const isBad = (calls: readonly Made[], end: TaskEnd): boolean =>
  "error" in end || !end.isSure || calls.at(-1)?.failure !== undefined;

function callsIn(messages: readonly Message[]): Made[] {
  const results = new Map(
    messages.flatMap(({ role, toolCallId, content }) =>
      role === "tool" && toolCallId !== undefined ? [[toolCallId, content] as const] : [],
    ),
  );
  return messages
    .flatMap(({ toolCalls = [] }) => toolCalls)
    .map(({ id, tool, args }) => ({
      tool,
      text: cut(`${tool} ${JSON.stringify(args)}`, LINE),
      failure: failureIn(results.get(id)),
    }));
}

const CODE = /^([A-Z_]+): /;

/** What a result says of its failure: by its code, or by the fields that tools have for it. */
function failureIn(result: string | undefined): string | undefined {
  if (result === undefined) return undefined;
  const code = CODE.exec(result)?.[1];
  if (code !== undefined && Object.hasOwn(failures, code)) return firstLine(result);
  const { exitCode, isError, ok, error } = objectIn(result);
  const isFailed =
    (typeof exitCode === "number" && exitCode !== 0) ||
    isError === true ||
    ok === false ||
    (error !== undefined && error !== null && error !== false);
  return isFailed ? firstLine(result) : undefined;
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  if (!text.startsWith("{")) return {};
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {}; // a text that looks like JSON, or one that was cut
  }
}

function actionOf(calls: readonly Made[]): string {
  if (calls.length === 0) return "answered without tools";
  const shown = calls
    .slice(-MOST_CALLS)
    .map(({ text, failure }) => (failure === undefined ? text : `${text} (failed)`));
  const before = calls.length - shown.length;
  return [...(before === 0 ? [] : [`${before} calls before`]), ...shown].join("; ");
}

/** What failed and why; and for the same tool, what worked later. */
function reflectionOf(calls: readonly Made[], end: TaskEnd): string {
  const failed = calls.flatMap((call, at) =>
    call.failure === undefined ? [] : [{ ...call, failure: call.failure, at }],
  );
  const lines = failed.slice(-MOST_FAILURES).map(({ text, tool, failure, at }) => {
    const worked = calls.find((one, nth) => nth > at && one.tool === tool && !one.failure);
    const then = worked === undefined ? "" : ` What worked: ${worked.text}.`;
    return `${text} failed: ${failure}.${then}`;
  });
  if ("error" in end && end.error.hint !== undefined) lines.push(`Hint: ${end.error.hint}`);
  return [...new Set(lines)].join("\n");
}

const failureLine = ({ code, message }: SysError): string => `${code}: ${message}`;
const firstLine = (text: string): string => cut(text.split("\n")[0]!, LINE);
const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

/** Ends at a whole character. */
export function cut(text: string, most: number): string {
  const plain = text.trim();
  if (plain.length <= most) return plain;
  const start = plain.slice(0, most - 1);
  return `${start.isWellFormed() ? start : start.slice(0, -1)}…`;
}
