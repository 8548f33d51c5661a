// Conversation: which turn of a script answers a request.
//
// SCRIPTED-CONVERSATION-1  The answer depends only on the script and the messages: the same request gets the same
//     answer, also in a replay.
// SCRIPTED-CONVERSATION-2  The first matching turn wins.

import { canonicalText, type Json, type Message, type ToolCall } from "@aos/protocol";
import {
  type ScriptedReply,
  fillTemplate,
  type Script,
  type TemplateValues,
  type ScriptedTurn,
} from "./script.ts";

/** What a turn can look at when it is asked whether it fits. */
interface Moment {
  /** The number of assistant messages so far, plus one. */
  readonly turn: number;
  readonly last: Message | undefined;
  /** The tool that the last message is the result of. */
  readonly tool: string | undefined;
}

/** The answer to these messages, or undefined when the script has none. */
export function chooseAnswer(
  script: Script,
  messages: readonly Message[],
): ScriptedReply | undefined {
  // Earlier requests are answered again, to know which of the turns that play once are spent.
  const spent = new Set<ScriptedTurn>();
  const toolOf = new Map<string, string>();
  let turn = 1;
  let last: Message | undefined;

  const fitting = (): ScriptedTurn | undefined => {
    const tool = last?.toolCallId === undefined ? undefined : toolOf.get(last.toolCallId);
    const moment: Moment = { turn, last, tool };
    return script.turns.find(
      (candidate, index) => !spent.has(candidate) && fits(candidate, index, moment),
    );
  };

  for (const message of messages) {
    if (message.role === "assistant") {
      const played = fitting();
      if (played?.once === true) spent.add(played);
      for (const call of message.toolCalls ?? []) toolOf.set(call.id, call.tool);
      turn += 1;
    }
    last = message;
  }
  return fitting() ?? script.otherwise;
}

function fits({ when }: ScriptedTurn, index: number, moment: Moment): boolean {
  if (when === undefined) return moment.turn === index + 1;

  const shown = moment.last?.content ?? "";
  const texts = typeof when.contains === "string" ? [when.contains] : (when.contains ?? []);
  return (
    (when.turn === undefined || when.turn === moment.turn) &&
    (when.last === undefined || when.last === moment.last?.role) &&
    (when.tool === undefined || (moment.last?.role === "tool" && when.tool === moment.tool)) &&
    texts.every((text) => shown.includes(text))
  );
}

export interface SpokenReply {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
}

/** Says an answer in this conversation: its slots filled in, its tool calls with ids. */
export function speak(answer: ScriptedReply, messages: readonly Message[]): SpokenReply {
  const slots: TemplateValues = {
    last: messages.at(-1)?.content ?? "",
    input: messages.find(({ role }) => role === "user")?.content ?? "",
  };
  const turn = messages.filter(({ role }) => role === "assistant").length + 1;
  const isVerbatim = answer.verbatim === true;
  return {
    text: isVerbatim ? (answer.say ?? "") : fillTemplate(answer.say ?? "", slots),
    toolCalls: (answer.call ?? []).map(({ tool, args }, index) => ({
      id: `call_${turn}_${index + 1}`,
      tool,
      args: isVerbatim ? args : fillTexts(args, slots),
    })),
  };
}

function fillTexts(value: Json, slots: TemplateValues): Json {
  if (typeof value === "string") return fillTemplate(value, slots);
  if (Array.isArray(value)) return value.map((item) => fillTexts(item, slots));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, fillTexts(member, slots)]),
  );
}

const CHARS_PER_TOKEN = 4;

/** An estimate: a scripted model has no tokenizer. */
export const tokensIn = (texts: readonly string[]): number =>
  Math.ceil(texts.reduce((chars, text) => chars + text.length, 0) / CHARS_PER_TOKEN);

export const tokensSpoken = ({ text, toolCalls }: SpokenReply): number =>
  tokensIn([text, ...toolCalls.map(({ tool, args }) => tool + canonicalText(args))]);

/** Cuts an answer off at a number of tokens, as a model would; a call that does not fit is lost. */
export const cutAt = ({ text }: SpokenReply, maxTokens: number): SpokenReply => ({
  text: text.slice(0, maxTokens * CHARS_PER_TOKEN).toWellFormed(),
  toolCalls: [],
});
