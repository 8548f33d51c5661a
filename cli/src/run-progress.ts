// RunProgress: what an agent says and does, on a terminal, while its end is waited for.

import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@aos/client";
import { LiveOutput } from "./live-output.ts";

export interface ProgressDisplay {
  /** When all that it did is shown: what of its result is to be printed still. */
  rest(result: string): Promise<string>;
  /** Nothing is written between these two. */
  pause(): void;
  resume(): void;
}

/** What is said is shown where `showsWords`; what is done, on any terminal. */
export function showProgress(
  client: Client,
  pid: string,
  { showsWords, isSameTerminal }: { showsWords: boolean; isSameTerminal: boolean },
): ProgressDisplay {
  if (!process.stderr.isTTY)
    return { rest: async (result) => result, pause: () => {}, resume: () => {} };
  const live = new LiveOutput((text) => void process.stderr.write(text), { showsWords });
  const watching = new AbortController();
  const over = follow(client, pid, live, watching.signal);
  return {
    pause: () => live.pause(),
    resume: () => live.resume(),
    async rest(result) {
      await Promise.race([over, sleep(PATIENCE_MS, undefined, { signal: watching.signal })]).catch(
        () => {},
      );
      watching.abort();
      return live.rest(result, isSameTerminal);
    },
  };
}

/** The last words come with the end; more than this is not waited for them. */
const PATIENCE_MS = 1000;

async function follow(
  client: Client,
  pid: string,
  live: LiveOutput,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const happening of client.attach({ pid }, { signal })) {
      if (signal.aborted) return;
      live.take(happening);
    }
  } catch {
    // It is an ornament: whoever waits for the end hears what went wrong.
  }
}
