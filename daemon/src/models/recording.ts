// Recording: what a model said to a process, as a script that says it again.
//
// RECORDING-1  Played, it gives the same answers in the same order: words, tool calls, and how each
//     ended.
// RECORDING-2  Where requests did not follow one another in one conversation (a summary, a context that
//     was made shorter), each turn says what it answers: the turn, and the message before it.

import type { InferReply, Json, Message } from "@aos/protocol";
import { stringify } from "yaml";

export interface RecordedTurn {
  readonly n: number;
  readonly model: string;
  readonly messages: readonly Message[];
  readonly reply: InferReply;
}

export interface Recording {
  readonly agent: string;
  readonly pid: string;
  readonly turns: readonly RecordedTurn[];
}

/** How `scripted/NAME` calls it. */
export const recordingName = (agent: string, pid: string): string =>
  `${agent}-${pid}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]/g, "-")
    .replace(/^[^a-z0-9]+/, "");

export function scriptOf(recording: Recording, scrub: (text: string) => string): string {
  const turns = recording.turns.toSorted((a, b) => a.n - b.n);
  const isOneConversation = turns.every(({ messages }, at) => turnOf(messages) === at + 1);
  const models = [...new Set(turns.map(({ model }) => model))].join(", ");
  const name = recordingName(recording.agent, recording.pid);
  const script = {
    turns: turns.map((turn) => ({
      ...(isOneConversation ? {} : { when: momentOf(turn) }), // RECORDING-2
      ...answerOf(turn.reply),
    })),
  };
  return [
    `# What ${models} said to ${recording.agent} (${recording.pid}). scripted/${name} says it again.`,
    stringify(scrubbed(script, scrub), { lineWidth: 0 }),
  ].join("\n");
}

const turnOf = (messages: readonly Message[]): number =>
  messages.filter(({ role }) => role === "assistant").length + 1;

function momentOf({ messages }: RecordedTurn): Json {
  const last = messages.at(-1);
  const moment = { turn: turnOf(messages) };
  if (last === undefined) return moment;
  return { ...moment, last: last.role, ...(last.content === "" ? {} : { contains: last.content }) };
}

/** RECORDING-1. */
function answerOf({ text, toolCalls, finish }: InferReply): { [key: string]: Json } {
  return {
    ...(text === "" && toolCalls.length > 0 ? {} : { say: text }),
    ...(toolCalls.length === 0
      ? {}
      : { call: toolCalls.map(({ tool, args }) => ({ tool, args })) }),
    ...(finish === "length" || finish === "filter" ? { finish } : {}),
    verbatim: true,
  };
}

function scrubbed(value: Json, scrub: (text: string) => string): Json {
  if (typeof value === "string") return scrub(value);
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, scrub));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [scrub(key), scrubbed(member, scrub)]),
  );
}
