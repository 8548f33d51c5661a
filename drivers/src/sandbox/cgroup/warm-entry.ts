// WarmEntry: to put a process into a cgroup the kernel first waits, some ten milliseconds, until nobody on
// any processor is about to fork; for a few milliseconds after that the next one costs nothing. Agents run
// programs in bursts. So as long as runs come, and half a second longer, we keep moving ourselves to where
// we are, which changes nothing and keeps the door open.

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
