// Repeatedly: does something now and then until it is told to stop; an error is told, and the next time comes.

import { setTimeout as sleep } from "node:timers/promises";

export async function repeatedly(
  how: {
    readonly everyMs: number;
    readonly signal: AbortSignal;
    readonly onTrouble: (error: unknown) => void;
  },
  work: () => Promise<unknown>,
): Promise<void> {
  const { everyMs, signal, onTrouble } = how;
  let saidAt = -Infinity;
  while (!signal.aborted) {
    try {
      await work();
    } catch (error) {
      if (performance.now() - saidAt > SAY_AGAIN_MS) onTrouble(error);
      saidAt = performance.now();
    }
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

/** What goes on for a while is one line of the log. */
const SAY_AGAIN_MS = 60_000;
