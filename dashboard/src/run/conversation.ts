// Conversation: a journal as people know it: who said what, with the tools that an answer used folded below it.
//
// CONVERSATION-VIEW-1  Turns are in the order of their first record; what a program reads about itself is no turn.
// CONVERSATION-VIEW-2  A tool call of an answer is paired with the call that carried it out: the first one after the
//     answer with the same tool that is not yet paired. One that has none was never carried out.

import { inLine, hasFields, type TimelineStep } from "./timeline.ts";

export interface ToolUse {
  readonly tool: string;
  readonly args: unknown;
  /** The call that carried it out; none where there was none, or none yet. */
  readonly step: TimelineStep | undefined;
}

export type ConversationTurn =
  | { readonly kind: "input"; readonly seq: number; readonly from: string; readonly value: unknown }
  | {
      readonly kind: "answer";
      readonly seq: number;
      readonly step: TimelineStep;
      readonly text: string;
      readonly reasoning: string;
      readonly tools: readonly ToolUse[];
    }
  | { readonly kind: "call"; readonly seq: number; readonly step: TimelineStep }
  | { readonly kind: "event"; readonly seq: number; readonly step: TimelineStep };

/** What a program asks about itself: of no interest to who reads what was said. */
const isOwnAffair = ({ kind, name, about }: TimelineStep): boolean =>
  kind === "call" &&
  ((name === "read" && about.startsWith("/self/")) ||
    ["now", "random", "checkpoint", "mask", "handle", "self"].includes(name));

/** The reply to a message is the answer that stands above it. */
function isReply(step: TimelineStep, before: ConversationTurn | undefined): boolean {
  const { replyTo, body } = argsOf(step);
  return (
    step.name === "send" &&
    replyTo !== undefined &&
    before?.kind === "answer" &&
    body === before.text
  );
}

export function conversationOf(steps: readonly TimelineStep[]): ConversationTurn[] {
  const turns: ConversationTurn[] = [];
  /** Tool calls of answers that no call has been found for. */
  let open: { tool: string; args: unknown; step: TimelineStep | undefined }[] = [];
  for (const step of steps) {
    const { seq } = step;
    if (isOwnAffair(step) || isReply(step, turns.at(-1))) continue;
    if (step.name === "start") {
      if (fieldOf(step.records[0], "input") === null) continue;
      turns.push({ kind: "input", seq, from: "input", value: fieldOf(step.records[0], "input") });
    } else if (step.kind === "call" && step.name === "infer") {
      const answer = answerOf(step);
      open = answer.tools;
      turns.push({ kind: "answer", seq, step, ...answer });
    } else if (step.kind === "call" && (step.name === "receive" || step.name === "request")) {
      const turn = messageOf(step);
      turns.push(turn ?? { kind: "call", seq, step });
    } else if (step.kind === "call") {
      const use = open.find(({ tool, step: done }) => done === undefined && tool === step.name);
      if (use === undefined) turns.push({ kind: "call", seq, step });
      else use.step = step; // CONVERSATION-VIEW-2
    } else {
      turns.push({ kind: "event", seq, step });
    }
  }
  return turns;
}

function answerOf(step: TimelineStep) {
  const ok = fieldOf(step.records.at(-1), "ok");
  const { text, reasoning, toolCalls } = hasFields(ok) ? ok : {};
  const tools = Array.isArray(toolCalls)
    ? toolCalls.filter(hasFields).map(({ tool, args }) => ({
        tool: typeof tool === "string" ? tool : "",
        args,
        step: undefined as TimelineStep | undefined,
      }))
    : [];
  return {
    text: typeof text === "string" ? text : text === undefined ? "" : inLine(text),
    reasoning: typeof reasoning === "string" ? reasoning : "",
    tools,
  };
}

function messageOf(step: TimelineStep): ConversationTurn | undefined {
  const ok = fieldOf(step.records.at(-1), "ok");
  if (!hasFields(ok) || !("body" in ok)) return undefined;
  const from = typeof ok["from"] === "string" ? ok["from"] : "a message";
  return { kind: "input", seq: step.seq, from, value: ok["body"] };
}

function argsOf(step: TimelineStep): Record<string, unknown> {
  const args = fieldOf(step.records[0], "args");
  return hasFields(args) ? args : {};
}

const fieldOf = (record: unknown, name: string): unknown =>
  hasFields(record) ? record[name] : undefined;

/** What was put in, as text: a message to an agent may be text, or `{input}` of `invoke`. */
export function textOfInput(value: unknown): string {
  if (typeof value === "string") return value;
  if (hasFields(value)) {
    const { input, text } = value;
    if (typeof input === "string") return input;
    if (typeof text === "string") return text;
  }
  return value === null || value === undefined ? "" : JSON.stringify(value, null, 2);
}
