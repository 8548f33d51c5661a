// Clock and randomness: the only sources of both in the kernel, so that tests can control them.

import { randomBytes } from "node:crypto";
import { uptime } from "node:os";
import type { Platform } from "../options.ts";
import { SteadyClock } from "./steady-clock.ts";

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
