// Run: from the words on the command line to an exit code.

import { SysError } from "@aos/protocol/words";
import { Command as Parser, CommanderError, Option } from "commander";
import type { CommandRow, Options } from "./command.ts";
import { commands, nouns } from "./commands.ts";
import { createOutput, printFailure, type Format } from "./output.ts";
import { placeOf } from "./place.ts";
import { spellSignals } from "./spell-signals.ts";
import { VERSION } from "./version.ts";

const USAGE_EXIT = 2;

export async function run(words: readonly string[]): Promise<number> {
  let exitCode = 0;
  const parser = createParser(async (row, args, options) => {
    exitCode = await call(row, args, options);
  });
  try {
    await parser.parseAsync(spellSignals(words), { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return usageExit(error, words);
    if (error instanceof SysError) return printFailure(error, formatIn(words));
    throw error;
  }
}

async function call(
  row: CommandRow,
  args: string[],
  given: Record<string, unknown>,
): Promise<number> {
  const out = createOutput((given["output"] as Format | undefined) ?? "text");
  const place = placeOf(process.env);
  const { connectTo } = await import("./connection.ts");
  const client = connectTo(place, { startsDaemon: row.startsDaemon, note: out.note });
  const { command } = await row.load();
  return (await command({ args, options: optionsOf(given), client, place, out })) ?? 0;
}

type OnCall = (row: CommandRow, args: string[], options: Record<string, unknown>) => Promise<void>;

function createParser(onCall: OnCall): Parser {
  const parser = new Parser("aos")
    .description("An operating system for AI agents.")
    .version(VERSION, "-V, --version", "print the version")
    .helpCommand(false)
    // `approvals` is a command, and above others: what comes after `show` is for `show`.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .showSuggestionAfterError()
    .addHelpText(
      "after",
      "\nExamples:\n  $ aos run examples/hello 'Good morning'\n  $ aos ps -a\n  $ aos run --help",
    );
  for (const row of commands) addCommand(parser, row, onCall);
  return parser;
}

function addCommand(parser: Parser, row: CommandRow, onCall: OnCall): void {
  const [names, usage] = splitUsage(row.usage);
  let parent = parser;
  for (const noun of names.slice(0, -1)) {
    const known = parent.commands.find((command) => command.name() === noun);
    parent =
      known ??
      parent
        .command(noun)
        .description(nouns[noun] ?? "")
        .helpCommand(false);
  }
  const command = parent
    .command(`${names.at(-1)} ${usage}`.trim())
    .summary(row.summary)
    .description(row.description === undefined ? row.summary : `${row.summary} ${row.description}`)
    .addHelpText("after", `\nExamples:\n${row.examples.map((line) => `  $ ${line}`).join("\n")}`)
    .action(async (...given: unknown[]) => {
      const args = given
        .slice(0, -2)
        .flat()
        .filter((arg) => arg !== undefined) as string[];
      await onCall(row, args, command.opts());
    });
  for (const [flags, what] of row.options ?? []) {
    const option = new Option(flags, what);
    // `--cap a --cap b`: each time adds one.
    if (what.endsWith("(repeatable)")) {
      option.argParser((text, held: string[] | undefined) => [...(held ?? []), text]);
    }
    command.addOption(option);
  }
  command.addOption(
    new Option("-o, --output <format>", "data for programs").choices(["json", "yaml"]),
  );
}

/** `audit verify <x>` → [audit, verify] and `<x>`. */
function splitUsage(usage: string): [names: string[], rest: string] {
  const words = usage.split(" ");
  const first = words.findIndex((word) => /^[<[]/.test(word));
  const end = first < 0 ? words.length : first;
  return [words.slice(0, end), words.slice(end).join(" ")];
}

function optionsOf(given: Record<string, unknown>): Options {
  return {
    text: (name) => given[name] as string | undefined,
    texts: (name) => (given[name] as string[] | undefined) ?? [],
    flag: (name) => given[name] === true,
  };
}

/** Help and version are no failures; everything else that the parser says is a usage error. */
function usageExit(error: CommanderError, words: readonly string[]): number {
  if (error.exitCode === 0) return 0;
  // With no command at all the parser has printed its help already.
  if (error.code === "commander.help") return USAGE_EXIT;
  const [message, ...more] = error.message.replace(/^error: /, "").split("\n");
  const advice = more
    .join(" ")
    .replace(/^\((.*)\)$/, "$1")
    .trim();
  const known = commands.some(({ usage }) => usage.split(" ")[0] === words[0]);
  const hint = advice === "" ? `see \`aos ${known ? `${words[0]} ` : ""}--help\`` : advice;
  printFailure(new SysError("EINVAL", message ?? "", { hint }), formatIn(words));
  return USAGE_EXIT;
}

/** The format of a failure that came before the options were read. */
function formatIn(words: readonly string[]): Format {
  const at = words.findIndex((word) => word === "-o" || word === "--output");
  const named =
    at < 0 ? words.find((word) => /^(-o|--output=)(json|yaml)$/.test(word)) : words[at + 1];
  return named?.endsWith("json") ? "json" : "text";
}
