import { expect, test } from "vitest";
import {
  breakerOf,
  candidatesOf,
  hedgeAfterMs,
  limitsOf,
  modelRule,
  NO_SLOT_RULES,
  queueOf,
  retriesOf,
  weightOf,
} from "./rules.ts";

const rules = {
  ...NO_SLOT_RULES,
  providers: {
    fake: { concurrency: 5, requestsPerMinute: 10, retries: 1, fallback: ["spare/big"] },
  },
  models: {
    "fake/one": { concurrency: 7, tokensPerMinute: 9, retries: 0, fallback: ["fake/two"] },
    "fake/two": { fallback: ["other/three", "fake/one"] },
  },
};

test("a model's own word comes before its provider's, and that before the default", () => {
  expect(retriesOf(rules, "fake/one")).toBe(0);
  expect(retriesOf(rules, "fake/two")).toBe(1);
  expect(retriesOf(rules, "other/three")).toBe(3);
  expect(breakerOf(rules, "fake/one")).toEqual({ failures: 5, coolMs: 30_000 });
  expect(hedgeAfterMs(rules, "fake/one")).toBeUndefined();
  expect(queueOf(rules)).toBe(10_000);
});

test("a chain has the own fallbacks first, then theirs, and each once", () => {
  const chain = {
    ...NO_SLOT_RULES,
    models: {
      "a/1": { fallback: ["b/1", "c/1"] },
      "b/1": { fallback: ["d/1", "a/1"] },
      "c/1": { fallback: ["b/1"] },
    },
  };

  expect(candidatesOf(chain, "a/1")).toEqual(["a/1", "b/1", "c/1", "d/1"]);
  expect(candidatesOf(rules, "fake/one")).toEqual(["fake/one", "fake/two", "other/three"]);
  expect(candidatesOf(rules, "fake/other")).toEqual(["fake/other", "spare/big"]);
});

test("of two limits the lower is shown", () => {
  expect(limitsOf(rules, "fake/one")).toEqual({
    concurrency: 5,
    requestsPerMinute: 10,
    tokensPerMinute: 9,
  });
  expect(limitsOf(rules, "none/x")).toMatchObject({ concurrency: null, tokensPerMinute: null });
});

test("a weight is 1 unless said; names that every object has mean nothing", () => {
  const weighted = { ...NO_SLOT_RULES, tenants: { a: { weight: 3 }, b: { weight: 0 } } };

  expect(["a", "b", "c"].map((tenant) => weightOf(weighted, tenant))).toEqual([3, 1, 1]);
  expect(weightOf(weighted, "constructor")).toBe(1);
  expect(modelRule(rules, "toString")).toBeUndefined();
});
