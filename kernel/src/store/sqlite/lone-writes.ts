// LoneWrites: whether writing on the kernel's own thread is worth it, and when the log has to be moved along.
//
// W1  A write that took long is followed by many on the other thread, then it is tried again: a slow disk
//     costs everybody else in the kernel one wait in a while.
// W2  The log is moved to the file by the other thread, once in so many writes: that takes long.

const LONG_MS = 5;
const AFTER_A_LONG_ONE = 1000;
const CHECKPOINT_EVERY = 500;

export class LoneWrites {
  readonly #longMs: number;
  #toLeave = 0;
  #written = 0;

  constructor(longMs = LONG_MS) {
    this.#longMs = longMs;
  }

  /** Asked before each write; counts those that are left to the other thread. */
  get isQuick(): boolean {
    if (this.#toLeave === 0) return true;
    this.#toLeave--;
    return false;
  }

  /** To the other thread, for a while. */
  leaveIt(): void {
    this.#toLeave = AFTER_A_LONG_ONE;
  }

  took(ms: number): "checkpoint" | undefined {
    if (ms > this.#longMs) this.leaveIt();
    this.#written++;
    if (this.#written < CHECKPOINT_EVERY) return undefined;
    this.#written = 0;
    return "checkpoint";
  }
}
