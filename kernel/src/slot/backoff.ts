// Backoff: how long a request rests before it is tried again: any time up to a bound that doubles, so
// that those that failed together do not come back together.

import type { Platform } from "../platform/clock.ts";

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

export const backoffMs = (tries: number, platform: Platform): number =>
  platform.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1));
