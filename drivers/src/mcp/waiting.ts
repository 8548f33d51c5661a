// Waiting: pauses.

/** Does not keep this process alive. */
export const unrefDelay = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

/** Doubles with every failure up to the longest, and is never the same twice: many do not come at once. */
export function pauseAfter(
  failures: number,
  { firstPauseMs, longestPauseMs }: { firstPauseMs: number; longestPauseMs: number },
  chance: () => number = Math.random,
): number {
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.max(0, failures - 1));
  return Math.ceil(pause * (0.5 + chance() / 2));
}
