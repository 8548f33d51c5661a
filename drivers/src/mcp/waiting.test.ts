import { expect, test } from "vitest";
import { pauseAfter } from "./waiting.ts";

test("pauses grow up to the longest, and vary", () => {
  const times = { firstPauseMs: 100, longestPauseMs: 1000 };

  expect([0, 1, 2, 3, 9].map((failures) => pauseAfter(failures, times, () => 1))).toEqual([
    100, 100, 200, 400, 1000,
  ]);
  expect(pauseAfter(1, times, () => 0)).toBe(50);
});
