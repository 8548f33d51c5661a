// Keeps Node running during a wait for a process, and handles abort signals.
//
// HOLD-OPEN-1  Node does not exit during a wait: the kernel's timers are unreferenced, and the awaited event may be
//     only a timer.
// HOLD-OPEN-2  A finished wait leaves no listener and no timer.

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
