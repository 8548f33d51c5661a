import { describe, expect, test } from "vitest";
import { fillTemplate, readScript, type ScriptText } from "./script.ts";

describe("a script is refused for", () => {
  test.each([
    ["an unknown field", "turns:\n  - say: x\n    sya: y\n", "it:3:5: turns[0].sya: unknown field"],
    ["an unknown field at the top", "turns: []\nmore: 1\n", "it:2:1: more: unknown field"],
    [
      "an unknown condition",
      "turns:\n  - when:\n      matches: x\n    say: y\n",
      "it:3:7: turns[0].when.matches: unknown field",
    ],
    [
      "a wrong type",
      "turns:\n  - say: 3\n",
      "it:2:5: turns[0].say: Invalid input: expected string",
    ],
    ["a turn that answers nothing", "turns:\n  - once: true\n", "it:2:5: turns[0]: needs `say`"],
    ["no turns", "otherwise: { say: x }\n", "it:1:1: turns: Invalid input"],
    ["an empty file", "", "it:1:1: script: Invalid input"],
    [
      "an unknown slot",
      "turns:\n  - say: '{{inptu}}'\n",
      "it:2:5: turns[0].say: {{inptu}} is unknown",
    ],
    [
      "an unknown slot in an argument",
      "turns:\n  - call:\n      - tool: t\n        args: { a: '{{nope}}' }\n",
      "it:4:9: turns[0].call[0].args: {{nope}} is unknown",
    ],
    [
      "a number that JSON has not",
      "turns:\n  - call: [{ tool: t, args: .nan }]\n",
      "it:2:23: turns",
    ],
    ["a field twice", "turns: []\nturns: []\n", "it:2:1: Map keys must be unique"],
    ["broken YAML", "turns: [\n", "it:2:1: "],
    ["an unknown tag", "turns: !x []\n", "it:1:8: "],
    ["an alias of nothing", "turns: *x\n", "it"],
  ])("%s, with its place", (_, text, message) => {
    expect(() => readScript(text, "it")).toThrow(
      expect.objectContaining({ code: "EINVAL", message: expect.stringContaining(message) }),
    );
  });

  test("an unknown field, also where the script is given as a value", () => {
    const script = { turns: [{ say: "x", sya: "y" }] } as object as ScriptText;

    expect(() => readScript(script, "script it")).toThrow("script it: turns[0].sya: unknown field");
  });

  test("every mistake is listed at once", () => {
    expect(() => readScript("turns: []\none: 1\ntwo: 2\n", "it")).toThrow(
      "it:2:1: one: unknown field; it:3:1: two: unknown field",
    );
  });
});

test("YAML and a value say the same", () => {
  const text = "turns:\n  - when: { tool: echo, contains: [a, b] }\n    call: [{ tool: echo }]\n";
  const value: ScriptText = {
    turns: [{ when: { tool: "echo", contains: ["a", "b"] }, call: [{ tool: "echo" }] }],
  };

  expect(readScript(text, "it")).toEqual(readScript(value, "it"));
});

test("a slot is filled once", () => {
  const slots = { last: "{{input}} $& $1", input: "in" };

  expect(fillTemplate("{{last}} and {{ input }}", slots)).toBe("{{input}} $& $1 and in");
});
