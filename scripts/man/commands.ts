// Commands: every command as one page, from the rows of the command line.

import { commands } from "../../cli/src/commands.ts";
import type { CommandRow } from "../../cli/src/command.ts";
import { commandShape, namesOf } from "../../cli/src/line/shape.ts";
import { commandOutput } from "./command-output.ts";

export const COMMANDS_PAGE = "commands.md";

export function renderCommands(): string {
  return `${[
    "# Commands",
    "<!-- Made by `npm run man` from the rows in cli/src/ and scripts/man/command-output.ts. -->",
    "Every command of `aos`, its options beside `-o`, and what `-o json` prints. `aos help COMMAND` explains the options; [cli.md](../cli.md) has the conventions.",
    [
      "| command | what it does | options | `-o json` |",
      "| --- | --- | --- | --- |",
      ...commands.map(rowOf),
    ].join("\n"),
  ].join("\n\n")}\n`;
}

const EVERYWHERE = new Set(["--output", "--every"]);

function rowOf(row: CommandRow): string {
  const options = commandShape(row)
    .options.filter(({ long }) => !EVERYWHERE.has(long))
    .map(({ flags }) => `\`${flags}\``);
  const cells = [
    `\`${row.usage}\``,
    row.summary,
    options.join(", "),
    commandOutput[namesOf(row).join(" ")] ?? "",
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`)).join(" | ")} |`;
}
