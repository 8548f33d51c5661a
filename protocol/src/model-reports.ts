// What people are told of models, money, contexts and queues.

import type { FailureText } from "./failures.ts";
import type { Json } from "./json.ts";
import type { Lane } from "./lane.ts";
import type { ModelCard } from "./ports.ts";
import type { Spend } from "./process.ts";

/** What a provider or a model is held to; null where nothing is. */
export interface SlotLimits {
  readonly concurrency: number | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
}

/** How a model does, since the daemon started. */
export interface SlotReport {
  readonly model: string;
  readonly limits: SlotLimits;
  readonly running: number;
  readonly queued: number;
  readonly breaker: "closed" | "open" | "half-open";
  readonly requests: number;
  readonly failures: number;
  readonly retries: number;
  /** Requests that went to another model. */
  readonly fallbacks: number;
  /** Milliseconds of an answer, and of waiting for a place; null before the first. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly waitP50Ms: number | null;
  readonly waitP95Ms: number | null;
  readonly lastFailure: { readonly at: number; readonly message: string } | null;
}

export interface ModelReport extends ModelCard {
  readonly provider: string;
  /** `configured`, `known` by the price table, or `used` by a run. */
  readonly source: "configured" | "known" | "used";
  readonly egress: boolean;
  readonly fallback: readonly string[];
  /** The name of the secret that is its key, and whether it is there; null where it needs none. */
  readonly key: { readonly name: string; readonly isSet: boolean } | null;
  readonly slots: SlotReport | null;
}

/** One call made to see whether a model answers. */
export interface ModelTestReport {
  readonly model: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly text: string | null;
  readonly usd: number | null;
  readonly error: FailureText | null;
}

export const costGroups = ["agent", "tree", "model", "tool", "tenant", "day"] as const;
export type CostGroup = (typeof costGroups)[number];

export interface CostRow extends Spend {
  /** The agent, the pid at the top of a tree, the model, the tool, the tenant, the day in UTC. */
  readonly key: string;
  readonly calls: number;
  /** Calls of models whose price is not known: they are in no sum of money. */
  readonly unpriced: number;
  /** What vendors reported beyond what was reserved: in no sum, and limits leave that much less. */
  readonly owed?: { readonly usd: number; readonly tokens: number };
}

export interface CostReport {
  readonly by: CostGroup;
  /** ISO 8601. */
  readonly since: string;
  readonly until: string;
  readonly rows: readonly CostRow[];
  readonly total: CostRow;
  /** How it is counted, in words. */
  readonly rule: string;
  /** The budgets wider than a run, and what is left of each. */
  readonly budgets: readonly BudgetReport[];
}

export interface BudgetReport {
  /** `agent writer`, `tenant default`, `total`. */
  readonly of: string;
  readonly per: "hour" | "day" | "month" | "ever";
  readonly unit: "usd" | "tokens" | "toolCalls";
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
  /** Reported beyond what was reserved. */
  readonly owed?: number;
}

/** What something may cost, before it is done. */
export interface EstimateReport {
  readonly of: string;
  /** The first request to a model: the context that it begins with. */
  readonly contextTokens: number | null;
  readonly contextUsd: number | null;
  /** By the last runs of the same agent that ended; null where there was none. */
  readonly runs: number;
  readonly usual: Spend | null;
  readonly high: Spend | null;
  /** What cannot be exceeded: its budget; null where nothing holds it. */
  readonly limit: { readonly usd: number | null; readonly tokens: number | null };
  readonly notes: readonly string[];
}

export interface ContextBlock {
  /** Its digest: the same block in a fork is the same. */
  readonly id: string;
  readonly role: string;
  readonly tokens: number;
  /** Its beginning. */
  readonly text: string;
  readonly toolCalls: readonly string[];
  /** Of a summary: how many messages it stands for, and where they are. */
  readonly replaces: { readonly messages: number; readonly archive: string } | null;
}

export interface ContextReport {
  readonly pid: string;
  readonly model: string | null;
  readonly tokens: number;
  readonly window: number | null;
  readonly compactions: number;
  readonly blocks: readonly ContextBlock[];
  /** What one more request with it costs in input alone; null without a price. */
  readonly nextUsd: number | null;
}

/** What waits to begin, and what waits for a model. */
export interface QueueReport {
  readonly running: number;
  readonly limit: number | null;
  readonly queued: Readonly<Record<Lane, number>>;
  readonly queueLimit: number;
  readonly slots: readonly SlotReport[];
}

/** A test of an agent, as it went. */
export interface AgentTestReport {
  readonly name: string;
  readonly file: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly problems: readonly string[];
  readonly calls: number;
  readonly usd: number;
  readonly pid: string | null;
}

/** What an invoked agent answered. */
export interface InvokeReport {
  readonly pid: string;
  readonly id: string;
  /** True when the key was used before: nothing was done again. */
  readonly isRepeat: boolean;
  readonly output: Json;
}
