// Spend rows: what was spent, by the hour, by whom, on what, as the contract has it. How it is stored and
// summed is in spend.ts.

import type { ProcessKey, TenantKey } from "./rows.ts";

/** What is added to the row of this key. */
export interface SpendRow {
  readonly tenant: TenantKey;
  /** Its beginning, in milliseconds since 1970. */
  readonly hour: number;
  readonly agent: string;
  readonly root: ProcessKey;
  /** `model:NAME` or `tool:NAME`. */
  readonly what: string;
  readonly microUsd: number;
  readonly tokens: number;
  readonly toolCalls: number;
  readonly calls: number;
  readonly unpriced: number;
  /** Reported beyond what was reserved: owed, and in no sum of what was spent. */
  readonly overMicroUsd: number;
  readonly overTokens: number;
}

export type SpendAmounts = Pick<SpendRow, "microUsd" | "tokens" | "toolCalls">;
export type SpendOverrun = Pick<SpendRow, "overMicroUsd" | "overTokens">;

/** Only what fits all that is given; `sinceMs` is the beginning of an hour. */
export interface SpendQuery {
  readonly by: "all" | "agent" | "root" | "what" | "tenant" | "hour";
  readonly tenant?: TenantKey;
  readonly agent?: string;
  readonly root?: ProcessKey;
  readonly sinceMs?: number;
}

/** What a row counts, without whose it is. */
type SpendCounts = Omit<SpendRow, "tenant" | "hour" | "agent" | "root" | "what">;

export interface SpendSum extends SpendCounts {
  /** What is the same of these rows, as text. */
  readonly key: string;
}

/** Nothing but calls of tools: what most records are of. */
export const hasNoCost = (of: SpendAmounts & SpendOverrun): boolean =>
  of.microUsd === 0 && of.tokens === 0 && of.overMicroUsd === 0 && of.overTokens === 0;

export const isSameSpend = (a: SpendRow, b: SpendRow): boolean =>
  a.what === b.what &&
  a.hour === b.hour &&
  a.agent === b.agent &&
  a.root === b.root &&
  a.tenant === b.tenant;

/** Of two rows of one key, or of two sums: what each has that is counted, together. */
export const spendSum = <Row extends SpendCounts>(a: Row, b: SpendCounts): Row => ({
  ...a,
  microUsd: a.microUsd + b.microUsd,
  tokens: a.tokens + b.tokens,
  toolCalls: a.toolCalls + b.toolCalls,
  calls: a.calls + b.calls,
  unpriced: a.unpriced + b.unpriced,
  overMicroUsd: a.overMicroUsd + b.overMicroUsd,
  overTokens: a.overTokens + b.overTokens,
});
