import { expect, test } from "vitest";
import { dateFit, datesIn, isTimeQuestion, mentionsTime } from "./dates.ts";

const day = (date: number) => ({ from: date, to: date });

test.each([
  ["1:56 pm on 8 May, 2023", [day(20230508)]],
  ["May 8th, 2023", [day(20230508)]],
  ["2024-02-06 10:20", [day(20240206)]],
  ["in June 2024", [{ from: 20240601, to: 20240631 }]],
  ["It may rain", []],
])("the dates in %j are found", (text, dates) => {
  expect(datesIn(text)).toEqual(dates);
});

test.each([
  ["yesterday", day(20240314)],
  ["last Friday", day(20240308)],
  ["two days ago", day(20240313)],
  ["last month", { from: 20240201, to: 20240231 }],
  ["next week", { from: 20240318, to: 20240328 }],
])("DATES-2: %s is resolved against the day of the session", (text, range) => {
  expect(datesIn(`we met ${text}`, 20240315)).toEqual([range]);
  expect(datesIn(`we met ${text}`)).toEqual([]);
});

test("a day fits better than its month, and its month better than another", () => {
  const session = [day(20240508)];

  const [same, month, other] = ["8 May 2024", "May 2024", "June 2024"].map((text) =>
    dateFit(datesIn(text), session),
  );

  expect(same).toBe(1);
  expect(month).toBeLessThan(1);
  expect(month).toBeGreaterThan(0);
  expect(other).toBe(0);
});

test("questions about time, and texts that tell it", () => {
  expect(isTimeQuestion("When did they meet?")).toBe(true);
  expect(isTimeQuestion("Who is it?")).toBe(false);
  expect(mentionsTime("We leave on Tuesday")).toBe(true);
  expect(mentionsTime("We like it here")).toBe(false);
});
