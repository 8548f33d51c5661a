// Watch: repeats a read-only command.
//
//   on a terminal      one screen, redrawn; q or Ctrl-C leaves
//   in a pipe          the text, whenever it changes
//   -o json, -o yaml   a document for each change, one a line with json
//   -o name            each name once, when it first appears
//
// WATCH-1  Unchanged output is not repeated.
// WATCH-2  Only the first request may start a daemon: a daemon that is stopped during the watch stays down.

import { setTimeout as sleep } from "node:timers/promises";
import { SysError } from "@aos/protocol/words";
import type { CommandCall, Command, CommandRow } from "./command.ts";
import { connectTo } from "./connection.ts";
import { NoDaemon } from "./daemon-fetch.ts";
import { namesIn } from "./names-in.ts";
import { writeToStdout, type Output } from "./output.ts";
import { readDurationOption } from "./read-number.ts";

const LEAST_EVERY_MS = 100;

interface Seen {
  readonly value: unknown;
  readonly text: string;
}

export async function watch(
  command: Command,
  call: CommandCall,
  { names }: CommandRow,
): Promise<number> {
  const { options, out, endpoint } = call;
  const everyMs = Math.max(
    LEAST_EVERY_MS,
    readDurationOption(options.text("every"), "--every") ?? 1000,
  );
  const first = await look(command, call);
  // WATCH-2.
  const client = connectTo(endpoint, { startsDaemon: false, note: out.note });
  const again = () => look(command, { ...call, client });
  if (out.terminal && process.stdin.isTTY && out.format === "text") {
    await drawAgain(first, again, everyMs);
    return 0;
  }
  const tell = teller(out, names);
  const notes = noteOnce(out.note);
  await tell(first);
  for (;;) {
    await sleep(everyMs);
    const seen = await again().catch((error: unknown) => notes.trouble(error));
    if (seen === undefined) continue;
    notes.forget();
    await tell(seen);
  }
}

/** What the command shows, kept instead of printed. */
async function look(command: Command, call: CommandCall): Promise<Seen> {
  let seen: Seen = { value: null, text: "" };
  const keep: Output["data"] = async (value, human) => void (seen = { value, text: human() });
  const out: Output = { ...call.out, data: keep, line: async () => {}, note: () => {} };
  await command({ ...call, out });
  return seen;
}

/** WATCH-1. */
function teller(out: Output, path: string | undefined) {
  let before: string | undefined;
  const told = new Set<string>();
  return async ({ value, text }: Seen): Promise<void> => {
    const now = JSON.stringify(value);
    if (now === before) return;
    const isFirst = before === undefined;
    before = now;
    if (out.format === "name") {
      const fresh = namesIn(value, path).filter((name) => !told.has(name));
      for (const name of fresh) told.add(name);
      return writeToStdout(fresh.map((name) => `${name}\n`).join(""));
    }
    if (out.format === "text") return writeToStdout(`${isFirst ? "" : "\n"}${text}\n`);
    return out.line(value);
  };
}

/** A daemon that is away is waited for, and said to be away once. */
function noteOnce(note: Output["note"]) {
  let said: string | undefined;
  return {
    trouble(error: unknown): undefined {
      if (!isAway(error)) throw error;
      if (said !== error.message) note(`${error.message}; retrying`);
      said = error.message;
    },
    forget: () => void (said = undefined),
  };
}

const isAway = (error: unknown): error is SysError =>
  error instanceof NoDaemon || (error instanceof SysError && error.code === "EINTR");

async function drawAgain(first: Seen, again: () => Promise<Seen>, everyMs: number): Promise<void> {
  const { openScreen } = await import("./top/screen.ts");
  const left = Promise.withResolvers<void>();
  let { text } = first;
  let word = "";
  const draw = () => screen.draw(renderWatch(text, word, screen.size));
  const screen = openScreen({
    resize: draw,
    key: (key) => {
      if (key === "q" || key === "stop" || key === "escape") left.resolve();
    },
  });
  const stopped = new AbortController();
  const looking = (async () => {
    for (;;) {
      draw();
      await sleep(everyMs, undefined, { signal: stopped.signal });
      try {
        ({ text } = await again());
        word = "";
      } catch (error) {
        if (!isAway(error)) throw error;
        word = error.message;
      }
    }
  })();
  try {
    await Promise.race([left.promise, looking]);
  } finally {
    stopped.abort();
    looking.catch(() => {});
    screen.close();
  }
}

/** As much as there is room for, with a last line for who does not know how to leave. */
export function renderWatch(
  text: string,
  word: string,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): string[] {
  // A terminal that does not know its size says 0.
  const width = columns || 80;
  const room = Math.max(1, (rows || 24) - 2);
  const lines = text.trimEnd().split("\n");
  const cut = lines.slice(0, room).map((line) => shortened(line, width));
  const hidden = lines.length - cut.length;
  const more = hidden > 0 ? `${hidden} more lines; ` : "";
  return [...cut, "", shortened(`${word === "" ? "" : `${word}; `}${more}q leaves`, width)];
}

/** Colours take no room, and are let go where a line is cut. */
function shortened(line: string, columns: number): string {
  // oxlint-disable-next-line no-control-regex
  const pieces = line.split(/(\u001b\[[0-9;]*m)/);
  let left = columns;
  let made = "";
  for (const [at, piece] of pieces.entries()) {
    if (at % 2 === 1) made += piece;
    else {
      made += piece.slice(0, left);
      left = Math.max(0, left - piece.length);
    }
  }
  return made;
}
