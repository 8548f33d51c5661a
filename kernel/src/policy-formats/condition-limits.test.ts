import { describe, expect, test } from "vitest";
import { compileCondition } from "./conditions.ts";
import { known } from "../../../tests/helpers/kernel/policy-subject.ts";

const load = (text: string) => compileCondition(text, known);
const many = (count: number, word: string, between: string): string =>
  Array<string>(count).fill(word).join(between);

describe("how large a condition may be", () => {
  const nested = (depth: number) => `${"(".repeat(depth)}pinned${")".repeat(depth)}`;
  const listed = (count: number) => `agent in [${many(count, "agent", ", ")}]`;
  const mapped = (count: number) =>
    `{${Array.from({ length: count }, (_, i) => `"k${i}": 1`).join(", ")}} == {"k": 1}`;
  const long = (length: number) => `agent == "${"x".repeat(length - 'agent == ""'.length)}"`;

  test.each([
    ["depth", nested(31), nested(32), "maxDepth (32)"],
    ["nodes", many(250, "pinned", " || "), many(251, "pinned", " || "), "maxAstNodes (500)"],
    ["elements of a list", listed(200), listed(201), "maxListElements (200)"],
    ["entries of a map", mapped(50), mapped(51), "maxMapEntries (50)"],
    ["characters", long(8192), long(8193), "at most 8192 characters"],
  ])("%s: the last that is fine, and the first that is not", (_, fine, tooMuch, message) => {
    expect(() => load(fine)).not.toThrow();
    expect(() => load(tooMuch)).toThrow(message);
  });

  test("arguments of a function: more than eight are not even looked at", () => {
    const call = (count: number) => `agent.startsWith(${many(count, "agent", ", ")})`;

    expect(() => load(call(8))).toThrow("no matching overload");
    expect(() => load(call(9))).toThrow("maxCallArguments (8)");
  });
});

describe("a flaw is drawn under the character where it stands", () => {
  test.each([
    ["agnt == agent", "\n>    1 | agnt == agent\n         ^"],
    [
      'pinned && tool == "nope"',
      '\n>    1 | pinned && tool == "nope"\n                           ^',
    ],
    ["pinned &&\nagnt == agent", "\n>    2 | agnt == agent\n         ^"],
    ["pinned ||\n  agent == x\n|| pinned", "\n>    2 |   agent == x\n                    ^"],
  ])("%j", (text, drawing) => {
    expect(() => load(text)).toThrow(drawing);
  });
});
