import { expect, test } from "vitest";
import { commands, nouns } from "../commands.ts";
import { namesOf, commandShape } from "../line/shape.ts";
import { positionOf } from "./position.ts";
import { argumentSources, optionSources, ownSources, sourcesFor } from "./sources.ts";

const at = (line: string) => positionOf(commands, nouns, line.split(" ").slice(1));
const wordsAt = (line: string) => at(line).words.map(([word]) => word);

test("names come first, one after the other", () => {
  expect(wordsAt("aos ")).toEqual(expect.arrayContaining(["ps", "tool", "help"]));
  expect(wordsAt("aos tool ")).toEqual(["ls", "show", "call"]);
  expect(wordsAt("aos help tool ")).toEqual(["ls", "show", "call"]);
  expect(wordsAt("aos approvals ")).toEqual(["show", "cancel"]);
});

test.each([
  ["aos show ", { kind: "argument", argument: "pid" }],
  ["aos kill agt_1 ", { kind: "argument", argument: "pid" }],
  ["aos signal agt_1 ", { kind: "argument", argument: "name" }],
  ["aos show agt_1 ", { kind: "words", words: [] }],
  ["aos logs --after 3 ", { kind: "argument", argument: "pid" }],
  ["aos logs -f ", { kind: "argument", argument: "pid" }],
  ["aos ps --state ", { kind: "value", typed: "" }],
  ["aos ps -o js", { kind: "value", typed: "js", before: "" }],
  ["aos ps --output=js", { kind: "value", typed: "js", before: "--output=" }],
  ["aos mcp add docs -- --", { kind: "argument", argument: "command" }],
  ["aos test ", { kind: "argument", argument: "paths" }],
])("what can follow %j is known", (line, position) => {
  expect(at(line)).toMatchObject(position);
});

test("an option that is there is not offered again, unless it may be repeated", () => {
  expect(wordsAt("aos run x --cow --")).not.toContain("--cow");
  expect(wordsAt("aos run x --cap a --")).toContain("--cap");
  expect(wordsAt("aos ps -a --")).not.toContain("--all");
});

test("whatever is a process can be completed", () => {
  for (const row of commands)
    for (const { name } of commandShape(row).args.filter(({ name }) => /pid/.test(name))) {
      const position = { kind: "argument", row, argument: name, typed: "", before: "", words: [] };
      expect(sourcesFor(position as never), row.usage).not.toEqual([]);
    }
});

test("no source is for something that no row has", () => {
  const args = new Set<string>();
  const options = new Set<string>();
  const own = new Set<string>();
  for (const row of commands) {
    const shape = commandShape(row);
    for (const { name } of shape.args) {
      args.add(name);
      own.add(`${namesOf(row).join(" ")} ${name}`);
    }
    for (const { long, value } of shape.options) options.add(`${long} <${value}>`);
  }

  expect(Object.keys(argumentSources).filter((name) => !args.has(name))).toEqual([]);
  expect(Object.keys(ownSources).filter((name) => !own.has(name))).toEqual([]);
  expect(Object.keys(optionSources).filter((name) => !options.has(name))).toEqual([]);
});
