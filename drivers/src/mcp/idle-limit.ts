// IdleLimit: ends a call after a period without messages. Progress restarts the period; it is suspended while a
// person is asked.

import { SysError } from "@aos/protocol";
import type { PausableTimeout } from "./call-registry.ts";

export class IdleLimit implements PausableTimeout {
  readonly #ms: number;
  readonly #stop = new AbortController();
  readonly #what: string;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;

  constructor(ms: number, what: string) {
    this.#ms = ms;
    this.#what = what;
    this.#begin();
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  heard(): void {
    if (this.#pauses === 0) this.#begin();
  }

  pause(): void {
    this.#pauses += 1;
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.#pauses -= 1;
    this.heard();
  }

  end(): void {
    this.#pauses = Infinity;
    clearTimeout(this.#timer);
  }

  #begin(): void {
    clearTimeout(this.#timer);
    const because = `${this.#what} sent nothing for ${this.#ms} ms`;
    const giveUp = () => this.#stop.abort(new SysError("ETIMEDOUT", because));
    this.#timer = setTimeout(giveUp, this.#ms);
  }
}
