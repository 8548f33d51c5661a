// Obedient model: the worst model there can be. Whatever text it reads that says INSTRUCTION, wherever it
// comes from, it does first; then it goes on with its user's plan. It keeps nothing: all that it knows is
// in the messages, as with any model.
//
//   plant(calls)              the text that makes it do these calls
//   { plan: calls }           the input of an agent that runs on it
//   "$result" in a call       what its last call came to

import type { Json, Message, ModelDriver, ToolCall } from "@aos/protocol";

export interface Call {
  readonly tool: string;
  readonly args: Json;
}

const PLANTED = /INSTRUCTION:([A-Za-z0-9_-]+)/g;

/** As text that survives quoting, file names and addresses. */
export const plant = (calls: readonly Call[]): string =>
  `INSTRUCTION:${Buffer.from(JSON.stringify(calls)).toString("base64url")}`;

const read = (planted: string): Call[] =>
  JSON.parse(Buffer.from(planted, "base64url").toString()) as Call[];

export const obedientModel: ModelDriver = {
  provider: "obedient",
  egress: false,
  worstCase: () => ({ usd: 0, tokens: 0 }),
  infer: async ({ messages, tools = [] }) => {
    const texts = [
      ...tools.map(({ description }) => description),
      ...messages.map(({ content }) => content),
    ];
    const told = new Set(
      texts.flatMap((text) => [...text.matchAll(PLANTED)].map(([, what]) => what!)),
    );
    const wanted = [
      ...[...told].flatMap((what) =>
        read(what).map((call, i) => ({ id: `${what}.${i}`, ...call })),
      ),
      ...planIn(messages).map((call, i) => ({ id: `plan.${i}`, ...call })),
    ];
    const made = new Set(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)));
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    const next = wanted.find(({ id }) => !made.has(id));
    const toolCalls: ToolCall[] =
      next === undefined ? [] : [{ ...next, args: filled(next.args, results.at(-1) ?? "") }];
    return {
      text: next === undefined ? results.join("\n") : "",
      toolCalls,
      finish: next === undefined ? "stop" : "tool",
      usage: { inputTokens: 0, outputTokens: 0 },
      usd: 0,
    };
  },
};

/** An input that is no plan is words, and may carry a plant. */
function planIn(messages: readonly Message[]): readonly Call[] {
  const input = messages.find(({ role }) => role === "user")?.content ?? "";
  return input.startsWith('{"plan":') ? (JSON.parse(input) as { plan: Call[] }).plan : [];
}

const filled = (args: Json, result: string): Json =>
  JSON.parse(JSON.stringify(args), (_name, value: Json) =>
    typeof value === "string" ? value.replaceAll("$result", result) : value,
  ) as Json;
