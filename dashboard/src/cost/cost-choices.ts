// The choices of the cost view: by what, and since when.

import type { CostGroup } from "@aos/protocol/words";

export const costGroups: readonly { readonly value: CostGroup; readonly name: string }[] = [
  { value: "agent", name: "Agent" },
  { value: "model", name: "Model" },
  { value: "tool", name: "Tool" },
  { value: "tree", name: "Run" },
  { value: "tenant", name: "Tenant" },
  { value: "day", name: "Day" },
];

const HOUR_MS = 3_600_000;

const spans = {
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
  month: 30 * 24 * HOUR_MS,
  all: null,
} as const;

export type CostSpan = keyof typeof spans;

export const costSpans: readonly { readonly value: CostSpan; readonly name: string }[] = [
  { value: "hour", name: "1 h" },
  { value: "day", name: "24 h" },
  { value: "week", name: "7 d" },
  { value: "month", name: "30 d" },
  { value: "all", name: "All" },
];

export const isCostSpan = (text: unknown): text is CostSpan =>
  typeof text === "string" && Object.hasOwn(spans, text);

/** From the beginning of an hour, as spending is counted: it stays the same while one looks. */
export function sinceOf(span: CostSpan, now: number = Date.now()): number | null {
  const ms = spans[span];
  return ms === null ? null : Math.floor((now - ms) / HOUR_MS) * HOUR_MS;
}
