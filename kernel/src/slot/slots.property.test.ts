// Random arrivals, failures and cancellations, under a clock that is driven by hand.

import * as fc from "fast-check";
import { SysError } from "@aos/protocol";
import { afterEach, expect, inject, test, vi } from "vitest";
import type { SlotRules } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import { Slots } from "./slots.ts";
import { hiccup, NOW, rateLimit } from "../../../tests/helpers/kernel/slot-models.ts";

const DEPTH = inject("isDeep") ? 5 : 1;

afterEach(() => vi.useRealTimers());

const MODELS = ["fake/one", "fake/two"] as const;

const RULES: SlotRules = {
  providers: { fake: { concurrency: 3, requestsPerMinute: 20, tokensPerMinute: 900 } },
  models: {
    "fake/one": { concurrency: 2, requestsPerMinute: 15, fallback: ["fake/two"], retries: 2 },
    "fake/two": { tokensPerMinute: 500, retries: 1, breaker: { failures: 3, coolMs: 5000 } },
  },
  tenants: { b: { weight: 2 } },
};

const arrival = fc.record({
  afterMs: fc.nat(5000),
  tenant: fc.constantFrom("a", "b", "c"),
  model: fc.constantFrom(...MODELS),
  deadlineMs: fc.option(fc.integer({ min: 10_000, max: 3_600_000 }), { nil: undefined }),
  tokens: fc.integer({ min: 1, max: 200 }),
  takesMs: fc.nat(4000),
  ends: fc.array(fc.constantFrom("answer", "answer", "hiccup", "rate", "refuse"), {
    minLength: 1,
    maxLength: 4,
  }),
  calledOffAfterMs: fc.option(fc.nat(20_000), { nil: undefined }),
});

type Arrival = typeof arrival extends fc.Arbitrary<infer T> ? T : never;

interface Began {
  readonly model: string;
  readonly at: number;
  readonly tokens: number;
  running: boolean;
}

const FAILURES = {
  hiccup: () => hiccup(),
  rate: () => rateLimit(500),
  refuse: () => new SysError("EINVAL", "no"),
} as const;

class World {
  readonly slots = new Slots({
    rules: () => RULES,
    platform: { now: () => Date.now(), random: () => 0.5 } as Platform,
  });
  readonly began: Began[] = [];
  outcomes = 0;

  /** Every limit, at this moment: what is seen from the models' side. */
  checkLimits(): void {
    const all = (models: readonly string[]) =>
      this.began.filter((one) => models.includes(one.model));
    for (const [models, rule] of [
      [MODELS, RULES.providers["fake"]!],
      ...MODELS.map((model) => [[model], RULES.models[model]!] as const),
    ] as const) {
      const here = all(models);
      const recent = here.filter(({ at }) => at > Date.now() - 60_000);
      const tokens = recent.reduce((sum, one) => sum + one.tokens, 0);
      expect(here.filter(({ running }) => running).length).toBeLessThanOrEqual(
        rule.concurrency ?? Infinity,
      );
      expect(recent.length).toBeLessThanOrEqual(rule.requestsPerMinute ?? Infinity);
      expect(tokens).toBeLessThanOrEqual(rule.tokensPerMinute ?? Infinity);
    }
  }

  async ask(one: Arrival): Promise<void> {
    const stop = new AbortController();
    let tries = 0;
    let under = 0;
    let isOver = false;
    const attempt = async (model: string, signal: AbortSignal) => {
      expect(isOver).toBe(false);
      under += 1;
      expect(under).toBe(1); // never twice at once
      const began: Began = { model, at: Date.now(), tokens: one.tokens, running: true };
      this.began.push(began);
      this.checkLimits();
      const end = one.ends[Math.min(tries++, one.ends.length - 1)]!;
      const over = () => {
        if (began.running) under -= 1;
        began.running = false;
      };
      signal.addEventListener("abort", over);
      await new Promise((resolve) => setTimeout(resolve, one.takesMs));
      over();
      if (end === "answer") return { usage: { inputTokens: one.tokens, outputTokens: 0 } };
      // It used what was set aside, so that the sums above are those that count.
      const { code, message, retryAfter, detail } = FAILURES[end]();
      throw new SysError(code, message, {
        retryAfter,
        detail: { ...(detail as object | undefined), spent: { tokens: one.tokens } },
      });
    };
    const running = this.slots.run(
      {
        tenant: one.tenant,
        model: one.model,
        lane: "background",
        deadlineAt: one.deadlineMs === undefined ? undefined : Date.now() + one.deadlineMs,
        tokens: one.tokens,
        signal: stop.signal,
        mayUse: () => true,
        onWait: () => {},
        onRetry: () => {},
      },
      attempt,
    );
    if (one.calledOffAfterMs !== undefined)
      setTimeout(() => stop.abort(new Error("called off")), one.calledOffAfterMs);
    const over = () => {
      isOver = true;
      this.outcomes += 1;
    };
    await running.then(over, over);
  }
}

test("SLOTS-2, SLOTS-3: limits are never exceeded; every wish has one outcome, and holds nothing after it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(arrival, { minLength: 1, maxLength: 60 }), async (arrivals) => {
      vi.useFakeTimers({ now: NOW });
      const world = new World();
      const asked: Promise<void>[] = [];
      for (const one of arrivals) {
        await vi.advanceTimersByTimeAsync(one.afterMs);
        asked.push(world.ask(one));
      }
      await vi.advanceTimersByTimeAsync(3_600_000);

      expect(world.outcomes).toBe(arrivals.length);
      for (const report of world.slots.reports())
        expect(report).toMatchObject({ running: 0, queued: 0 });
      await Promise.all(asked);
      vi.useRealTimers();
    }),
    { numRuns: 12 * DEPTH },
  );
});

test("FAIR-QUEUE-2: within a tenant nobody is sent while one of an earlier deadline waits", async () => {
  const request = fc.record({
    tenant: fc.constantFrom("a", "b"),
    deadlineMs: fc.integer({ min: 0, max: 20 }),
    calledOff: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 40 }), fc.nat(3), async (requests, extra) => {
      const rules: SlotRules = {
        providers: {},
        models: { "fake/one": { concurrency: 1 + extra } },
        tenants: {},
      };
      const platform = { now: () => NOW, random: () => 0 } as Platform;
      const slots = new Slots({ rules: () => rules, platform });
      const waiting = new Map<number, { tenant: string; deadlineMs: number }>();
      const ends: (() => void)[] = [];
      const ask = (one: (typeof requests)[number], index: number) => {
        const stop = new AbortController();
        waiting.set(index, one);
        const attempt = () => {
          waiting.delete(index);
          const first = [...waiting].every(
            ([other, { tenant, deadlineMs }]) =>
              tenant !== one.tenant ||
              deadlineMs > one.deadlineMs ||
              (deadlineMs === one.deadlineMs && other > index),
          );
          expect(first).toBe(true);
          return new Promise<void>((resolve) => void ends.push(resolve));
        };
        const ended = slots.run(
          {
            tenant: one.tenant,
            model: "fake/one",
            lane: "normal",
            deadlineAt: NOW + one.deadlineMs,
            tokens: 1,
            signal: stop.signal,
            mayUse: () => false,
            onWait: () => {},
            onRetry: () => {},
          },
          attempt,
        );
        return { stop, ended: ended.catch(() => {}) };
      };
      const asked = requests.map(ask);
      for (const [index, { stop }] of asked.entries())
        if (requests[index]!.calledOff && waiting.delete(index)) stop.abort();
      const turn = () => new Promise((resolve) => setImmediate(resolve));
      while (ends.length > 0) {
        ends.shift()!();
        await turn();
      }
      await Promise.all(asked.map(({ ended }) => ended));
      expect(waiting.size).toBe(0);
    }),
    { numRuns: 12 * DEPTH },
  );
});
