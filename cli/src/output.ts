// Output: data goes to standard output, everything else to standard error.
//
// OUTPUT-1  With `-o json` or `-o yaml` standard output holds one document (or one a line, for streams).
// OUTPUT-2  With `-o name` it holds names and nothing else, one a line.
// OUTPUT-3  Text on a terminal cannot move the cursor, hide text or change its direction: it is escaped here,
//           whatever its origin. JSON has the same characters as escapes, wherever it goes.

import { failures, type SysError } from "@aos/protocol/failures";
import { namesIn } from "./names-in.ts";
import { printable, printableStyled } from "./printable.ts";

export type Format = "text" | "json" | "yaml" | "name";

export interface Output {
  readonly format: Format;
  /** Tables have all their columns. */
  readonly isWide: boolean;
  /** Standard output is a terminal that a person reads. */
  readonly terminal: boolean;
  /** One value; `human` makes the text for people. */
  data(value: unknown, human: () => string): Promise<void>;
  /** One value of a stream of them. */
  line(value: unknown, human?: () => string): Promise<void>;
  /** A word to the person at the terminal; never data. */
  readonly note: (text: string) => void;
}

interface OutputOptions {
  readonly format: Format;
  readonly isWide?: boolean;
  /** Where the names are in what is shown: see names-in.ts. */
  readonly names?: string | undefined;
}

export function createOutput({ format, isWide = false, names }: OutputOptions): Output {
  return {
    format,
    isWide,
    terminal: process.stdout.isTTY,
    async data(value, human) {
      if (format === "json") return writeToStdout(`${printable(JSON.stringify(value, null, 2))}\n`);
      if (format === "yaml") return writeToStdout(await yamlOf(value));
      if (format === "name") return writeLines(namesIn(value, names));
      const text = shown(human());
      if (text !== "") await writeToStdout(text.endsWith("\n") ? text : `${text}\n`);
    },
    async line(value, human) {
      if (format === "yaml") return writeToStdout(`---\n${await yamlOf(value)}`);
      if (format === "name") return writeLines(namesIn(value, names));
      const text =
        format === "text" && human !== undefined
          ? shown(human())
          : printable(JSON.stringify(value));
      await writeToStdout(`${text}\n`);
    },
    note: (text) => void process.stderr.write(`aos: ${printableStyled(text)}\n`),
  };
}

/** OUTPUT-3. A pipe gets what there is: it may be data. */
const shown = (text: string): string => (process.stdout.isTTY ? printableStyled(text) : text);

const yamlOf = async (value: unknown): Promise<string> => (await import("yaml")).stringify(value);

const writeLines = (lines: readonly string[]): Promise<void> =>
  writeToStdout(lines.map((line) => `${line}\n`).join(""));

/** Says what went wrong; returns the exit code for it. */
export function printFailure(error: SysError, format: Format): number {
  const { code, message, retryAfter } = error;
  const hint = error.hint ?? usualHints[code] ?? "see `aos help`";
  if (format === "json") {
    const told = { code, message, hint, ...(retryAfter === undefined ? {} : { retryAfter }) };
    process.stderr.write(`${printable(JSON.stringify({ error: told }))}\n`);
  } else {
    process.stderr.write(`aos: ${printable(message)}\nhint: ${printable(hint)}\n`);
  }
  return failures[code].exit;
}

/** What to type next, where whoever failed had no better word. */
const usualHints: Partial<Record<SysError["code"], string>> = {
  EACCES: "`aos caps check` asks for a verdict, `aos caps grant` gives power",
  EPOLICY: "`aos policy show` has the rules that are in force",
  EDENIED: "`aos audit ledger` says who said no",
  EBUDGET: "`aos cost` says where it went; --budget gives a run another one",
  EVELOCITY: "`aos cost` says where it went; it may succeed later",
  EAGAIN: "try again in a moment; `aos top` shows what is in the way",
  ERATE: "try again later; `aos model ls` shows see the state of the models",
  ETIMEDOUT: "`aos top` shows what it waits for; try again with a longer --timeout",
  ENOENT: "`aos ps -a`, `aos tool ls` and `aos model ls` list what there is",
  ESTATE: "`aos show PID` says in which state it is",
  EINDOUBT: "`aos logs PID` shows the call; `aos retry PID --result JSON` says what came of it",
  EUPSTREAM: "`aos logs @last` shows what was asked and answered",
  EINTR: "`aos status` says whether the daemon is up",
  ECORRUPT: "`aos audit verify` names what is not as it was written",
  ESTORE: "`aos doctor` says what is wrong with the store",
  EINTERNAL: "`aos doctor` looks at the daemon, and its log is daemon.log in the home",
};

/** Waits for the reader, so that a long output is whole and memory stays small. */
export function writeToStdout(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
