// Breaker: stops requests to a failing model for a while.
//
//   closed      requests pass
//   open        too many failures in a row; no request passes until it has cooled
//   half-open   it has cooled: one request passes, and its result decides
//
// BREAKER-1  Only one request passes a half-open breaker at a time. If it is cancelled, another may.
// BREAKER-2  Requests in progress when it opened neither close it nor prolong it.
// COOLDOWN-1  A clock that steps back does not extend it.

/** A period in which no request is sent. */
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

export interface BreakerRule {
  readonly failures: number;
  readonly coolMs: number;
}

export class Breaker {
  #failures = 0;
  #isClosed = true;
  #isProbed = false;
  readonly #cooling = new Cooldown();

  get failures(): number {
    return this.#failures;
  }

  state(now: number): "closed" | "open" | "half-open" {
    if (this.#isClosed) return "closed";
    return this.coolsInMs(now) > 0 ? "open" : "half-open";
  }

  coolsInMs(now: number): number {
    return this.#isClosed ? 0 : this.#cooling.leftMs(now);
  }

  mayPass(now: number): boolean {
    return this.#isClosed || (!this.#isProbed && this.coolsInMs(now) === 0); // BREAKER-1
  }

  /** Returns whether this is the trial request. */
  pass(): boolean {
    if (this.#isClosed) return false;
    this.#isProbed = true;
    return true;
  }

  /** The model answered, whatever it said. */
  answered(isProbe: boolean): void {
    if (!this.#isClosed && !isProbe) return; // BREAKER-2
    this.#isClosed = true;
    this.#isProbed = false;
    this.#failures = 0;
  }

  /** Returns whether it opened now. */
  failed(isProbe: boolean, rule: BreakerRule, now: number): boolean {
    if (!this.#isClosed && !isProbe) return false; // BREAKER-2
    this.#failures += 1;
    if (!isProbe && this.#failures < rule.failures) return false;
    this.#isClosed = false;
    this.#isProbed = false;
    this.#cooling.begin(rule.coolMs, now);
    return true;
  }

  /** The result of the trial request stays unknown. */
  calledOff(isProbe: boolean): void {
    if (isProbe) this.#isProbed = false; // BREAKER-1
  }
}
