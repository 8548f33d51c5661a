// CommandShape: the parsed usage and options of a row.

import type { CommandRow } from "../command.ts";

export interface Argument {
  readonly name: string;
  readonly isRequired: boolean;
  /** Takes all that is left. */
  readonly isMany: boolean;
}

export interface OptionShape {
  /** As in the help: `-n, --limit <count>`. */
  readonly flags: string;
  readonly what: string;
  /** `--limit` */
  readonly long: string;
  /** `-n` */
  readonly short: string | undefined;
  /** `limit`: what the command's code asks for. */
  readonly key: string;
  /** `count`; without it the option is a flag. */
  readonly value: string | undefined;
  /** `--no-test` says that `test` is not so; it is so unless said. */
  readonly isNegative: boolean;
  /** `--cap <capability...>`: each time adds one. */
  readonly isMany: boolean;
}

export interface CommandShape {
  /** `[audit, verify]` */
  readonly names: readonly string[];
  readonly args: readonly Argument[];
  readonly options: readonly OptionShape[];
}

export const formats = ["json", "yaml", "wide", "name"] as const;

const outputOption = [
  "-o, --output <format>",
  `${formats.join(", ")}: machine-readable data, more columns, or only names`,
] as const;

const watchOptions = [
  ["--watch", "refresh until interrupted; with -o json print a line for each change"],
  ["--every <duration>", "with --watch: the interval (default: 1s)"],
] as const;

export const helpOption = ["-h, --help", "show this help"] as const;

export function commandShape(row: CommandRow): CommandShape {
  const words = row.usage.split(" ");
  const isName = (word: string) => !/^[<[]/.test(word);
  const options = [...(row.options ?? []), ...(row.watches ? watchOptions : []), outputOption];
  return {
    names: words.filter(isName),
    args: words.filter((word) => !isName(word)).map(argumentOf),
    options: options.map(optionOf),
  };
}

/** The words that stand before its arguments. */
export const namesOf = (row: CommandRow): string[] =>
  row.usage.split(" ").filter((word) => !/^[<[]/.test(word));

function argumentOf(word: string): Argument {
  const inside = word.slice(1, -1);
  return {
    name: inside.replace(/\.{3}$/, ""),
    isRequired: word.startsWith("<"),
    isMany: inside.endsWith("..."),
  };
}

function optionOf([flags, what]: readonly [string, string]): OptionShape {
  const long = /--[a-z-]+/.exec(flags)![0];
  const isNegative = long.startsWith("--no-");
  return {
    flags,
    what,
    long,
    short: /^-\w(?=,)/.exec(flags)?.[0],
    key: camelCase(long.slice(isNegative ? 5 : 2)),
    value: /<(.+?)(?:\.{3})?>$/.exec(flags)?.[1],
    isNegative,
    isMany: flags.endsWith("...>"),
  };
}

const camelCase = (name: string): string =>
  name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
