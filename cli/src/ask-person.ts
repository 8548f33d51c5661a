// Asks the person at the terminal. Without a terminal there is no answer.

import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
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

/** A line that is typed, `interrupted` by Ctrl-C or the end of input, or `gone` with the signal. */
export async function askLine(
  question: string,
  gone: AbortSignal,
): Promise<{ readonly text: string } | "interrupted" | "gone"> {
  const text = await readLine(question, process.stderr, gone);
  if (text !== undefined) return { text };
  process.stderr.write("\n");
  return gone.aborted ? "gone" : "interrupted";
}

const SETTLE_MS = 400;

/** Drops what was typed before, and what comes while a person still types something else. */
export async function discardTyped(gone: AbortSignal): Promise<void> {
  const { stdin } = process;
  const drop = (typed: Buffer | string) => {
    if (String(typed).includes("\u0003")) process.emit("SIGINT");
  };
  stdin.setRawMode(true);
  stdin.on("data", drop);
  stdin.resume();
  await sleep(SETTLE_MS, undefined, { signal: gone }).catch(() => {});
  stdin.off("data", drop);
  stdin.pause();
  stdin.setRawMode(false);
}

async function ask(question: string, output: NodeJS.WritableStream): Promise<string> {
  const text = await readLine(question, output);
  if (text === undefined) throw new SysError("EINTR", "nothing was given");
  return text;
}

/** Undefined where Ctrl-C, the end of input or the signal came first. */
async function readLine(
  question: string,
  output: NodeJS.WritableStream,
  gone?: AbortSignal,
): Promise<string | undefined> {
  // `terminal` takes the echo away from the system; what is typed goes to `output` or nowhere.
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  lines.once("SIGINT", stop);
  lines.once("close", stop);
  try {
    const signal = AbortSignal.any([stopped.signal, ...(gone === undefined ? [] : [gone])]);
    return await lines.question(question, { signal });
  } catch {
    return undefined;
  } finally {
    lines.off("close", stop); // its own listeners stay: they let go of standard input
    lines.close();
  }
}
