// Cooldown: a period in which no request is sent.
//
// COOLDOWN-1  A clock that steps back makes it no longer than it was to be.

export class Cooldown {
  #until = 0;
  #lastsMs = 0;

  /** A shorter one does not end a longer one. */
  begin(lastsMs: number, now: number): void {
    if (lastsMs <= this.leftMs(now)) return;
    this.#until = now + lastsMs;
    this.#lastsMs = lastsMs;
  }

  /** 0 when it is over. */
  leftMs(now: number): number {
    if (this.#until - now > this.#lastsMs) this.#until = now + this.#lastsMs; // COOLDOWN-1
    return Math.max(0, this.#until - now);
  }
}
