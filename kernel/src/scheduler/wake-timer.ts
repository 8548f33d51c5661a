// WakeTimer: wakes the processes of this node whose time has come, according to their rows.
//
//   set(at)    checks at this time; the earliest time counts
//   ring()     wakes due processes, and sets itself for the next

import type { Journal } from "../journal/journal.ts";
import type { Store } from "../store/contract.ts";
import { MAX_TIMER_MS, type Platform } from "../platform/clock.ts";
import type { ProcessKey } from "../store/rows.ts";

/** Those that were due are looked for again after this. */
const AGAIN_MS = 20;
/** The same when the store could not be read. */
const AFTER_TROUBLE_MS = 1000;

interface Parts {
  readonly journal: Journal<Store>;
  readonly platform: Platform;
  readonly node: string;
  readonly wake: (key: ProcessKey) => Promise<unknown>;
  readonly trouble: (what: string, error: unknown) => void;
}

export class WakeTimer {
  readonly #parts: Parts;
  #alarm: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined;
  #closed = false;
  #ringing: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** In milliseconds since 1970. */
  set(at: number): void {
    if (this.#closed || (this.#alarm !== undefined && this.#alarm.at <= at)) return;
    clearTimeout(this.#alarm?.timer);
    const delayMs = Math.min(MAX_TIMER_MS, Math.max(0, at - this.#parts.platform.now()));
    const timer = setTimeout(() => void this.ring(), delayMs);
    timer.unref();
    this.#alarm = { at, timer };
  }

  ring(): Promise<void> {
    const ringing = this.#ringNow();
    this.#ringing = Promise.all([this.#ringing, ringing]).then(() => {});
    return ringing;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#alarm?.timer);
  }

  /** Once it is closed: resolves when nothing is being read from the store any more. */
  atRest(): Promise<void> {
    return this.#ringing;
  }

  async #ringNow(): Promise<void> {
    const { journal, platform, node } = this.#parts;
    clearTimeout(this.#alarm?.timer);
    this.#alarm = undefined;
    if (this.#closed) return;
    try {
      const { due, nextAt } = await journal.store.due(node, platform.now());
      for (const key of due) await this.#parts.wake(key);
      if (due.length > 0) this.set(platform.now() + AGAIN_MS);
      else if (nextAt !== null) this.set(nextAt);
    } catch (error) {
      this.#parts.trouble("timers could not be read", error);
      this.set(platform.now() + AFTER_TROUBLE_MS);
    }
  }
}
