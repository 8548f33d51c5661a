// How many replicas a fleet should have.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { wantedReplicas } from "./wanted-replicas.ts";

const rule = { min: 0, max: 10, target: 5, age: 60_000, coolDown: 300_000 };
const wanted = (queue: object, state: object, more: object = {}) =>
  wantedReplicas(
    { ...rule, ...more },
    { unfinished: 0, oldestMs: 0, ...queue },
    { replicas: 1, sinceScaledMs: 1e9, idleMs: 0, affordable: Infinity, ...state },
  );

test("rises with the depth, at most to the double at once, and from nothing to one (WANTED-REPLICAS-2)", () => {
  expect(wanted({ unfinished: 50 }, { replicas: 0 })).toBe(1);
  expect(wanted({ unfinished: 50 }, { replicas: 3 })).toBe(6);
  expect(wanted({ unfinished: 11 }, { replicas: 2 })).toBe(3);
  expect(wanted({ unfinished: 50 }, { replicas: 1 }, { min: 4 })).toBe(4);
});

test("adds one while the oldest item is too old, and not again at once", () => {
  expect(wanted({ unfinished: 1, oldestMs: 61_000 }, { replicas: 3 })).toBe(4);
  expect(wanted({ unfinished: 1, oldestMs: 61_000 }, { replicas: 3, sinceScaledMs: 10 })).toBe(3);
  expect(wanted({ unfinished: 1, oldestMs: 59_000 }, { replicas: 1 })).toBe(1);
});

test("falls by one, and only after the cool-down (WANTED-REPLICAS-2)", () => {
  expect(wanted({}, { replicas: 4, idleMs: 299_999 })).toBe(4);
  expect(wanted({}, { replicas: 4, idleMs: 300_000 })).toBe(3);
  expect(wanted({}, { replicas: 20, idleMs: 0 })).toBe(10);
});

test("is never outside of its bounds, nor more than the budget has runs for (WANTED-REPLICAS-1)", () => {
  const count = fc.integer({ min: 0, max: 1000 });
  fc.assert(
    fc.property(
      count,
      count,
      count,
      count,
      count,
      (unfinished, oldestMs, replicas, idleMs, affordable) => {
        const next = wanted(
          { unfinished, oldestMs: oldestMs * 1000 },
          { replicas, idleMs: idleMs * 1000, affordable },
          { min: 2 },
        );
        expect(next).toBeLessThanOrEqual(Math.min(10, affordable));
        if (replicas >= 2 && affordable >= 2) expect(next).toBeGreaterThanOrEqual(2);
      },
    ),
  );
});
