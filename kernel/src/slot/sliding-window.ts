// SlidingWindow: the usage of the last minute, use by use, so that no minute, wherever it begins, holds more
// than is allowed. A bucket that refills would let twice as much through in its worst one.
//
// SLIDING-WINDOW-1  What is found to have used less gives back the difference.
// SLIDING-WINDOW-2  Who asks for more than a whole minute may hold waits until the minute is empty, and
//     goes.
// SLIDING-WINDOW-3  A clock that steps back makes nobody wait for longer than a minute.

const MINUTE_MS = 60_000;
/** Uses that are over are dropped from the list when there are so many of them. */
const DROP_AT = 1024;

export interface WindowUse {
  at: number;
  amount: number;
}

export class SlidingWindow {
  #uses: WindowUse[] = [];
  #from = 0;
  #sum = 0;

  /** How long until so much more fits in. */
  waitMs(amount: number, limit: number, now: number): number {
    if (limit <= 0) return Infinity;
    this.#forget(now);
    const most = limit - Math.min(amount, limit); // SLIDING-WINDOW-2
    let sum = this.#sum;
    if (sum <= most) return 0;
    for (let index = this.#from; index < this.#uses.length; index++) {
      const { at, amount: freed } = this.#uses[index]!;
      sum -= freed;
      if (sum <= most) return at + MINUTE_MS - now;
    }
    return 0;
  }

  use(amount: number, now: number): WindowUse {
    this.#forget(now);
    const use = { at: now, amount };
    this.#uses.push(use);
    this.#sum += amount;
    return use;
  }

  /** SLIDING-WINDOW-1. What was more than expected counts as well. */
  correct(use: WindowUse, amount: number, now: number): void {
    this.#forget(now);
    if (now - use.at < MINUTE_MS) this.#sum += amount - use.amount;
    use.amount = amount;
  }

  #forget(now: number): void {
    const uses = this.#uses;
    for (let index = uses.length - 1; index >= this.#from && uses[index]!.at > now; index--)
      uses[index]!.at = now; // SLIDING-WINDOW-3
    while (this.#from < uses.length && now - uses[this.#from]!.at >= MINUTE_MS)
      this.#sum -= uses[this.#from++]!.amount;
    if (this.#from < DROP_AT || this.#from * 2 < uses.length) return;
    this.#uses = uses.slice(this.#from);
    this.#from = 0;
  }
}
