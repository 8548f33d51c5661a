// Output: data goes to standard output, everything else to standard error.
//
// P1  With `-o json` or `-o yaml` standard output holds one document (or one a line, for streams).

import { failures, type SysError } from "@aos/protocol/words";

export type Format = "text" | "json" | "yaml";

export interface Output {
  readonly format: Format;
  /** Standard output is a terminal that a person reads. */
  readonly terminal: boolean;
  /** One value; `human` makes the text for people. */
  data(value: unknown, human: () => string): Promise<void>;
  /** One value of a stream of them. */
  line(value: unknown, human?: () => string): Promise<void>;
  /** A word to the person at the terminal; never data. */
  readonly note: (text: string) => void;
}

export function createOutput(format: Format): Output {
  const yaml = async (value: unknown) => (await import("yaml")).stringify(value);
  return {
    format,
    terminal: process.stdout.isTTY,
    async data(value, human) {
      if (format === "json") return write(`${JSON.stringify(value, null, 2)}\n`);
      if (format === "yaml") return write(await yaml(value));
      const text = human();
      if (text !== "") await write(text.endsWith("\n") ? text : `${text}\n`);
    },
    async line(value, human) {
      if (format === "yaml") return write(`---\n${await yaml(value)}`);
      const text = format === "text" && human !== undefined ? human() : JSON.stringify(value);
      await write(`${text}\n`);
    },
    note: (text) => void process.stderr.write(`aos: ${text}\n`),
  };
}

/** Says what went wrong; returns the exit code for it. */
export function printFailure(error: SysError, format: Format): number {
  const { code, message, hint, retryAfter } = error;
  if (format === "json") {
    const told = {
      code,
      message,
      hint: hint ?? null,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    };
    process.stderr.write(`${JSON.stringify({ error: told })}\n`);
  } else {
    process.stderr.write(`aos: ${message}\n`);
    if (hint !== undefined) process.stderr.write(`hint: ${hint}\n`);
  }
  return failures[code].exit;
}

/** Waits for the reader, so that a long output is whole and memory stays small. */
function write(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
