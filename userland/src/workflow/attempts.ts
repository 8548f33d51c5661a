// Attempts: an act that may fail is tried again after a growing delay.
//
// ATTEMPTS-1  What was refused, or is wrong in itself, is not tried again; nor what `except` names.
// ATTEMPTS-2  Delays come from `random` and `now`: a replay waits as the first run did.

import { type StepRetry, type Sys, SysError } from "@aos/protocol";

const FINAL: ReadonlySet<string> = new Set([
  "EACCES",
  "EPOLICY",
  "EDENIED",
  "EINVAL",
  "ENOENT",
  "EBUDGET",
  "EVELOCITY",
  "EINDOUBT",
]);

interface Tries {
  readonly retry: StepRetry;
  /** Whether a failure may be followed by another attempt. */
  readonly mayRetry?: (error: SysError) => boolean;
  readonly isOver?: () => boolean;
  /** Cuts the delay short. */
  readonly halted?: Promise<never>;
  readonly onFailed?: (error: SysError, attempt: number) => void;
}

export async function attempts<T>(
  sys: Sys,
  { retry, mayRetry, isOver, halted, onFailed }: Tries,
  act: (attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act(attempt);
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      const isFinal = FINAL.has(error.code) || retry.except.includes(error.code); // ATTEMPTS-1
      const isLast = attempt >= retry.max || isFinal || mayRetry?.(error) === false;
      if (isLast || isOver?.() === true) throw error;
      onFailed?.(error, attempt);
      const pause = rest(sys, retry, attempt, error.retryAfter ?? 0);
      if (halted !== undefined) pause.catch(() => {}); // when it is cut short, nobody waits for it
      await (halted === undefined ? pause : Promise.race([pause, halted]));
    }
  }
}

/** ATTEMPTS-2. */
async function rest(sys: Sys, retry: StepRetry, attempt: number, leastMs: number): Promise<void> {
  const { backoff, factor, maxBackoff, jitter } = retry;
  const whole = Math.min(maxBackoff, backoff * factor ** (attempt - 1));
  const part = jitter === 0 ? 0 : jitter * (await sys.random());
  const delay = Math.max(leastMs, Math.round(whole * (1 - part)));
  if (delay > 0) await sys.sleep((await sys.now()) + delay);
}

export const ONCE: StepRetry = {
  max: 1,
  backoff: 0,
  factor: 1,
  maxBackoff: 0,
  jitter: 0,
  except: [],
};
export const USUAL: StepRetry = {
  max: 3,
  backoff: 1000,
  factor: 2,
  maxBackoff: 60_000,
  jitter: 0.2,
  except: [],
};
export const PATIENT: StepRetry = { ...USUAL, max: 5 };
