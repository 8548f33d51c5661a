import { describe, expect, test } from "vitest";
import { calendarOf } from "./calendar.ts";
import { dueTicks, MOST_TICKS } from "./due-ticks.ts";

const MINUTE = 60_000;
const START = Date.parse("2026-05-04T12:00:00Z");

const due = (
  catchUp: "latest" | "none" | "all",
  { every, after = START, now }: { every: number; after?: number; now: number },
  jitterMs = 0,
) =>
  dueTicks({ calendar: calendarOf({ every }), name: "n", jitterMs, catchUp, cursor: after, now });

describe("due ticks", () => {
  test("are all that were due since the cursor, in order, and when the next one is (DUE-TICKS-1)", () => {
    const { ticks, nextAt, omitted } = due("none", { every: 1000, now: START + 3500 });

    expect(ticks.map(({ nominal, isMissed }) => [nominal - START, isMissed])).toEqual([
      [1000, false],
      [2000, false],
      [3000, false],
    ]);
    expect([nextAt, omitted]).toEqual([START + 4000, undefined]);
  });

  test("that were missed are left with none, and made up for with all (DUE-TICKS-2)", () => {
    const now = START + 10 * MINUTE + 30_000;
    const missed = (rule: "none" | "all") =>
      due(rule, { every: MINUTE, now }).ticks.filter(({ isMissed }) => isMissed).length;

    expect(missed("none")).toBe(10);
    expect(missed("all")).toBe(0);
  });

  test("are made up for by the latest, while now is nearer to it than to the next (DUE-TICKS-2)", () => {
    const made = (now: number) =>
      due("latest", { every: 60 * MINUTE, now }).ticks.map(({ isMissed }) => isMissed);

    expect(made(START + 3 * 60 * MINUTE + 20 * MINUTE)).toEqual([true, true, false]);
    expect(made(START + 3 * 60 * MINUTE + 40 * MINUTE)).toEqual([true, true, true]);
  });

  test("of a long time are the last thousand, and the answer says what else there was (DUE-TICKS-1)", () => {
    const now = START + 30 * 86_400_000;

    const { ticks, omitted, nextAt } = due("none", { every: 1000, now });

    expect(ticks).toHaveLength(MOST_TICKS);
    expect(ticks.at(-1)!.nominal).toBe(now);
    expect(omitted).toEqual({ from: START + 1000, to: ticks[0]!.nominal });
    expect(nextAt).toBe(now + 1000);
  });

  test("wait for their jitter, each for its own", () => {
    const { ticks, nextAt } = due("none", { every: MINUTE, now: START + MINUTE }, MINUTE);

    expect(ticks).toEqual([]);
    expect(nextAt).toBeGreaterThan(START + MINUTE);
    expect(nextAt).toBeLessThan(START + 2 * MINUTE);
  });

  test("are none when the clock was set back", () => {
    expect(due("all", { every: MINUTE, after: START, now: START - 60 * MINUTE }).ticks).toEqual([]);
  });
});
