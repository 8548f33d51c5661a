// Models for tests: they answer when the test says so, under a fake clock.

import { SysError } from "@aos/protocol";
import { vi } from "vitest";
import type { SlotRules } from "../../../kernel/src/options.ts";
import { systemPlatform, type Platform } from "../../../kernel/src/platform/clock.ts";
import { Slots, type SlotRequest } from "../../../kernel/src/slot/slots.ts";

export const NOW = Date.parse("2027-01-04T09:30:00Z");

/** One try, as the model saw it. */
export interface SentRequest {
  readonly name: string;
  readonly model: string;
  readonly at: number;
  readonly signal: AbortSignal;
  readonly answer: (result?: unknown) => Promise<void>;
  readonly fail: (failure: unknown) => Promise<void>;
}

export interface TestRequest {
  readonly name: string;
  /** What it was told: `waits`, `sent`, `again: CODE`, and its outcome. */
  readonly seen: string[];
  readonly callOff: (reason?: unknown) => Promise<void>;
  outcome: { readonly model?: string; readonly result?: unknown; readonly failure?: SysError };
}

/** Lets everything happen that needs no time. */
export const flushTasks = async (): Promise<void> => {
  await vi.advanceTimersByTimeAsync(0);
};

export const pass = async (ms: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms);
};

const NOTHING: SlotRules = { providers: {}, models: {}, tenants: {} };

/** Randomness is at its maximum unless given: every delay is as long as it can be. */
export function openSlots(rules: Partial<SlotRules> = {}, random: () => number = () => 1) {
  vi.useFakeTimers({ now: NOW });
  let current: SlotRules = { ...NOTHING, ...rules };
  const platform: Platform = { ...systemPlatform, now: () => systemPlatform.wall(), random };
  const slots = new Slots({ rules: () => current, platform, scrub: (text) => `(${text})` });
  const sent: SentRequest[] = [];

  const ask = (name: string, more: Partial<SlotRequest> = {}): TestRequest => {
    const stop = new AbortController();
    const seen: string[] = [];
    const asked: TestRequest = {
      name,
      seen,
      outcome: {},
      callOff: async (reason) => {
        stop.abort(reason);
        await flushTasks();
      },
    };
    const request: SlotRequest = {
      tenant: "default",
      model: "fake/one",
      lane: "normal",
      deadlineAt: undefined,
      tokens: 100,
      signal: stop.signal,
      mayUse: () => true,
      onWait: (isWaiting) => void seen.push(isWaiting ? "waits" : "sent"),
      onRetry: (failure) => void seen.push(`again: ${(failure as SysError).code}`),
      ...more,
    };
    const attempt = (model: string, signal: AbortSignal) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      sent.push({
        name,
        model,
        at: platform.now() - NOW,
        signal,
        answer: async (result) => (resolve(result), flushTasks()),
        fail: async (failure) => (reject(failure), flushTasks()),
      });
      return promise;
    };
    slots.run(request, attempt).then(
      ({ model, result }) => {
        seen.push(`answered by ${model}`);
        asked.outcome = { model, result };
      },
      (failure: SysError) => {
        seen.push(`failed: ${failure.code ?? String(failure)}`);
        asked.outcome = { failure };
      },
    );
    return asked;
  };

  const last = (): SentRequest => sent.at(-1)!;
  return {
    slots,
    sent,
    ask,
    last,
    names: () => sent.map(({ name }) => name),
    rule: (changed: Partial<SlotRules>) => void (current = { ...NOTHING, ...changed }),
    report: (model = "fake/one") => slots.reports().find((report) => report.model === model)!,
    /** Fails the last try and lets the longest rest pass, so many times. */
    failAgain: async (times: number, failure: () => unknown) => {
      for (let time = 0; time < times; time++) {
        await last().fail(failure());
        if (time < times - 1) await pass(30_000);
      }
    },
  };
}

export const rateLimit = (retryAfter?: number): SysError =>
  new SysError("ERATE", "too many requests", { retryAfter });

export const hiccup = (retryAfter?: number): SysError =>
  new SysError("EUPSTREAM", "overloaded", { detail: { transient: true }, retryAfter });

export const one = (rule: SlotRules["models"][string]): Partial<SlotRules> => ({
  models: { "fake/one": rule },
});
