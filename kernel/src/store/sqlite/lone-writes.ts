// LoneWrites: whether writing on the kernel's own thread is worth it, and when the log has to be moved along.
//
// LONE-WRITES-1  A write that took long is followed by some on the other thread, then it is tried again;
//     by twice as many each time it was long again, until many were quick: a slow disk costs everybody
//     else in the kernel one wait in a while, and a quick one that is slow once is not given up.
// LONE-WRITES-2  The log is moved to the file by the other thread, once in so many writes: that takes
//     long.

const LONG_MS = 5;
const AFTER_A_LONG_ONE = 16;
const AFTER_MANY_LONG_ONES = 1024;
/** So many quick ones in a row and the last long one is forgotten. */
const QUICK_AGAIN = 256;
const CHECKPOINT_EVERY = 500;

export class LoneWrites {
  readonly #longMs: number;
  /** How many are left to the other thread now, and how many after the next long one. */
  #toLeave = 0;
  #afterLong = AFTER_A_LONG_ONE;
  #quick = 0;
  #written = 0;

  constructor(longMs = LONG_MS) {
    this.#longMs = longMs;
  }

  /** Whether the next write is made here; counts those that are not. */
  takeNext(): boolean {
    if (this.#toLeave === 0) return true;
    this.#toLeave--;
    return false;
  }

  /** To the other thread, for a while. */
  leaveIt(): void {
    this.#toLeave = this.#afterLong;
    this.#afterLong = Math.min(2 * this.#afterLong, AFTER_MANY_LONG_ONES);
    this.#quick = 0;
  }

  took(ms: number): "checkpoint" | undefined {
    if (ms > this.#longMs) this.leaveIt();
    else if (++this.#quick === QUICK_AGAIN) this.#afterLong = AFTER_A_LONG_ONE;
    this.#written++;
    if (this.#written < CHECKPOINT_EVERY) return undefined;
    this.#written = 0;
    return "checkpoint";
  }
}
