import { expect, test } from "vitest";
import { ModelStatistics } from "./model-queue.ts";

test("before the first answer nothing is known", () => {
  const tally = new ModelStatistics();

  expect(tally.times()).toEqual({ p50Ms: null, p95Ms: null, waitP50Ms: null, waitP95Ms: null });
  expect(tally.durationMs(10, 5)).toBeUndefined();
  expect(tally.usualTokens).toBeUndefined();
});

test("half of the answers took no longer than p50, and nineteen of twenty than p95", () => {
  const tally = new ModelStatistics();
  for (let ms = 1; ms <= 100; ms++) {
    tally.began(ms * 2);
    tally.answered(ms, undefined, ms);
  }

  expect(tally.times()).toEqual({ p50Ms: 50, p95Ms: 95, waitP50Ms: 100, waitP95Ms: 190 });
});

test("only the last 500 are kept", () => {
  const tally = new ModelStatistics();
  for (let ms = 0; ms < 1500; ms++) tally.answered(ms < 1000 ? 7 : 9, undefined, ms);

  expect(tally.times()).toMatchObject({ p50Ms: 9, p95Ms: 9 });
  expect(tally.durationMs(10, 1500)).toBe(10); // 500 ends in 500 ms
});

test("what is usual follows the answers slowly", () => {
  const tally = new ModelStatistics();
  tally.answered(1, 1000, 0);
  expect(tally.usualTokens).toBe(1000);

  tally.answered(1, 2000, 0);

  expect(tally.usualTokens).toBe(1100);
});
