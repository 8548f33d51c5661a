// Progress: one line at the bottom of a terminal that says what is being done.

import type { Client } from "@aos/client";
import type { JournalRecord } from "@aos/protocol/words";

const CLEAR_LINE = "\r\u001b[2K";
const MOST_CHARS = 78;

export function showProgress(client: Client, pid: string): { stop(): void } {
  if (!process.stderr.isTTY) return { stop: () => {} };
  const watching = new AbortController();
  void follow(client, pid, watching.signal);
  return {
    stop() {
      watching.abort();
      process.stderr.write(CLEAR_LINE);
    },
  };
}

async function follow(client: Client, pid: string, signal: AbortSignal): Promise<void> {
  try {
    for await (const record of client.watch({ pid }, { signal })) {
      if (signal.aborted) return;
      process.stderr.write(CLEAR_LINE + say(record).slice(0, MOST_CHARS));
    }
  } catch {
    // It is an ornament: whoever waits for the end hears what went wrong.
  }
}

const say = (record: JournalRecord): string =>
  `${record.seq}  ${"call" in record ? `${record.call} ${JSON.stringify(record.args)}` : record.kind}`;

/** For many answers, each in a moment: the last of them. */
export function showLast(): { say(text: string): void; stop(): void } {
  if (!process.stderr.isTTY) return { say: () => {}, stop: () => {} };
  return {
    say: (text) => void process.stderr.write(CLEAR_LINE + text.slice(0, MOST_CHARS)),
    stop: () => void process.stderr.write(CLEAR_LINE),
  };
}

/** For one answer that takes long: what is done, and for how many seconds. */
export function showSeconds(what: string): { stop(): void } {
  if (!process.stderr.isTTY) return { stop: () => {} };
  const startedMs = Date.now();
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - startedMs) / 1000);
    process.stderr.write(`${CLEAR_LINE}${what} (${seconds}s)`);
  }, 1000);
  return {
    stop() {
      clearInterval(timer);
      if (Date.now() - startedMs >= 1000) process.stderr.write(CLEAR_LINE);
    },
  };
}
