import { SysError } from "@aos/protocol";
import { expect, test } from "vitest";
import type { CommandRow } from "../command.ts";
import { readLine, type CommandLineResult } from "./read-line.ts";

const row = (usage: string, options: CommandRow["options"] = []): CommandRow => ({
  usage,
  summary: usage,
  options,
  examples: [],
  startsDaemon: false,
  load: async () => ({ default: async () => {} }),
});

const rows = [
  row("ps", [
    ["-a, --all", "all"],
    ["-n, --limit <count>", "most"],
    ["--dry-run", "only estimate"],
  ]),
  row("show <pid>"),
  row("run <agent> [input]", [
    ["-c, --cap <capability...>", "narrow (repeatable)"],
    ["--no-test", "do not test it"],
  ]),
  row("approvals"),
  row("approvals show <id>"),
  row("mcp add <name> [command...]"),
  row("mcp ls"),
];

const read = (...words: string[]): CommandLineResult => readLine(rows, words);
const called = (...words: string[]) => {
  const line = read(...words);
  if (line.kind !== "call") throw new Error(`${line.kind}, and no call`);
  return { usage: line.row.usage, args: line.args, given: line.given };
};
const refused = (...words: string[]): string => {
  try {
    read(...words);
  } catch (error) {
    if (error instanceof SysError) return `${error.code} ${error.message} | ${error.hint}`;
  }
  return "was read";
};

test.each([
  ["ps --limit 3", { limit: "3" }],
  ["ps --limit=3", { limit: "3" }],
  ["ps -n 3", { limit: "3" }],
  ["ps -n3", { limit: "3" }],
  ["ps -an3", { all: true, limit: "3" }],
  ["ps -a --dry-run", { all: true, dryRun: true }],
  ["ps -o json", { output: "json" }],
  ["ps -ojson", { output: "json" }],
  ["-o json ps", { output: "json" }],
  ["--output=name ps -a", { output: "name", all: true }],
])("aos %s is read with its options", (line, given) => {
  expect(called(...line.split(" ")).given).toEqual(given);
});

test("an option that may be repeated is a list, and one that says no is yes unless said", () => {
  expect(called("run", "x", "-c", "a:b", "--cap=-c").given).toEqual({
    cap: ["a:b", "-c"],
    test: true,
  });
  expect(called("run", "x", "--no-test").given).toEqual({ test: false });
});

test("the row with the most names is meant", () => {
  expect(called("approvals").usage).toBe("approvals");
  expect(called("approvals", "show", "q_1")).toMatchObject({
    usage: "approvals show <id>",
    args: ["q_1"],
  });
});

test("after -- words are arguments, also with a format before the command (READ-LINE-2)", () => {
  expect(called("-o", "json", "mcp", "add", "docs", "--", "server", "--help", "-x")).toEqual({
    usage: "mcp add <name> [command...]",
    args: ["docs", "server", "--help", "-x"],
    given: { output: "json" },
  });
  expect(called("run", "x", "-").args).toEqual(["x", "-"]);
});

test.each([
  ["", [], false],
  ["--help", [], true],
  ["help", [], true],
  ["help mcp", ["mcp"], true],
  ["help mcp add", ["mcp", "add"], true],
  ["mcp", ["mcp"], false],
  ["mcp -h", ["mcp"], true],
  ["mcp add x --help", ["mcp", "add"], true],
  ["ps --all --help", ["ps"], true],
])("aos %s is a page", (line, names, isAsked) => {
  const words = line === "" ? [] : line.split(" ");

  expect(read(...words)).toEqual({ kind: "help", names, isAsked });
});

test.each([
  ["sp", "EINVAL unknown command 'sp' | did you mean `aos ps`? see `aos --help`"],
  ["mcp lss", "EINVAL unknown command 'lss' | did you mean `aos mcp ls`? see `aos mcp --help`"],
  ["help shwo", "EINVAL unknown command 'shwo' | did you mean `aos show`? see `aos --help`"],
  ["quuxify", "EINVAL unknown command 'quuxify' | see `aos --help`"],
  ["ps --lmit 3", "EINVAL unknown option '--lmit' | did you mean --limit? see `aos ps --help`"],
  ["ps -x", "EINVAL unknown option '-x' | see `aos ps --help`"],
  ["ps --all=yes", "EINVAL option '--all' takes no value | see `aos ps --help`"],
  ["ps --limit", "EINVAL option '-n, --limit <count>' argument missing | see `aos ps --help`"],
  [
    "ps -o jsn",
    "EINVAL option '-o, --output <format>' argument 'jsn' is invalid. Allowed choices are json, yaml, wide, name. | did you mean json? see `aos ps --help`",
  ],
  ["show", "EINVAL missing required argument 'pid' | see `aos show --help`"],
  [
    "show a b",
    "EINVAL too many arguments for 'show'. Expected 1 argument but got 2: a, b. | put an argument with spaces in quotes; see `aos show --help`",
  ],
])("aos %s is refused (READ-LINE-1)", (line, said) => {
  expect(refused(...line.split(" "))).toBe(said);
});
