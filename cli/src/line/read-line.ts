// ReadLine: parses the command line into a row and its arguments.
//
// READ-LINE-1  Every word is used or refused: an unknown word is an error with a suggestion, never ignored.
// READ-LINE-2  After `--` all words are arguments.

import { SysError } from "@aos/protocol/failures";
import { nearest } from "@aos/protocol/nearest";
import type { CommandRow } from "../command.ts";
import { adviceFor, ownWords } from "./synonyms.ts";
import { formats, namesOf, commandShape, type OptionShape, type CommandShape } from "./shape.ts";

export type ParsedOptions = Record<string, string | string[] | boolean>;

export type CommandLineResult =
  | {
      readonly kind: "call";
      readonly row: CommandRow;
      readonly args: string[];
      given: ParsedOptions;
    }
  /** The page of these words; `isAsked` unless it stands for a command that is missing. */
  | { readonly kind: "help"; readonly names: readonly string[]; readonly isAsked: boolean }
  | { readonly kind: "version" };

export function readLine(rows: readonly CommandRow[], typed: readonly string[]): CommandLineResult {
  const [format, words] = leadingFormat(typed);
  const [first] = words;
  if (first === undefined) return { kind: "help", names: [], isAsked: false };
  if (first === "-V" || first === "--version") return { kind: "version" };
  if (first === "help") return helpFor(rows, words.slice(1));
  if (isHelp(first)) return { kind: "help", names: [], isAsked: true };

  const row = findRow(rows, words);
  if (row !== undefined) return readCall(row, [...format, ...words.slice(namesOf(row).length)]);
  const own = ownWords(rows, words);
  if (own !== undefined) return readLine(rows, [...format, ...own]);
  const [noun = "", next] = words;
  const below = rows.filter((other) => namesOf(other)[0] === noun);
  if (below.length > 0 && (next === undefined || isHelp(next)))
    return { kind: "help", names: [noun], isAsked: next !== undefined };
  throw unknownCommand(below.length > 0 ? [noun, next ?? ""] : [noun], rows);
}

/** The row whose names stand at the beginning: the one with the most of them. */
export const findRow = (
  rows: readonly CommandRow[],
  words: readonly string[],
): CommandRow | undefined =>
  rows
    .filter((row) => namesOf(row).every((name, at) => words[at] === name))
    .toSorted((one, other) => namesOf(other).length - namesOf(one).length)[0];

function helpFor(rows: readonly CommandRow[], words: readonly string[]): CommandLineResult {
  const names = words.filter((word) => !isHelp(word));
  const isKnown = rows.some((row) => names.every((name, at) => namesOf(row)[at] === name));
  if (!isKnown) throw unknownCommand(names, rows);
  return { kind: "help", names, isAsked: true };
}

function readCall(row: CommandRow, words: readonly string[]): CommandLineResult {
  const shape = commandShape(row);
  const args: string[] = [];
  const given: ParsedOptions = {};
  for (const { key, isNegative } of shape.options) if (isNegative) given[key] = true;
  const left = [...words];
  while (left.length > 0) {
    const word = left.shift()!;
    if (word === "--") args.push(...left.splice(0));
    else if (isHelp(word)) return { kind: "help", names: shape.names, isAsked: true };
    else if (!word.startsWith("-") || word === "-") args.push(word);
    else take(shape, word, left, given);
  }
  checkArguments(shape, args);
  return { kind: "call", row, args, given };
}

/** One option, in any of its spellings: `--limit 3`, `--limit=3`, `-n 3`, `-n3`, `-an3`. */
function take(shape: CommandShape, word: string, left: string[], given: ParsedOptions): void {
  const [, name = word, inside] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? /^(-.)(.+)?$/s.exec(word)!;
  const option = shape.options.find(({ long, short }) => name === long || name === short);
  if (option === undefined) throw unknownOption(shape, name);
  if (option.value === undefined) {
    if (inside !== undefined && word.startsWith("--"))
      throw usageError(`option '${option.long}' takes no value`, shape.names);
    given[option.key] = !option.isNegative;
    if (inside !== undefined) left.unshift(`-${inside}`);
    return;
  }
  const value = inside ?? left.shift();
  if (value === undefined) {
    throw usageError(`option '${option.flags}' argument missing`, shape.names);
  }
  if (option.key === "output") checkFormat(value, option, shape);
  const held = given[option.key];
  given[option.key] = option.isMany ? [...(Array.isArray(held) ? held : []), value] : value;
}

function checkFormat(value: string, { flags }: OptionShape, { names }: CommandShape): void {
  if ((formats as readonly string[]).includes(value)) return;
  const meant = nearest(value, formats);
  throw usageError(
    `option '${flags}' argument '${value}' is invalid. Allowed choices are ${formats.join(", ")}.`,
    names,
    meant && `did you mean ${meant}?`,
  );
}

function checkArguments({ names, args: wanted }: CommandShape, args: readonly string[]): void {
  const missing = wanted.find(({ isRequired }, at) => isRequired && args[at] === undefined);
  if (missing !== undefined) throw usageError(`missing required argument '${missing.name}'`, names);
  if (wanted.at(-1)?.isMany || args.length <= wanted.length) return;
  throw usageError(
    `too many arguments for '${names.join(" ")}'. Expected ${wanted.length} argument${wanted.length === 1 ? "" : "s"} but got ${args.length}: ${args.join(", ")}.`,
    names,
    "put an argument with spaces in quotes;",
  );
}

function unknownCommand(names: readonly string[], rows: readonly CommandRow[]): SysError {
  const at = names.length - 1;
  const beside = rows
    .map(namesOf)
    .filter((other) => names.slice(0, at).every((n, i) => other[i] === n));
  const meant = nearest(names[at] ?? "", [...new Set(beside.flatMap((other) => other[at] ?? []))]);
  const above = names.slice(0, at);
  const instead = at === 0 ? adviceFor(names[0] ?? "") : undefined;
  if (instead !== undefined) return usageError(`unknown command '${names[0]}'`, [], instead);
  return usageError(
    `unknown command '${names[at]}'`,
    above,
    meant && `did you mean \`aos ${[...above, meant].join(" ")}\`?`,
  );
}

function unknownOption({ names, options }: CommandShape, name: string): SysError {
  const meant = nearest(name, [...options.map(({ long }) => long), "--help"]);
  return usageError(`unknown option '${name}'`, names, meant && `did you mean ${meant}?`);
}

function usageError(message: string, names: readonly string[], advice?: string): SysError {
  const see = `see \`aos ${[...names, "--help"].join(" ")}\``;
  return new SysError("EINVAL", message, { hint: advice ? `${advice} ${see}` : see });
}

const isHelp = (word: string): boolean => word === "-h" || word === "--help";

/** `aos -o json ps`: a format may stand before the command, too. */
function leadingFormat(words: readonly string[]): [format: string[], rest: readonly string[]] {
  const [first = ""] = words;
  const count = /^(--output=.+|-o.+)$/.test(first) ? 1 : /^(--output|-o)$/.test(first) ? 2 : 0;
  return [words.slice(0, count), words.slice(count)];
}
