// Clock and chance: the only places where the kernel meets time and randomness, so that a test can
// hold them still.

import { randomBytes } from "node:crypto";

/** The longest that a timer can be set for; who waits longer sets another when it rings. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export interface Platform {
  /** Milliseconds since 1970. */
  now(): number;
  random(): number;
  bytes(count: number): Uint8Array;
}

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

export const systemPlatform: Platform = {
  now: () => Date.now(),
  random: () => Math.random(),
  bytes: draw,
};
