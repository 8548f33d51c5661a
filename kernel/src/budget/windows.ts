// Windows: hours, days and months of UTC, and all time.
//
// BUDGET-WINDOWS-1  An hour belongs to one day, and a day to one month: the hour of a reservation determines its
//     windows.

import type { SharedBudget } from "../options.ts";

export type Period = SharedBudget["per"];

export interface Window {
  /** Milliseconds since 1970; `until` is the first that is not of it. */
  readonly from: number;
  readonly until: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The beginning of the hour. */
export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS;

const every = (lengthMs: number, ms: number): Window => {
  const from = Math.floor(ms / lengthMs) * lengthMs;
  return { from, until: from + lengthMs };
};

function monthOf(ms: number): Window {
  const day = new Date(ms);
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
  return { from: Date.UTC(year, month, 1), until: Date.UTC(year, month + 1, 1) };
}

export function windowOf(period: Period, ms: number): Window {
  switch (period) {
    case "hour":
      return every(HOUR_MS, ms);
    case "day":
      return every(DAY_MS, ms);
    case "month":
      return monthOf(ms);
    case "ever":
      return { from: 0, until: Infinity };
  }
}
