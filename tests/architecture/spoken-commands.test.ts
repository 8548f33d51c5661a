// The documents speak of what can be typed and asked for: every command, every flag, every route and every exit code
// that one names is there.

import { API_ROOT, exitCodes, routes } from "@aos/protocol";
import { expect, test } from "vitest";
import { commands, commandShape } from "@aos/cli/parts";
import { readLines, sourceFiles, type SourceFile } from "./source-files.ts";

/** Where a command begins: a line of an example, a backquote, a pipe, or what runs it. */
const COMMAND = /(?:^\s*(?:\$ )?|`|npx |\| |&& |; |\$\()aos ((?:[a-z][a-z-]*)(?: [^`|;&#)]*)?)/g;
const FLAG = /(?:^|\s)(--[a-z][a-z-]*)/g;
const ROUTE = new RegExp(`\`(?:GET|POST) ${API_ROOT}(/[a-zA-Z0-9/:._-]*)\``, "g");
const EVERYWHERE = new Set(["--help", "--version"]);

const rows = commands.map((row) => {
  const { names, options } = commandShape(row);
  return { words: names, flags: new Set(options.map(({ long }) => long)) };
});
const firsts = new Set(rows.map(({ words }) => words[0]));
const SAME: Readonly<Record<string, string>> = { list: "ls", tools: "tool" };

function problemsIn(line: string): string[] {
  return [...line.matchAll(COMMAND)].flatMap(([, said = ""]) => {
    const [first = "", second = "", ...rest] = said.trim().split(/\s+/);
    if (first === "help") return [];
    if (!firsts.has(first)) return [`there is no command aos ${first}`];
    const alike = rows.filter(({ words }) => words[0] === first);
    const pair = alike.find(({ words }) => words[1] === (SAME[second] ?? second));
    const one = alike.find(({ words }) => words.length === 1);
    const row = pair ?? one;
    if (row === undefined)
      return /^[a-z]/.test(second) ? [`there is no command aos ${first} ${second}`] : [];
    const beyond = [second, ...rest].join(" ").split(" -- ")[0]!;
    return [...beyond.matchAll(FLAG)]
      .filter(
        ([, flag]) =>
          !row.flags.has(flag!) && !EVERYWHERE.has(flag!) && !isNegated(flag!, row.flags),
      )
      .map(([, flag]) => `aos ${row.words.join(" ")} has no ${flag}`);
  });
}

const isNegated = (flag: string, flags: ReadonlySet<string>): boolean =>
  flag.startsWith("--no-") && flags.has(flag.replace("--no-", "--"));

const documents = (files: readonly SourceFile[]) =>
  files.filter(({ path }) => path.endsWith(".md"));

const findIn = (files: readonly SourceFile[], look: (line: string) => string[]): string[] =>
  documents(files).flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => look(line).map((what) => `${path}:${index + 1}: ${what}`)),
  );

/** Streams of events are no rows: they have no end that a client could wait for. */
const EVENTS = ["/events", "/processes/:/events"];
const shapes = new Set([
  ...EVENTS,
  ...Object.values(routes).map(({ path }) => path.replaceAll(/:[a-zA-Z]+/g, ":")),
]);

const routesIn = (line: string): string[] =>
  [...line.matchAll(ROUTE)]
    .map(([, path]) => path!)
    .filter((path) => !shapes.has(path.replaceAll(/:[a-zA-Z]+|[A-Z]{2,}/g, ":")))
    .map((path) => `there is no route ${path}`);

test("every command and flag that a document names is there", () => {
  expect(findIn(sourceFiles(), problemsIn)).toEqual([]);
});

test("every route that a document names is there", () => {
  expect(findIn(sourceFiles(), routesIn)).toEqual([]);
});

test("the documents' exit codes are those that there are", () => {
  const page = sourceFiles().find(({ path }) => path === "docs/cli.md")!;
  const from = page.lines.indexOf("## Exit codes");
  const table = page.lines
    .slice(from, from + 20)
    .filter((line) => line.startsWith("|"))
    .join("\n");

  const said = [...table.matchAll(/\| ((?:\d+(?:, )?)+) /g)].flatMap(([, codes]) =>
    codes!.split(", ").map(Number),
  );

  expect(said.toSorted((a, b) => a - b)).toEqual(
    Object.values(exitCodes).toSorted((a, b) => a - b),
  );
});

test("a document that names what is not there is found", () => {
  const page = readLines(
    "docs/made-up.md",
    "run `aos descend agt_1`\n    aos ps --upside-down\n`GET /api/v1/nowhere`",
  );

  expect([...findIn([page], problemsIn), ...findIn([page], routesIn)]).toEqual([
    "docs/made-up.md:1: there is no command aos descend",
    "docs/made-up.md:2: aos ps has no --upside-down",
    "docs/made-up.md:3: there is no route /nowhere",
  ]);
});
