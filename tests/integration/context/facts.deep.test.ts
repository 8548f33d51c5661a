// Compaction keeps facts: in a session of 400 turns with a model of 4,000 tokens every planted fact can be
// had at the end, from the context or by searching what was taken out of it.

import type { InferReply, Json, Message } from "@aos/protocol";
import { programs } from "@aos/userland";
import { expect, test } from "vitest";
import { bootForTest, manifest } from "../../helpers/kernel.ts";
import { tokensOf, windowModel, type Said } from "./window-model.ts";

const TURNS = 400;
const PLANTED_EVERY = 9;
const WINDOW = 4000;
const FACT = /FACT (\w+-\d+) is (\w+)/g;

const isPlanted = (turn: number): boolean => turn % PLANTED_EVERY === 0;
const facts = new Map(
  Array.from({ length: TURNS }, (_, turn) => turn)
    .filter(isPlanted)
    .map((turn) => [`vault-${turn}`, `code${turn * 7919}x`]),
);

/** What the tool of a turn returns: much that does not matter, and now and then something that does. */
const resultOf = (turn: number): string =>
  `line ${turn} ${"lorem ipsum dolor ".repeat(6)}${
    isPlanted(turn) ? `FACT vault-${turn} is ${facts.get(`vault-${turn}`)!}` : ""
  } ${"sit amet ".repeat(6)}`;

const call = (id: string, tool: string, args: Json): Said => ({
  toolCalls: [{ id, tool, args }] as InferReply["toolCalls"],
});

const valueIn = (text: string, name: string): string | undefined =>
  [...text.matchAll(FACT)].find(([, found]) => found === name)?.[2];

/** First it works through the turns; then it has to name every fact, and looks for what it cannot see. */
function player() {
  const names = [...facts.keys()];
  const found: Record<string, string> = {};
  let turn = 0;
  let asked: string | undefined;
  let searches = 0;

  const answer = ({ messages }: { messages: Message[] }): Said => {
    if (turn < TURNS) {
      const n = turn++;
      // Every 25th turn calls two tools at once; ids come again, as those of some vendors do.
      const calls = [{ id: "call_0", tool: "look", args: { give: resultOf(n) } }];
      if (n % 25 === 0) calls.push({ id: "call_1", tool: "look", args: { give: "beside" } });
      return { text: `turn ${n}`, toolCalls: calls };
    }
    const seen = messages.map(({ content }) => content).join("\n");
    if (asked !== undefined) {
      const value = valueIn(messages.at(-1)!.content, asked);
      if (value !== undefined) found[asked] = value;
      asked = undefined;
    }
    for (const name of names) {
      const value = valueIn(seen, name);
      if (value !== undefined) found[name] ??= value;
    }
    asked = names.find((name) => found[name] === undefined);
    if (asked === undefined) return { text: JSON.stringify(found) };
    searches += 1;
    return call("call_0", "context.search", { query: `FACT ${asked}`, limit: 2 });
  };
  return { answer, searches: () => searches };
}

const keepsFacts = (text: string): string =>
  [...text.matchAll(FACT)].map(([fact]) => fact).join("\n") || "nothing happened";

test.each([
  ["that keeps them", keepsFacts],
  ["that drops everything", () => "All went well."],
])("every fact is found again with a summariser %s", async (_how, summarise) => {
  const { answer, searches } = player();
  const small = windowModel({ window: WINDOW, answer, summarise });
  const { kernel } = await bootForTest({
    programs: { agent: programs["agent"]!.run },
    models: [small.model],
  });
  const given = manifest("worker", {
    program: "agent",
    model: "small/it",
    system: "You work long.",
    tools: ["look"],
    capabilities: ["model:*:infer", "tool:look:call"],
    limits: { maxSteps: TURNS * 3 },
  });

  const pid = await kernel.spawn({ manifest: given, input: "Work, then tell every fact." });
  const { output, error } = await kernel.wait(pid);

  expect(error).toBeNull();
  expect(JSON.parse(output as string)).toEqual(Object.fromEntries(facts));
  expect(small.flaws).toEqual([]);
  expect(small.shown.length).toBeGreaterThan(TURNS);
  expect(Math.max(...small.shown.map(({ messages }) => tokensOf(messages)))).toBeLessThan(WINDOW);
  expect(small.summaries.length).toBeGreaterThan(10);
  expect((await kernel.context(pid)).compactions).toBeGreaterThanOrEqual(small.summaries.length);
  if (summarise !== keepsFacts) expect(searches()).toBeGreaterThan(30);
});
