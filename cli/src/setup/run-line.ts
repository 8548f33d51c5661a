// Run line: runs a command of the machine to its end. At a terminal its output is shown, since it may ask for a
// password; otherwise only the last output of a failure.

import { spawn } from "node:child_process";

export interface LineResult {
  /** Undefined when it did well. */
  readonly problem?: string;
}

export interface RunLineOptions {
  /** At a terminal. */
  readonly isShown: boolean;
  readonly path: string;
  readonly limitMs?: number;
}

/**
 * A network that never answers must not keep anybody for ever. A package manager that is stopped in the middle leaves its
 * lock to the program that it started, so that nothing else can be installed: a slow one is given its time.
 */
const LIMIT_MS = 3_600_000;
const MAX_SAID_CHARS = 2000;

export function runLine(
  [program, ...words]: readonly string[],
  { isShown, path, limitMs = LIMIT_MS }: RunLineOptions,
): Promise<LineResult> {
  const child = spawn(program!, words, {
    stdio: isShown ? "inherit" : ["ignore", "pipe", "pipe"],
    env: { ...process.env, PATH: path, DEBIAN_FRONTEND: "noninteractive" },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => (said = (said + String(chunk)).slice(-MAX_SAID_CHARS)));
  // Who presses Ctrl-C there means the installation, and we go on.
  const onInterrupt = () => {};
  process.on("SIGINT", onInterrupt);
  return new Promise((resolve) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill("SIGKILL");
    }, limitMs);
    const end = (problem: string | undefined) => {
      clearTimeout(timer);
      process.off("SIGINT", onInterrupt);
      resolve(problem === undefined ? {} : { problem });
    };
    child.once("error", (error) => end(error.message));
    child.once("close", (code, signal) => {
      const last = said.trim().split("\n").slice(-3).join("; ");
      const how = isLate
        ? `the command did not end within ${limitMs / 1000} s`
        : `the command exited with ${signal ?? `code ${code}`}`;
      end(code === 0 && !isLate ? undefined : `${how}${last === "" ? "" : `: ${last}`}`);
    });
  });
}
