// Backoff: the delay before a retry: random, up to a bound that doubles, so that requests that failed
// together do not retry together.

import type { Platform } from "../platform/clock.ts";

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

export const backoffMs = (tries: number, platform: Platform): number =>
  platform.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1));
