// Warm host: a tool host that is kept between calls: started by the first, ended when idle, restarted after a crash.
//
// WARM-HOST-1  There is one at a time. After a crash the next start waits, longer after each crash in a row.
// WARM-HOST-2  A retired host takes no new call and ends with its last one.

import { setTimeout as delay } from "node:timers/promises";
import { SysError } from "@aos/protocol";
import type { ToolHost } from "./tool-host.ts";

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 30_000;

/** Time, so that a test can have its own. */
export interface HostClock {
  now(): number;
  wait(ms: number): Promise<unknown>;
}

const REAL: HostClock = { now: () => performance.now(), wait: (ms) => delay(ms) };

export class WarmHost {
  readonly #start: () => Promise<ToolHost>;
  readonly #idleMs: number;
  readonly #pace: HostClock;
  #host: Promise<ToolHost> | undefined;
  /** The one that has started, while it is there. */
  #current: ToolHost | undefined;
  #users = 0;
  #crashes = 0;
  #notBefore = 0;
  #idle: NodeJS.Timeout | undefined;
  #isRetired = false;

  constructor(start: () => Promise<ToolHost>, idleMs: number, pace = REAL) {
    this.#start = start;
    this.#pace = pace;
    this.#idleMs = idleMs;
  }

  /** Lends the host for one use. */
  async use<T>(signal: AbortSignal, work: (host: ToolHost) => Promise<T>): Promise<T> {
    if (this.#isRetired)
      throw new SysError("ESTATE", "the tool has changed on disk since the call was requested", {
        hint: "call it again",
      });
    clearTimeout(this.#idle);
    this.#users += 1;
    try {
      const host = await withAbort(this.#ready(), signal);
      const result = await work(host);
      this.#crashes = 0;
      return result;
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#rest();
    }
  }

  /** WARM-HOST-2. */
  retire(): void {
    this.#isRetired = true;
    if (this.#users === 0) void this.end("its tools were changed on disk");
  }

  /** At once; resolves when all its processes are gone. */
  async end(reason: string): Promise<void> {
    clearTimeout(this.#idle);
    const starting = this.#host;
    this.#host = undefined;
    this.#current = undefined;
    const host = await starting?.catch(() => undefined);
    host?.end(reason);
    await host?.gone;
  }

  #rest(): void {
    if (this.#isRetired) return void this.end("its tools were changed on disk");
    this.#idle = setTimeout(() => void this.end("it was idle"), this.#idleMs);
    this.#idle.unref();
  }

  /** One that is being ended is not lent: another is started when it is gone. */
  async #ready(): Promise<ToolHost> {
    for (;;) {
      const host = await (this.#host ??= this.#begin());
      if (!host.isOver) return host;
      await host.gone;
    }
  }

  /** WARM-HOST-1. */
  async #begin(): Promise<ToolHost> {
    try {
      const waitMs = this.#notBefore - this.#pace.now();
      if (waitMs > 0) await this.#pace.wait(waitMs);
      const host = await this.#start();
      this.#current = host;
      void host.gone.then(() => this.#departed(host));
      return host;
    } catch (error) {
      this.#host = undefined;
      this.#putOff();
      throw error;
    }
  }

  #departed(host: ToolHost): void {
    if (this.#current !== host) return;
    this.#current = undefined;
    this.#host = undefined;
    this.#putOff();
  }

  #putOff(): void {
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#crashes);
    this.#crashes += 1;
    this.#notBefore = this.#pace.now() + waitMs;
  }
}

/** What others wait for too goes on. */
function withAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = () =>
    reject(
      signal.reason instanceof SysError
        ? signal.reason
        : new SysError("EINTR", "the call was stopped before it began"),
    );
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  work.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener("abort", stop));
}
