// Asks the person at the terminal. Without a terminal there is no answer.

import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { SysError } from "@aos/protocol/words";

/** Only the whole word counts. False where nobody can be asked. */
export async function askYes(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  return (await ask(question, process.stderr)).trim().toLowerCase() === "yes";
}

/** One line that is not shown while it is typed. */
export async function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  try {
    return await ask("", nowhere);
  } finally {
    process.stderr.write("\n");
  }
}

async function ask(question: string, output: NodeJS.WritableStream): Promise<string> {
  // `terminal` takes the echo away from the system; what is typed goes to `output` or nowhere.
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const stopped = new AbortController();
  lines.once("SIGINT", () => stopped.abort());
  lines.once("close", () => stopped.abort());
  try {
    return await lines.question(question, { signal: stopped.signal });
  } catch {
    throw new SysError("EINTR", "nothing was given");
  } finally {
    lines.removeAllListeners("close");
    lines.close();
  }
}
