// Two tenants at one model, under a clock that is driven by hand: everything here is simulated time.

import { afterEach, expect, test, vi } from "vitest";
import type { SlotRules } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import { Slots } from "./slots.ts";
import { NOW } from "../../../tests/helpers/kernel/slot-models.ts";

afterEach(() => vi.useRealTimers());

/** The same numbers in every run. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Load {
  readonly tokens?: number;
  readonly ms?: () => number;
}

function context(rules: Partial<SlotRules>, seed = 1) {
  vi.useFakeTimers({ now: NOW });
  const random = chance(seed);
  const platform = { now: () => Date.now(), random } as Platform;
  const all = { providers: {}, models: {}, tenants: {}, ...rules };
  const slots = new Slots({ rules: () => all, platform });
  const waits = new Map<string, number[]>();
  const turnarounds = new Map<string, number[]>();
  const note = (where: Map<string, number[]>, tenant: string, since: number) => {
    if (!where.has(tenant)) where.set(tenant, []);
    where.get(tenant)!.push(Date.now() - since);
  };
  const ask = async (tenant: string, { tokens = 100, ms }: Load = {}) => {
    const askedAt = Date.now();
    await slots.run(
      {
        tenant,
        model: "fake/one",
        lane: "normal",
        deadlineAt: undefined,
        tokens: 100_000,
        signal: new AbortController().signal,
        mayUse: () => false,
        onWait: () => {},
        onRetry: () => {},
      },
      async () => {
        note(waits, tenant, askedAt);
        await new Promise((resolve) => setTimeout(resolve, ms?.() ?? 100));
        note(turnarounds, tenant, askedAt);
        return { usage: { inputTokens: tokens, outputTokens: 0 } };
      },
    );
  };
  /** So many agents that ask again as soon as they are answered. */
  const flood = (tenant: string, agents: number, load?: Load) => {
    const agent = async () => {
      for (;;) await ask(tenant, load);
    };
    for (let n = 0; n < agents; n++) void agent();
  };
  return {
    ask,
    flood,
    random,
    waits: (tenant: string) => waits.get(tenant) ?? [],
    turnarounds: (tenant: string) => turnarounds.get(tenant) ?? [],
  };
}

const p95 = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.ceil(values.length * 0.95) - 1]!;

const LONGEST_MS = 150;

/** A tenant that asks for 18 at once, every 2 seconds or so, beside one that floods or not. */
async function bursts(isFlooded: boolean, weight: number, seed: number) {
  const rules = { models: { "fake/one": { concurrency: 4 } }, tenants: { calm: { weight } } };
  const { ask, flood, random, waits, turnarounds } = context(rules, seed);
  const load = { ms: () => 50 + Math.floor(random() * (LONGEST_MS - 50)) };
  if (isFlooded) flood("flood", 300, load);
  await vi.advanceTimersByTimeAsync(1000);
  for (let burst = 0; burst < 40; burst++) {
    await vi.advanceTimersByTimeAsync(2000 + Math.floor(random() * 500));
    for (let n = 0; n < 18; n++) void ask("calm", load);
  }
  await vi.advanceTimersByTimeAsync(20_000);
  expect(waits("calm")).toHaveLength(720);
  return { wait: p95(waits("calm")), turnaround: p95(turnarounds("calm")) };
}

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  "beside one that floods a tenant waits at most twice as long as alone (p95, seed %i)",
  async (seed) => {
    const alone = await bursts(false, 1, seed);
    const beside = await bursts(true, 1, seed);

    expect(beside.wait).toBeLessThanOrEqual(2 * alone.wait);
    expect(beside.turnaround).toBeLessThanOrEqual(2 * alone.turnaround);
  },
);

test("with twice the weight of the one that floods it waits less than twice as long as alone (p95)", async () => {
  const alone = await bursts(false, 2, 10);
  const beside = await bursts(true, 2, 10);

  expect(beside.wait).toBeLessThanOrEqual(2 * alone.wait);
});

/** How much of a model each of two floods gets. */
async function shared(rules: Partial<SlotRules>, a: Load, b: Load) {
  const { flood, waits } = context({ models: { "fake/one": { concurrency: 4 } }, ...rules });
  flood("a", 300, a);
  flood("b", 10, b);
  await vi.advanceTimersByTimeAsync(20_000);
  return waits("b").length / waits("a").length;
}

test("SHARES-1: who asks for thirty times as much gets no more", async () => {
  expect(await shared({}, {}, {})).toBeCloseTo(1, 1);
});

test("SHARES-1: a weight of 3 gets three times as much", async () => {
  const weights = { tenants: { b: { weight: 3 } } };

  expect(await shared(weights, {}, {})).toBeCloseTo(3, 0);
});

test("SHARES-1: tokens are what is shared, and what was really used counts", async () => {
  expect(await shared({}, { tokens: 500 }, { tokens: 100 })).toBeCloseTo(5, 0);
});
