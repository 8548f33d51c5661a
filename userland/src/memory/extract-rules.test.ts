import { expect, test } from "vitest";
import { extractByRules } from "./extract-rules.ts";

const textsIn = (message: string) => extractByRules(message).map(({ text }) => text);

test.each<[string, string | undefined]>([
  ["My name is Ada", "name"],
  ["Our staging server is called blue", "staging server"],
  ["We decided to listen on port 9443", undefined],
  ["Let's go with PostgreSQL", undefined],
  ["I prefer short answers", undefined],
  ["I don't like dark themes", undefined],
  ["I'm allergic to nuts", undefined],
  ["I work for the city of Bern", undefined],
  ["Always answer in German", undefined],
  ["From now on, no emojis", undefined],
  ["Please remember that the demo is on Friday", undefined],
])("EXTRACT-RULES-1: %s", (sentence, subject) => {
  const found = extractByRules(`Could you help me? ${sentence}. Thanks a lot!`);

  expect(found).toEqual([
    { text: sentence, confidence: expect.any(Number), ...(subject && { subject }) },
  ]);
});

test.each([
  "What is my name?",
  "Deploy the shop to the blue cluster.",
  "Is our server is up?",
  "```\nWe decided to use tabs\n```",
  "> I prefer tea\nis what she wrote.",
  `I prefer ${"very ".repeat(100)}long sentences`,
  "",
])("EXTRACT-RULES-2: %j states nothing", (message) => {
  expect(textsIn(message)).toEqual([]);
});

test("a sentence is kept once, and a message gives ten at most", () => {
  expect(textsIn("I like tea. I like tea.\n- I like tea")).toEqual(["I like tea"]);
  const many = Array.from({ length: 30 }, (_, n) => `I like number ${n}.`).join(" ");
  expect(extractByRules(many)).toHaveLength(10);
});
