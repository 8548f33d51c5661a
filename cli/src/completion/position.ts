// Position: which argument or option of which row is being completed.

import type { CommandRow } from "../command.ts";
import { findRow } from "../line/read-line.ts";
import { namesOf, commandShape, type OptionShape } from "../line/shape.ts";
import type { Candidate } from "./sources.ts";

interface Here {
  /** What is there already of the value. */
  readonly typed: string;
  /** What stands before the value in the same word: `--output=`. */
  readonly before: string;
  /** Words that fit here, whatever else does. */
  readonly words: readonly Candidate[];
}

export type Position = Here &
  (
    | { readonly kind: "words" }
    | { readonly kind: "argument"; readonly row: CommandRow; readonly argument: string }
    | { readonly kind: "value"; readonly row: CommandRow; readonly option: OptionShape }
  );

/** The last of the words is the one that is being typed. */
export function positionOf(
  rows: readonly CommandRow[],
  nouns: Readonly<Record<string, string>>,
  given: readonly string[],
): Position {
  const isHelp = given.length > 1 && given[0] === "help";
  const words = isHelp ? given.slice(1) : given;
  const typed = words.at(-1) ?? "";
  const done = words.slice(0, -1);
  const next = nextNames(rows, nouns, done);
  const row = isHelp ? undefined : findRow(rows, done);
  if (row === undefined) {
    const help: Candidate = ["help", "Show the help of a command."];
    const isFirst = done.length === 0 && !isHelp;
    return { kind: "words", typed, before: "", words: isFirst ? [...next, help] : next };
  }
  const position = positionIn(row, done.slice(namesOf(row).length), typed);
  return { ...position, words: [...next, ...position.words] };
}

/** Words that may follow these: commands, and nouns above commands. */
function nextNames(
  rows: readonly CommandRow[],
  nouns: Readonly<Record<string, string>>,
  done: readonly string[],
): Candidate[] {
  const found = new Map<string, string>();
  for (const row of rows) {
    const names = namesOf(row);
    const name = names[done.length];
    if (name === undefined || !done.every((word, at) => names[at] === word)) continue;
    const isLast = names.length === done.length + 1;
    if (isLast || !found.has(name)) found.set(name, isLast ? row.summary : (nouns[name] ?? ""));
  }
  return [...found];
}

function positionIn(row: CommandRow, done: readonly string[], typed: string): Position {
  const { args, options } = commandShape(row);
  const byName = (name: string) =>
    options.find(({ long, short }) => name === long || name === short);
  let count = 0;
  let open: OptionShape | undefined;
  let isOver = false;
  for (const word of done) {
    if (open !== undefined) open = undefined;
    else if (isOver || !word.startsWith("-") || word === "-") count += 1;
    else if (word === "--") isOver = true;
    else {
      const option = byName(word);
      if (option?.value !== undefined) open = option;
    }
  }
  const here = { row, typed, before: "", words: [] };
  if (open !== undefined) return { ...here, kind: "value", option: open };
  const [, name = "", value = ""] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? [];
  const named = byName(name);
  if (!isOver && named?.value !== undefined)
    return { ...here, kind: "value", option: named, typed: value, before: `${name}=` };
  if (!isOver && typed.startsWith("-"))
    return { ...here, kind: "words", words: left(options, done) };
  const argument = args[count] ?? (args.at(-1)?.isMany ? args.at(-1) : undefined);
  if (argument === undefined) return { ...here, kind: "words" };
  return { ...here, kind: "argument", argument: argument.name };
}

/** Options that are not there yet, or may be there again. */
function left(options: readonly OptionShape[], done: readonly string[]): Candidate[] {
  const isDone = ({ long, short }: OptionShape) =>
    done.some((word) => word === long || word === short);
  const open = options.filter((option) => option.isMany || !isDone(option));
  return [...open.map(({ long, what }): Candidate => [long, what]), ["--help", "show its help"]];
}
