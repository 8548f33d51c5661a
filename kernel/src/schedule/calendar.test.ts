import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { calendarOf, jitterOf, monthAt } from "./calendar.ts";
import { nextChange, offsetAt } from "./time-zone.ts";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/Sao_Paulo",
  "Africa/Cairo",
  "Asia/Kathmandu",
  "Pacific/Auckland",
  "America/St_Johns",
];
const DAY_MS = 86_400_000;

const at = (text: string): number => Date.parse(text);
const shown = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());

function all(of: Parameters<typeof calendarOf>[0], from: number, to: number): number[] {
  const calendar = calendarOf(of);
  const found: number[] = [];
  for (let next = calendar.next(from - 1); next !== undefined && next < to;)
    next = calendar.next(found[found.push(next) - 1]!);
  return found;
}

describe("a calendar", () => {
  test("has a fixed hour that the clocks leave out once, at the first instant after the gap (CALENDAR-2)", () => {
    const berlin = { cron: "30 2 * * *", timeZone: "Europe/Berlin" };

    const days = all(berlin, at("2026-03-28T00:00Z"), at("2026-03-31T00:00Z"));

    expect(days.map(shown)).toEqual([
      "2026-03-28T01:30:00.000Z",
      "2026-03-29T01:00:00.000Z",
      "2026-03-30T00:30:00.000Z",
    ]);
  });

  test("has several fixed times of one gap, and the one right after it, as one (CALENDAR-2)", () => {
    const cron = "0,30 2,3 * * *";

    const day = all(
      { cron, timeZone: "Europe/Berlin" },
      at("2026-03-29T00:00Z"),
      at("2026-03-29T12:00Z"),
    );

    expect(day.map(shown)).toEqual(["2026-03-29T01:00:00.000Z", "2026-03-29T01:30:00.000Z"]);
  });

  test("has a fixed hour that the clocks show twice once, the first time (CALENDAR-2)", () => {
    const berlin = { cron: "30 2 * * *", timeZone: "Europe/Berlin" };

    const day = all(berlin, at("2026-10-25T00:00Z"), at("2026-10-26T00:00Z"));

    expect(day.map(shown)).toEqual(["2026-10-25T00:30:00.000Z"]);
  });

  test("has a wildcard hour as the clocks have it: 23 and 25 times (CALENDAR-3)", () => {
    const hourly = { cron: "15 * * * *", timeZone: "Europe/Berlin" };

    const short = all(hourly, at("2026-03-28T23:00Z"), at("2026-03-29T22:00Z"));
    const long = all(hourly, at("2026-10-24T22:00Z"), at("2026-10-25T23:00Z"));

    expect([short.length, long.length]).toEqual([23, 25]);
  });

  test("is UTC where no zone is named, whatever the machine's is (CALENDAR-1)", () => {
    expect(shown(calendarOf({ cron: "0 5 * * *" }).next(at("2026-07-01T00:00Z")))).toBe(
      "2026-07-01T05:00:00.000Z",
    );
  });

  test("of an interval goes by 1970 and its phase, not by when it is asked (CALENDAR-1)", () => {
    const calendar = calendarOf({ every: 900_000, phase: 60_000 });

    expect(shown(calendar.next(at("2026-01-01T00:00Z")))).toBe("2026-01-01T00:01:00.000Z");
    expect(shown(calendar.next(at("2026-01-01T00:01Z")))).toBe("2026-01-01T00:16:00.000Z");
  });

  test("understands L, W, # and seconds, and refuses what it cannot read", () => {
    const after = at("2026-02-10T00:00Z");

    expect(shown(calendarOf({ cron: "0 0 L * *" }).next(after))).toBe("2026-02-28T00:00:00.000Z");
    expect(shown(calendarOf({ cron: "0 9 15W * *" }).next(after))).toBe("2026-02-16T09:00:00.000Z");
    expect(shown(calendarOf({ cron: "0 9 * * FRI#2" }).next(after))).toBe(
      "2026-02-13T09:00:00.000Z",
    );
    expect(shown(calendarOf({ cron: "*/7 * * * * *" }).next(after))).toBe(
      "2026-02-10T00:00:07.000Z",
    );
    expect(() => calendarOf({ cron: "61 * * * *" })).toThrow(/cron "61/);
    expect(calendarOf({ cron: "0 0 30 2 *" }).next(after)).toBeUndefined();
  });

  test("has a fixed time 365 times a year in every zone (CALENDAR-2)", () => {
    for (const timeZone of ZONES)
      for (const cron of ["30 2 * * *", "0 0 * * *", "45 1 * * *"]) {
        const year = 2027;
        const from = Date.UTC(year, 0, 1) - offsetAt(timeZone, Date.UTC(year, 0, 1));
        const to = Date.UTC(year + 1, 0, 1) - offsetAt(timeZone, Date.UTC(year + 1, 0, 1));
        expect([timeZone, cron, all({ cron, timeZone }, from, to).length]).toEqual([
          timeZone,
          cron,
          365,
        ]);
      }
  }, 120_000);

  test("only goes forward, and shows on its clocks what the pattern says, or follows a gap (property)", () => {
    const from = at("2024-01-01T00:00Z");
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.integer({ min: 0, max: 4 * 365 }),
        fc.integer({ min: 0, max: 59 }),
        fc.option(fc.integer({ min: 0, max: 23 }), { nil: undefined }),
        (timeZone, day, minute, hour) => {
          const calendar = calendarOf({ cron: `${minute} ${hour ?? "*"} * * *`, timeZone });
          let last = from + day * DAY_MS;
          for (let nth = 0; nth < 30; nth++) {
            const next = calendar.next(last)!;
            expect(next).toBeGreaterThan(last);
            const clock = new Date(next + offsetAt(timeZone, next));
            const isAfterGap =
              nextChange(timeZone, next - 1000, next) === next &&
              offsetAt(timeZone, next) > offsetAt(timeZone, next - 1);
            if (!isAfterGap || hour === undefined) {
              expect(clock.getUTCMinutes()).toBe(minute);
              if (hour !== undefined) expect(clock.getUTCHours()).toBe(hour);
            }
            if (hour !== undefined && last !== from + day * DAY_MS)
              expect(Math.abs(next - last - DAY_MS)).toBeLessThanOrEqual(2 * 3_600_000);
            last = next;
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 120_000);

  test("moves a tick by the same time whenever it is asked, and never to the next tick (property)", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(100_000),
        fc.integer({ min: 1, max: 50_000 }),
        (nominal, jitter, gap) => {
          const moved = jitterOf("nightly", nominal, jitter, nominal + gap);
          expect(moved).toBe(jitterOf("nightly", nominal, jitter, nominal + gap));
          expect(moved).toBeGreaterThanOrEqual(0);
          expect(moved).toBeLessThan(gap);
          expect(moved).toBeLessThanOrEqual(jitter);
        },
      ),
    );
  });

  test("knows the month of its own clocks", () => {
    expect(monthAt("Europe/Berlin", at("2026-01-31T23:30Z"))).toBe(202602);
    expect(monthAt("UTC", at("2026-01-31T23:30Z"))).toBe(202601);
  });
});
