// Exit: interprets bubblewrap's exit code.

import { constants } from "node:os";
import type { TranslatedExit } from "./launch.ts";
import type { NotStarted } from "./sandbox.ts";

/**
 * bubblewrap ends with 128 + the signal that ended the program. Programs have codes above 128 of their
 * own, too (git's 129), so only signals that end programs in practice are read that way.
 */
const ENDING_SIGNALS = [
  ...([
    "SIGINT",
    "SIGQUIT",
    "SIGILL",
    "SIGTRAP",
    "SIGABRT",
    "SIGBUS",
    "SIGFPE",
    "SIGKILL",
  ] as const),
  ...(["SIGSEGV", "SIGPIPE", "SIGTERM", "SIGXCPU", "SIGXFSZ", "SIGSYS"] as const),
];
const signalOfCode = new Map(ENDING_SIGNALS.map((name) => [128 + constants.signals[name], name]));

/** bubblewrap has no exit code for it, only a message. A program that prints the same message gains nothing. */
const NOT_STARTED = /^bwrap: execvp (.*): (?:(No such file or directory)|Permission denied)\n$/s;

const NOT_STARTED_ENDS = {
  "not-found": { code: 127, words: "the program was not found in the sandbox" },
  "not-executable": { code: 126, words: "the program is not executable" },
} as const;

export function translateExit(code: number, stderr: string): TranslatedExit {
  const notStarted = code === 1 ? notStartedOf(stderr) : undefined;
  if (notStarted !== undefined) {
    const { code, words } = NOT_STARTED_ENDS[notStarted.reason];
    return { code, signal: null, notStarted, stderr: `${notStarted.program}: ${words}\n` };
  }
  const signal = signalOfCode.get(code);
  return signal === undefined ? { code, signal: null } : { code: null, signal };
}

function notStartedOf(stderr: string): NotStarted | undefined {
  const [, program, missing] = NOT_STARTED.exec(stderr) ?? [];
  if (program === undefined) return undefined;
  return { program, reason: missing === undefined ? "not-executable" : "not-found" };
}
