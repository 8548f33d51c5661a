// The help of a command that is an operation is read off the operation's row: its summary, and the words of each
// option that is an argument of the operation. What a command says in its own words is listed here with the reason.

import { operationHelp } from "@aos/protocol/help";
import { commands, commandShape } from "@aos/cli/parts";
import { describe, expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

/** Commands that call one operation and do less, or something beside it. */
const OWN_SUMMARY: Readonly<Record<string, string>> = {
  approve: "asks about one question after another",
  attach: "the operation only tells which kind of agent it is",
  "ctx ls": "also the files of one collection",
  "ctx rm": "the part of the operation that removes",
  down: "the operation only tells whether a daemon answers",
  "fleet create": "refused where there is one",
  "goal prioritize": "a goal and its subtasks",
  "mcp serve": "an MCP server in the terminal",
  "mcp show": "one of the operation's list",
  "mem export": "writes a file",
  "mem import": "reads a file",
  "mem ls": "the half of the operation that lists",
  "mem read": "the half of the operation that reads",
  "mem reject": "removes only what is in quarantine",
  "msg redrive": "several at once",
  pause: "one of the signals",
  "plan show": "the plan of the goal",
  ps: "without ended processes",
  resume: "one of the signals",
  submit: "an agent or a goal",
  up: "the operation only tells whether a daemon answers",
};

/** Options that take another form than the argument of the same name. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  "debug --result": "goes with --edit",
  "mcp add --env": "one variable, repeatable",
  "pipe --input": "text, a file or standard input",
  "schedule create --tenant": "the schedule's tenant is that of its runs",
};

/** A duration or a time on every command line; the operation takes a time. */
const TIMES: ReadonlySet<string> = new Set(["--since", "--until"]);

type Help = Readonly<
  Record<string, { readonly summary: string; readonly args: Readonly<Record<string, string>> }>
>;
const help: Help = operationHelp;

const sources = new Map(sourceFiles().map(({ path, lines }) => [path, lines.join("\n")]));

/** The operations that the code of a command calls. */
function operationsOf(load: string): string[] {
  const file = /"[^"]*?\b(commands\/[\w-]+\.ts)"/.exec(load);
  const source = file === null ? load : sources.get(`cli/src/${file[1]}`)!;
  const called = [...source.matchAll(/client\s*\.(\w+)\(/g)].map(([, name]) => name!);
  return [...new Set(called)].filter((name) => name in help);
}

const camelCase = (flag: string): string =>
  flag.replace(/^--/, "").replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
/** Without the full stop, and without what is said in parentheses at its end. */
const stem = (words: string): string => words.replace(/\.$/, "").replace(/ \([^)]*\)$/, "");

const rows = commands.map((row) => {
  const { names } = commandShape(row);
  return { row, name: names.join(" "), called: operationsOf(String(row.load)) };
});

describe("the help of a command is that of its operation", () => {
  test("its summary", () => {
    const own = rows.filter(
      ({ row, called }) =>
        called.length === 1 && !row.summary.startsWith(stem(help[called[0]!]!.summary)),
    );

    expect(own.map(({ name }) => name).toSorted()).toEqual(Object.keys(OWN_SUMMARY).toSorted());
  });

  test("its options", () => {
    const own = rows.flatMap(({ row, name, called }) =>
      (row.options ?? []).flatMap(([flags, what]) => {
        const flag = /--[\w-]+/.exec(flags)?.[0] ?? "";
        if (TIMES.has(flag)) return [];
        const words = called.flatMap((operation) => help[operation]!.args[camelCase(flag)] ?? []);
        const isTheirs = words.length === 0 || words.some((said) => what.startsWith(stem(said)));
        return isTheirs ? [] : [`${name} ${flag}`];
      }),
    );

    expect(own.toSorted()).toEqual(Object.keys(OWN_WORDS).toSorted());
  });
});
