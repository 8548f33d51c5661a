// What a wait for a process needs: Node kept running, and abort signals heard.
//
// HOLD-OPEN-1  While somebody waits, Node does not end: every timer of the kernel lets it, and what is
//     waited for may be nothing but a timer.
// HOLD-OPEN-2  A wait that is over leaves nothing behind: no listener on a signal that lives on, no timer.

import { MAX_TIMER_MS } from "../platform/clock.ts";

/** HOLD-OPEN-1. Returns how to let go. */
export function holdNode(): () => void {
  const timer = setInterval(() => {}, MAX_TIMER_MS);
  return () => clearInterval(timer);
}

/** HOLD-OPEN-2. Calls back once, when any of them is aborted, now or later. Returns how to stop listening. */
export function whenAborted(
  signals: readonly (AbortSignal | undefined)[],
  callback: () => void,
): () => void {
  const listened = signals.filter((signal) => signal !== undefined);
  const stop = () => {
    for (const signal of listened) signal.removeEventListener("abort", heard);
  };
  const heard = () => {
    stop();
    callback();
  };
  for (const signal of listened) signal.addEventListener("abort", heard);
  if (listened.some(({ aborted }) => aborted)) heard();
  return stop;
}
