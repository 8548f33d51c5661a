// HelpPage: generates `--help` of everything, of a noun and of a command from the rows.
//
// HELP-PAGE-1  Every page ends with examples.

import type { CommandRow } from "../command.ts";
import type { HelpGroup } from "../help-groups.ts";
import { findRow } from "./read-line.ts";
import { helpOption, namesOf, commandShape } from "./shape.ts";

const WIDTH = 80;
const GAP = 2;

type Pair = readonly [left: string, right: string];

export interface HelpSource {
  readonly rows: readonly CommandRow[];
  /** What stands above commands of two words. */
  readonly nouns: Readonly<Record<string, string>>;
  /** How the first page arranges the commands. */
  readonly groups: readonly HelpGroup[];
  /** The first page's own. */
  readonly examples: readonly string[];
}

export function helpPage(source: HelpSource, names: readonly string[]): string {
  if (names.length === 0) return firstPage(source);
  const row = source.rows.find((other) => namesOf(other).join(" ") === names.join(" "));
  return row === undefined ? nounPage(source, names) : rowPage(source, row);
}

function firstPage({ rows, nouns, groups, examples }: HelpSource): string {
  const pairOf = (word: string): Pair => {
    // A word that is a command and above others is told as the command.
    const own = findRow(rows, [word]);
    return own === undefined ? [`${word} …`, nouns[word] ?? ""] : [own.usage, own.summary];
  };
  const left = leftOf(groups.flatMap(({ commands }) => commands.map(pairOf)));
  return page([
    "Usage: aos COMMAND [options]",
    "An operating system for AI agents.",
    ...groups.map(({ title, commands }) => section(title, commands.map(pairOf), left)),
    section("Options", [["-V, --version", "print the version"], helpOption]),
    "Run `aos COMMAND --help` for the options and examples of a command.",
    exampleLines(examples),
  ]);
}

function nounPage({ rows, nouns }: HelpSource, names: readonly string[]): string {
  const below = belowOf(rows, names);
  return page([
    `Usage: aos ${names.join(" ")} COMMAND [options]`,
    nouns[names.join(" ")] ?? "",
    commandLines(below, names),
    section("Options", [helpOption]),
    exampleLines(below.flatMap(({ examples }) => examples.slice(0, 1))),
  ]);
}

function rowPage({ rows }: HelpSource, row: CommandRow): string {
  const { names, options } = commandShape(row);
  const below = belowOf(rows, names);
  return page([
    `Usage: aos ${row.usage.replace(names.join(" "), `${names.join(" ")} [options]`)}`,
    [row.summary, row.description ?? ""].join(" ").trim(),
    section("Options", [...options.map(({ flags, what }): Pair => [flags, what]), helpOption]),
    below.length === 0 ? "" : commandLines(below, names),
    exampleLines(row.examples),
  ]);
}

const belowOf = (rows: readonly CommandRow[], names: readonly string[]): CommandRow[] =>
  rows.filter((row) => {
    const own = namesOf(row);
    return own.length > names.length && names.every((name, at) => own[at] === name);
  });

const commandLines = (rows: readonly CommandRow[], above: readonly string[]): string =>
  section(
    "Commands",
    rows.map(({ usage, summary }) => [usage.slice(above.join(" ").length + 1), summary]),
  );

const exampleLines = (examples: readonly string[]): string =>
  ["Examples:", ...examples.map((line) => `  $ ${line}`)].join("\n");

const leftOf = (pairs: readonly Pair[]): number =>
  Math.min(30, Math.max(...pairs.map(([name]) => name.length)));

function section(title: string, pairs: readonly Pair[], left = leftOf(pairs)): string {
  const indent = " ".repeat(left + 2 * GAP);
  const lines = pairs.map(([name, what]) => {
    const text = wrapped(what, WIDTH - indent.length).join(`\n${indent}`);
    return name.length > left ? `  ${name}\n${indent}${text}` : `  ${name.padEnd(left)}  ${text}`;
  });
  return [`${title}:`, ...lines].join("\n");
}

const page = (parts: readonly string[]): string =>
  parts
    .filter((part) => part !== "")
    .map((part) => (part.includes("\n") ? part : wrapped(part, WIDTH).join("\n")))
    .join("\n\n");

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
