// Filters: which runs are shown. The daemon applies them.

import { endStates, liveStates } from "@aos/protocol/words";
import type { RunFilter } from "../api/run-list.ts";

export const runFilters = {
  all: {},
  live: { states: liveStates },
  failed: { states: endStates.filter((state) => state !== "completed") },
} as const satisfies Record<string, RunFilter>;

/** Those that ask a person are not known by their state: their pids come with the questions. */
export const filters = {
  all: { name: "All" },
  live: { name: "Live" },
  asking: { name: "Asking" },
  failed: { name: "Failed" },
} as const;

export type FilterName = keyof typeof filters;

export const filterNames = Object.keys(filters) as FilterName[];

/** How long ago a run may have been started. */
export const timeSpans = {
  hour: { name: "Last hour", ms: 3_600_000 },
  day: { name: "Last 24 hours", ms: 86_400_000 },
  week: { name: "Last 7 days", ms: 604_800_000 },
} as const;

export type RunSpan = keyof typeof timeSpans;

export const timeSpanNames = Object.keys(timeSpans) as RunSpan[];

/** What the address says of the list of runs. */
export interface RunSearch {
  readonly show?: FilterName | undefined;
  readonly find?: string | undefined;
  readonly span?: RunSpan | undefined;
}

export function filterOf(
  { show = "all", find = "", span }: RunSearch,
  by: { nowMs: number; asking: readonly string[] },
): RunFilter {
  const words = find.trim();
  return {
    ...(show === "asking" ? { pids: by.asking } : runFilters[show]),
    ...(words === "" ? {} : { find: words }),
    ...(span === undefined ? {} : { since: since(timeSpans[span].ms, by.nowMs) }),
  };
}

/** By the minute: the same list is the same request. */
const since = (ms: number, nowMs: number): string =>
  new Date(Math.floor((nowMs - ms) / 60_000) * 60_000).toISOString();
