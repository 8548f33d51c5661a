// WarmEntry: keeps cgroup migration fast. Moving a process into a cgroup first waits about ten milliseconds for an
// RCU grace period; for a few milliseconds afterwards the next move is free. Agents run programs in bursts, so while
// runs arrive, and for half a second longer, the daemon keeps moving itself to its present cgroup, which has no other
// effect.

import { closeSync, openSync, write } from "node:fs";

const KNOCK_MS = 8;
const LINGER_MS = 500;

export class WarmEntry {
  readonly #own: number | undefined;
  readonly #pid = Buffer.from(String(process.pid));
  #timer: NodeJS.Timeout | undefined;
  #until = 0;
  #isKnocking = false;
  #isClosed = false;

  /** `own` is the `cgroup.procs` of the cgroup that we are in. */
  constructor(own: string) {
    try {
      this.#own = openSync(own, "w");
    } catch {
      // Then every run waits for itself.
    }
  }

  /** A run begins or ends. */
  keep(): void {
    if (this.#own === undefined || this.#isClosed) return;
    this.#until = performance.now() + LINGER_MS;
    if (this.#timer !== undefined) return;
    this.#knock();
    this.#timer = setInterval(() => this.#knock(), KNOCK_MS).unref();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    if (!this.#isKnocking) this.#shut();
  }

  #knock(): void {
    if (performance.now() > this.#until) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    if (this.#isKnocking) return;
    this.#isKnocking = true;
    write(this.#own!, this.#pid, 0, this.#pid.length, null, () => {
      this.#isKnocking = false;
      if (this.#isClosed) this.#shut();
    });
  }

  #shut(): void {
    if (this.#own !== undefined) closeSync(this.#own);
  }
}
