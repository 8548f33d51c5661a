import { expect, test } from "vitest";
import { RateLimit } from "./limits.ts";

test("GATEWAY-LIMITS-1: each caller may send a burst, and then so many requests a second", () => {
  let nowMs = 0;
  const limit = new RateLimit({ perSecond: 2, burst: 3, now: () => nowMs });
  const taken = (who: string) => {
    try {
      limit.take(who);
      return "taken";
    } catch (error) {
      return (error as { retryAfter: number }).retryAfter;
    }
  };

  expect([1, 2, 3, 4].map(() => taken("a"))).toEqual(["taken", "taken", "taken", 500]);
  expect(taken("b")).toBe("taken");
  nowMs += 500;
  expect([taken("a"), taken("a")]).toEqual(["taken", 500]);
  nowMs += 60_000;
  expect([1, 2, 3, 4].map(() => taken("a"))).toEqual(["taken", "taken", "taken", 500]);
});
