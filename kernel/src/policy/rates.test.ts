import { expect, test } from "vitest";
import { Rates, ratePrefix, rateUse } from "./rates.ts";

const use = { key: "rate:org/slow/acme/writer", count: 10, perMs: 60_000 };
const T0 = 1_800_000_000_000;

test("a bucket holds its count and refills evenly", () => {
  const rates = new Rates();

  rates.charge(Array(10).fill(use), T0);

  expect(rates.left(use, T0)).toBe(0);
  expect(rates.waitMs(use, T0)).toBe(6000);
  expect(rates.left(use, T0 + 6000)).toBe(1);
  expect(rates.waitMs(use, T0 + 6000)).toBe(0);
  expect(rates.left(use, T0 + 3_600_000)).toBe(10);
});

test("RATES-1: a clock that steps back neither refills nor drains", () => {
  const rates = new Rates();
  rates.charge(Array(9).fill(use), T0);

  expect(rates.left(use, T0 - 3_600_000)).toBe(1);
  rates.charge([use], T0 - 3_600_000);

  expect(rates.left(use, T0)).toBe(0);
  expect(rates.waitMs(use, T0 - 1000)).toBe(7000);
  expect(rates.left(use, T0 + 6000)).toBe(1);
});

test("a charge over the limit does not run into debt", () => {
  const rates = new Rates();

  rates.charge(Array(50).fill(use), T0);

  expect(rates.left(use, T0 + 6000)).toBe(1);
});

test("RATES-2: its state is plain JSON, without full buckets, and restores to the same", () => {
  const rates = new Rates();
  rates.charge(Array(10).fill(use), T0);
  rates.charge([{ ...use, key: "rate:org/slow/acme/old" }], T0 - 3_600_000);

  const state = JSON.parse(JSON.stringify(rates.state(T0)));
  const restored = new Rates();
  restored.charge([{ ...use, key: "rate:other" }], T0);
  restored.restore(state);

  expect(state).toEqual([{ key: use.key, tokens: 0, atMs: T0, count: 10, perMs: 60_000 }]);
  expect(restored.left(use, T0 + 6000)).toBe(1);
  expect(restored.state(T0)).toEqual(state);
});

test("a smaller limit after a reload is in force at once", () => {
  const rates = new Rates();
  rates.charge([use], T0);

  expect(rates.left({ ...use, count: 2 }, T0)).toBe(2);
});

test("full buckets do not pile up", () => {
  const rates = new Rates();

  for (let i = 0; i < 30_000; i++) rates.charge([{ ...use, key: `rate:${i}` }], T0 + i * 100);

  expect(rates.size).toBeLessThan(12_000);
});

test("no two agents share a key, whatever their names hold", () => {
  const rate = { count: 1, perMs: 1000 };
  const keyOf = (layer: string, tenant: string, agent: string) =>
    rateUse(ratePrefix(layer, "r"), rate, tenant, agent).key;

  const keys = [
    keyOf("org", "a", "b/c"),
    keyOf("org", "a/b", "c"),
    keyOf("org/r", "a", "b"),
    keyOf("org", "a%2Fb", "c"),
  ];

  expect(keys[0]).toBe("rate:org/r/a/b%2Fc");
  expect(new Set(keys).size).toBe(keys.length);
});

test("where a use is left nobody waits, not even when the clock has stepped back", () => {
  const rates = new Rates();
  expect(rates.waitMs(use, T0)).toBe(0);
  rates.charge(Array(9).fill(use), T0);

  expect(rates.left(use, T0 - 1000)).toBe(1);
  expect(rates.waitMs(use, T0 - 1000)).toBe(0);
});

test("RATES-2: what is kept of one key, and nothing of one that was never used", () => {
  const rates = new Rates();
  rates.charge([use], T0);

  expect(rates.stateOf(use.key)).toEqual(rates.state(T0)[0]);
  expect(rates.stateOf("rate:other")).toBeUndefined();
});
