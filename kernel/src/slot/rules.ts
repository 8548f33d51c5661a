// Rules of slots, with their defaults. What is said of a model comes before what is said of its provider;
// only limits hold for both, each on its own (occupancy.ts).

import type { SlotLimits } from "@aos/protocol";
import { DEFAULT_QUEUE, type ModelRule, type SlotRules } from "../options.ts";
import type { BreakerRule } from "./breaker.ts";

export const NO_SLOT_RULES: SlotRules = { providers: {}, models: {}, tenants: {} };

const RETRIES = 3;
const BREAKER: BreakerRule = { failures: 5, coolMs: 30_000 };

export const providerOf = (model: string): string => model.split("/", 1)[0]!;

const own = <T>(rows: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(rows, name) ? rows[name] : undefined;

export const modelRule = (rules: SlotRules, model: string): ModelRule | undefined =>
  own(rules.models, model);

export const providerRule = (rules: SlotRules, provider: string): ModelRule | undefined =>
  own(rules.providers, provider);

function said<K extends keyof ModelRule>(
  rules: SlotRules,
  model: string,
  key: K,
): ModelRule[K] | undefined {
  return modelRule(rules, model)?.[key] ?? providerRule(rules, providerOf(model))?.[key];
}

export const retriesOf = (rules: SlotRules, model: string): number =>
  said(rules, model, "retries") ?? RETRIES;

export const breakerOf = (rules: SlotRules, model: string): BreakerRule =>
  said(rules, model, "breaker") ?? BREAKER;

export const hedgeAfterMs = (rules: SlotRules, model: string): number | undefined =>
  said(rules, model, "hedgeAfterMs");

export const queueOf = (rules: SlotRules): number => rules.queue ?? DEFAULT_QUEUE;

export function weightOf(rules: SlotRules, tenant: string): number {
  const weight = own(rules.tenants, tenant)?.weight ?? 1;
  return weight > 0 ? weight : 1;
}

/**
 * The model, its fallbacks in their order, then theirs. None twice: a circle ends where it began.
 */
export function candidatesOf(rules: SlotRules, model: string): readonly string[] {
  if (said(rules, model, "fallback") === undefined) return [model];
  const chain = new Set([model]);
  for (const one of chain) for (const other of said(rules, one, "fallback") ?? []) chain.add(other);
  return [...chain];
}

/** What a model is held to, by itself and with the others of its provider: the lower counts. */
export function limitsOf(rules: SlotRules, model: string): SlotLimits {
  const both = [modelRule(rules, model), providerRule(rules, providerOf(model))];
  const lowest = (key: keyof SlotLimits): number | null => {
    const limits = both.flatMap((rule) => rule?.[key] ?? []);
    return limits.length === 0 ? null : Math.min(...limits);
  };
  return {
    concurrency: lowest("concurrency"),
    requestsPerMinute: lowest("requestsPerMinute"),
    tokensPerMinute: lowest("tokensPerMinute"),
  };
}
