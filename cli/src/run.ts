// Run: from the command line to an exit code.

import { SysError } from "@aos/protocol/failures";
import type { CommandCall, CommandRow, Options } from "./command.ts";
import { readLine, type ParsedOptions, type CommandLineResult } from "./line/read-line.ts";
import { namesOf } from "./line/shape.ts";
import { createOutput, printFailure, writeToStdout, type Format } from "./output.ts";
import { endpointOf } from "./endpoint.ts";
import { processRows } from "./process-rows.ts";
import { spellSignals } from "./spell-signals.ts";

const USAGE_EXIT = 2;

export async function runCommandLine(words: readonly string[]): Promise<number> {
  let line: CommandLineResult | undefined;
  try {
    const spelled = spellSignals(words);
    line = readLine(await rowsFor(spelled), spelled);
    return await follow(line);
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    return printFailure(line?.kind === "call" ? withPage(error, line.row) : error, formatIn(words));
  }
}

/** PROCESS-ROWS-1 of process-rows.ts: all other rows are loaded only for who needs them. */
const rowsFor = async ([first]: readonly string[]): Promise<readonly CommandRow[]> =>
  processRows.some((row) => namesOf(row)[0] === first)
    ? processRows
    : (await import("./commands.ts")).commands;

/** Who was told something wrong, and not what would be right, is shown the page. */
function withPage(error: SysError, row: CommandRow): SysError {
  if (error.hint !== undefined || error.code !== "EINVAL") return error;
  const hint = `see \`aos ${namesOf(row).join(" ")} --help\``;
  return SysError.from({ ...error.toText(), hint });
}

async function follow(line: CommandLineResult): Promise<number> {
  if (line.kind === "call") return call(line.row, line.args, line.given);
  if (line.kind === "version") {
    const { CLI_VERSION } = await import("./version.ts");
    await writeToStdout(`${CLI_VERSION}\n`);
    return 0;
  }
  const { commands, firstExamples, nouns } = await import("./commands.ts");
  const { helpGroups } = await import("./help-groups.ts");
  const { helpPage } = await import("./line/help-page.ts");
  const source = { rows: commands, nouns, groups: helpGroups, examples: firstExamples };
  const page = helpPage(source, line.names);
  // A page that nobody asked for is no data.
  if (line.isAsked) await writeToStdout(`${page}\n`);
  else process.stderr.write(`${page}\n`);
  return line.isAsked ? 0 : USAGE_EXIT;
}

async function call(
  row: CommandRow,
  args: readonly string[],
  given: ParsedOptions,
): Promise<number> {
  const request = given["output"];
  const isWide = request === "wide" || given["wide"] === true;
  const format: Format = request === undefined || request === "wide" ? "text" : (request as Format);
  const out = createOutput({ format, isWide, names: row.names });
  const endpoint = endpointOf(process.env);
  const { connectTo } = await import("./connection.ts");
  const client = connectTo(endpoint, { startsDaemon: row.startsDaemon, note: out.note });
  const { default: command } = await row.load();
  const made: CommandCall = { args, options: optionsOf(given), client, endpoint, out };
  if (given["watch"] !== true) return (await command(made)) ?? 0;
  const { watch } = await import("./watch.ts");
  return watch(command, made, row);
}

function optionsOf(given: ParsedOptions): Options {
  return {
    text: (name) => given[name] as string | undefined,
    texts: (name) => (given[name] as string[] | undefined) ?? [],
    flag: (name) => given[name] === true,
  };
}

/** The format of a failure that came before the options were read. */
function formatIn(words: readonly string[]): Format {
  const at = words.findIndex((word) => word === "-o" || word === "--output");
  const named = at < 0 ? words.find((word) => /^(-o|--output=)json$/.test(word)) : words[at + 1];
  return named?.endsWith("json") ? "json" : "text";
}
