import { expect, test } from "vitest";
import { fillWords } from "./fill-words.ts";
import { readProgramFile } from "./program-file.ts";
import { programFiles, SHIPPED } from "./program-tools.ts";

const TEN_LINES = `name: text.count
program: wc
description: Count the lines, words and bytes of a file.
input:
  type: object
  required: [path]
  properties: { path: { type: string } }
argv: ["--", "{path}"]
paths: { path: read }
`;

test("ten lines make a tool", () => {
  expect(readProgramFile(TEN_LINES, "count.yaml")).toMatchObject({
    name: "text.count",
    program: "wc",
    argv: ["--", "{path}"],
    paths: { path: "read" },
    output: "text",
  });
});

test.each<[string, string, string, string]>([
  ["an unknown field", "program: wc", "program: wc\nshell: true", "count.yaml:3: "],
  ["a placeholder without a property", '"{path}"', '"{file}"', 'count.yaml:8: argv: "file"'],
  ["a path that is no property", "{ path: read }", "{ file: read }", 'count.yaml:9: paths: "file"'],
  ["a bad name", "name: text.count", "name: Text Count", "count.yaml:1: name: "],
  ["a bad verb", "{ path: read }", "{ path: eat }", "count.yaml:9: paths.path: "],
  ["broken YAML", "name: text.count", "name: [", "count.yaml:"],
  ["stdin that is no property", "program: wc", "program: wc\nstdin: text", "count.yaml:3: stdin"],
])("PROGRAM-FILE-1: %s is an error with its line", (_what, from, to, message) => {
  expect(() => readProgramFile(TEN_LINES.replace(from, to), "count.yaml")).toThrow(message);
});

test("PROGRAM-FILE-1: a group's condition is a property too", () => {
  const text = TEN_LINES.replace('["--",', '[{ if: deep, words: ["-d"] }, "--",');
  expect(() => readProgramFile(text, "count.yaml")).toThrow('argv: "deep"');
});

test("FILL-WORDS-1: a value is one word, whatever is in it; a list is as many as it has parts", () => {
  expect(fillWords(["a", "{x}", "--to={x}"], { x: "two words; rm" })).toEqual([
    "a",
    "two words; rm",
    "--to=two words; rm",
  ]);
  expect(fillWords(["{x}"], { x: ["a", "b c", 3] })).toEqual(["a", "b c", "3"]);
  expect(fillWords(["{x}-{y}"], { x: 1, y: "b" })).toEqual(["1-b"]);
});

test("FILL-WORDS-2: a value is no option, unless it is after -- or in the word of one", () => {
  for (const x of ["-rf", "--", ["a", "-b"]])
    expect(() => fillWords(["{x}"], { x })).toThrow("would be read as an option");
  expect(fillWords(["--", "{x}"], { x: "-rf" })).toEqual(["--", "-rf"]);
  expect(fillWords(["--regexp={x}"], { x: "-rf" })).toEqual(["--regexp=-rf"]);
});

test("FILL-WORDS-3: what was not given leaves no word; a group is there only with its argument", () => {
  expect(fillWords(["a", "--to={x}", "{y}"], { y: null })).toEqual(["a"]);
  const template = ["a", { if: "x", words: ["-s", "{x}"] }, { if: "raw", words: ["-r"] }];
  expect(fillWords(template, { x: "1", raw: true })).toEqual(["a", "-s", "1", "-r"]);
  expect(fillWords(template, { raw: false })).toEqual(["a"]);
});

test("a word cannot be made of yes or no", () => {
  expect(() => fillWords(["{x}"], { x: true })).toThrow("x is a boolean");
});

test("those that are shipped can be read", () => {
  expect(programFiles(SHIPPED).map(({ name, program }) => [name, program])).toEqual([
    ["media.convert", "ffmpeg"],
    ["build.gcc", "gcc"],
    ["json.jq", "jq"],
    ["document.convert", "pandoc"],
    ["text.ripgrep", "rg"],
  ]);
});
