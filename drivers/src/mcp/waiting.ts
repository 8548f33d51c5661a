// Waiting: pauses, and work that somebody may stop waiting for.

/** Does not keep this process alive. */
export const soon = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

/** Nobody waits for the work when the signal comes; it goes on all the same. */
export async function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Doubles with every failure up to the longest, and is never the same twice: many do not come at once. */
export function pauseAfter(
  failures: number,
  { firstPauseMs, longestPauseMs }: { firstPauseMs: number; longestPauseMs: number },
  chance: () => number = Math.random,
): number {
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.max(0, failures - 1));
  return Math.ceil(pause * (0.5 + chance() / 2));
}
