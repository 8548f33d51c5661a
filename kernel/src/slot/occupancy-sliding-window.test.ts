import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SlidingWindow } from "./occupancy.ts";

test("what does not fit in waits until enough of the minute is over", () => {
  const minute = new SlidingWindow();
  minute.use(60, 0);
  minute.use(40, 10_000);

  expect(minute.waitMs(1, 100, 20_000)).toBe(40_000);
  expect(minute.waitMs(61, 100, 20_000)).toBe(50_000);
  expect(minute.waitMs(60, 100, 60_000)).toBe(0);
});

test("SLIDING-WINDOW-1: what was not used is given back, and what was used beyond counts", () => {
  const minute = new SlidingWindow();
  const use = minute.use(100, 0);
  expect(minute.waitMs(50, 100, 1)).toBeGreaterThan(0);

  minute.correct(use, 50, 1);
  expect(minute.waitMs(50, 100, 1)).toBe(0);

  minute.correct(use, 51, 1);
  expect(minute.waitMs(50, 100, 1)).toBe(59_999);
});

test("SLIDING-WINDOW-1: what is said when the minute is over changes nothing", () => {
  const minute = new SlidingWindow();
  const use = minute.use(100, 0);

  minute.correct(use, 0, 60_000);

  minute.use(100, 60_000);
  expect(minute.waitMs(1, 100, 60_000)).toBe(60_000);
});

test("SLIDING-WINDOW-2: who asks for more than a minute holds goes when it is empty", () => {
  const minute = new SlidingWindow();
  expect(minute.waitMs(500, 100, 0)).toBe(0);

  minute.use(1, 0);

  expect(minute.waitMs(500, 100, 0)).toBe(60_000);
  expect(minute.waitMs(0, 0, 0)).toBe(Infinity);
});

test("SLIDING-WINDOW-3: a clock that steps back makes nobody wait for longer than a minute", () => {
  const minute = new SlidingWindow();
  minute.use(1, 3_600_000);

  expect(minute.waitMs(1, 1, 0)).toBe(60_000);
});

test("no minute, wherever it begins, holds more than is allowed", () => {
  const arrivals = fc.array(
    fc.record({ afterMs: fc.nat(20_000), amount: fc.integer({ min: 1, max: 30 }) }),
    { maxLength: 80 },
  );
  fc.assert(
    fc.property(arrivals, (list) => {
      const minute = new SlidingWindow();
      const used: { at: number; amount: number }[] = [];
      let now = 0;
      for (const { afterMs, amount } of list) {
        now += afterMs;
        now += minute.waitMs(amount, 50, now);
        expect(minute.waitMs(amount, 50, now)).toBe(0);
        minute.use(amount, now);
        used.push({ at: now, amount });
        const within = used.filter(({ at }) => at > now - 60_000);
        expect(within.reduce((sum, one) => sum + one.amount, 0)).toBeLessThanOrEqual(50);
      }
    }),
  );
});

test("what is long over is dropped, and nothing else is", () => {
  const minute = new SlidingWindow();
  for (let second = 0; second < 5000; second++) minute.use(1, second * 1000);

  expect(minute.waitMs(1, 60, 4_999_000)).toBe(1000);
  expect(minute.waitMs(1, 61, 4_999_000)).toBe(0);
});
