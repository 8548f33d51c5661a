// A provider of skills in memory, and models that a test thinks for.

import { type InferReply, type Message, type ModelDriver } from "@aos/protocol";
import type { SkillProvider } from "@aos/protocol";

interface Skill {
  readonly description?: string;
  readonly allowedTools?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly places?: readonly string[];
}

export function providerOf(skills: Record<string, Skill>): SkillProvider {
  const filesOf = (name: string) => ({ "SKILL.md": `Steps of ${name}.`, ...skills[name]?.files });
  return {
    cards: async () =>
      Object.entries(skills).map(([name, { description = "It does.", places = [] }]) => ({
        name,
        description,
        places,
      })),
    files: async (_scope, name) =>
      Object.hasOwn(skills, name) ? Object.keys(filesOf(name)) : undefined,
    read: async (_scope, name, path) => {
      const text = (filesOf(name) as Record<string, string>)[path];
      if (!Object.hasOwn(skills, name) || text === undefined) return undefined;
      const { allowedTools, places = [] } = skills[name]!;
      return path === "SKILL.md" && allowedTools !== undefined
        ? { text, places, allowedTools }
        : { text, places };
    },
  };
}

export interface Seen {
  readonly messages: readonly Message[];
  readonly tools: readonly string[];
}

type Thought = string | { readonly tool: string; readonly args: object };

export type Turn = (last: string) => Thought;

/** `thinking/it`: what it answers at each turn, given the last message. What it was shown is kept. */
export function thinking(...turns: readonly Turn[]) {
  const seen: Seen[] = [];
  const model: ModelDriver = {
    provider: "thinking",
    egress: false,
    worstCase: () => ({ usd: 0, tokens: 0 }),
    infer: async ({ messages, tools = [] }) => {
      seen.push({ messages: structuredClone(messages), tools: tools.map(({ name }) => name) });
      const turn = messages.filter(({ role }) => role === "assistant").length;
      const thought = turns[turn]!(messages.at(-1)!.content);
      return { ...replyOf(thought, turn), usd: 0 };
    },
  };
  return { model, seen };
}

const replyOf = (thought: Thought, turn: number): InferReply => ({
  text: typeof thought === "string" ? thought : "",
  toolCalls:
    typeof thought === "string"
      ? []
      : [{ id: `call_${turn}`, tool: thought.tool, args: thought.args as never }],
  finish: typeof thought === "string" ? "stop" : "tool",
  usage: { inputTokens: 0, outputTokens: 0 },
});
