// Exit: what bubblewrap's exit code says about the program that it ran.

import { constants } from "node:os";

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

const NOT_STARTED = /^bwrap: execvp (.*): (No such file or directory|Permission denied)\n$/s;

export function translateExit(
  code: number,
  stderr: string,
): { code: number | null; signal: string | null; stderr?: string } {
  const notStarted = code === 1 ? NOT_STARTED.exec(stderr) : null;
  if (notStarted !== null) {
    const isMissing = notStarted[2]!.startsWith("No such");
    const reason = isMissing ? "it was not found in the sandbox" : "it is not executable";
    return { code: isMissing ? 127 : 126, signal: null, stderr: `${notStarted[1]}: ${reason}\n` };
  }
  const signal = signalOfCode.get(code);
  return signal === undefined ? { code, signal: null } : { code: null, signal };
}
