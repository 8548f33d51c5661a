// Clock and randomness: the only sources of both in the kernel, so that tests can control them.
//
// Steady clock: milliseconds since 1970 that pass as real time does, even when the machine's clock is set. All times
// of the kernel use it: a wait of five seconds takes five seconds.
//
// STEADY-CLOCK-1  It never goes back, and runs at the pace of the monotonic clock.
// STEADY-CLOCK-2  It follows gradual corrections of the machine's clock. It does not follow a step, forward or back:
//     the two then differ until the kernel restarts.
// STEADY-CLOCK-3  Time during which the machine slept counts.
// STEADY-CLOCK-4  After a start it is not behind the newest time in the store, unless that is more than a day ahead,
//     when the clock must have been wrong.

import { randomBytes } from "node:crypto";
import { uptime } from "node:os";
import type { Platform } from "../options.ts";

export type { Platform } from "../options.ts";

/** The longest that a timer can be set for; who waits longer sets another when it rings. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** For how long something took; it has no date. */
export const monotonicMs = (): number => performance.now();

let pool = new Uint8Array(0);
let used = 0;

/** Random bytes come in large draws: one small draw costs as much as a large one. */
function draw(count: number): Uint8Array {
  if (used + count > pool.length) {
    pool = randomBytes(4096);
    used = 0;
  }
  used += count;
  return pool.subarray(used - count, used);
}

/** Where it reads, in milliseconds. */
export interface TimeSources {
  /** Since 1970; can be set. */
  readonly wall: () => number;
  /** Since some moment; does not count while the machine sleeps. */
  readonly monotonic: () => number;
  /** Since the machine was started, its sleep included. */
  readonly uptime: () => number;
}

/** So often it looks at the other clocks. */
const LOOK_EVERY_MS = 1000;
/** STEADY-CLOCK-2. A step of more than this, beside what clocks drift apart by themselves, was made by somebody. */
const STEP_MS = 1000;
const DRIFT = 0.0005;
/** STEADY-CLOCK-3. The clock of the uptime is coarse. */
const SLEPT_MS = 2000;
const MOST_AHEAD_MS = 86_400_000;

export class SteadyClock {
  readonly #sources: TimeSources;
  /** From the monotonic clock to this one. */
  #offset: number;
  /** What it is ahead of the machine's clock, since that was set. */
  #skew = 0;
  #last: number;
  #lookedAt: number;
  #uptimeThen: number;

  constructor(sources: TimeSources) {
    this.#sources = sources;
    this.#lookedAt = sources.monotonic();
    this.#uptimeThen = sources.uptime();
    this.#offset = sources.wall() - this.#lookedAt;
    this.#last = Math.floor(sources.wall());
  }

  now(): number {
    const monotonic = this.#sources.monotonic();
    if (monotonic - this.#lookedAt >= LOOK_EVERY_MS) this.#look(monotonic);
    const now = Math.floor(monotonic + this.#offset);
    if (now > this.#last) this.#last = now;
    return this.#last;
  }

  /** By how much it is ahead of the machine's clock, because that was set. */
  get skewMs(): number {
    return this.#skew;
  }

  /** STEADY-CLOCK-4. */
  notBefore(ms: number): void {
    const behind = ms - this.now();
    if (behind <= 0 || behind > MOST_AHEAD_MS) return;
    this.#offset += behind;
    this.#skew += behind;
  }

  #look(monotonic: number): void {
    const { wall, uptime } = this.#sources;
    const passed = monotonic - this.#lookedAt;
    const up = uptime();
    const slept = up - this.#uptimeThen - passed;
    if (slept > SLEPT_MS) this.#offset += slept; // STEADY-CLOCK-3
    this.#lookedAt = monotonic;
    this.#uptimeThen = up;
    const behind = wall() + this.#skew - (monotonic + this.#offset);
    if (Math.abs(behind) <= STEP_MS + passed * DRIFT) this.#offset += behind; // STEADY-CLOCK-2
    else this.#skew -= behind;
  }
}

/** One for each kernel: what it has seen of time is its own. */
export function newPlatform(): Platform {
  const clock = new SteadyClock({
    wall: () => Date.now(),
    monotonic: monotonicMs,
    uptime: () => uptime() * 1000,
  });
  return {
    now: () => clock.now(),
    wall: () => Date.now(),
    notBefore: (ms) => clock.notBefore(ms),
    random: () => Math.random(),
    bytes: draw,
  };
}

export const systemPlatform: Platform = newPlatform();
