// The guard of the benches: its arithmetic, and that it is asked. How fast anything is, no test can say.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { figureNames } from "../../bench/guard-figures.ts";
import { guardExitCode, leastRatios, worseRows } from "../../bench/guard.ts";

const at = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const row = (ratio: number, before: number | undefined) => ({ figure: "a step", ratio, before });

test.each([
  { ratio: 11.5, before: 10, code: 0 },
  { ratio: 11.51, before: 10, code: 1 },
  { ratio: 4, before: 10, code: 0 },
  { ratio: Number.NaN, before: 10, code: 1 },
  { ratio: 4, before: undefined, code: 1 },
])("GUARD-1: $ratio where $before was before ends with $code", ({ ratio, before, code }) => {
  const rows = [row(1, 1), row(ratio, before)];

  expect(guardExitCode(rows, [])).toBe(code);
  expect(worseRows(rows)).toEqual(code === 0 ? [] : [rows[1]]);
});

test("GUARD-2: the short form and a run that keeps its ratios never fail", () => {
  const worse = [row(20, 10)];

  expect(guardExitCode(worse, ["--short"])).toBe(0);
  expect(guardExitCode(worse, ["--keep"])).toBe(0);
});

test("a ratio is the least of all passes over the least of the floor; that of the disk has none", () => {
  expect(
    leastRatios(
      [
        [30, 20, 25],
        [40, 50, 60],
      ],
      [8, 5, 10],
    ),
  ).toEqual([4, 8]);
  expect(leastRatios([[1.078]], [])).toEqual([1.08]);
});

test("ten figures are guarded, and of each the last release's ratio is kept", () => {
  const { version, ratios } = JSON.parse(at("bench/guard.json")) as {
    version: string;
    ratios: Record<string, number>;
  };

  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(figureNames).toHaveLength(10);
  expect(Object.keys(ratios).toSorted()).toEqual(figureNames.toSorted());
  expect(Object.values(ratios).every((ratio) => ratio > 0)).toBe(true);
});

test("a clean checkout's run prints the short form, and never fails by it", () => {
  expect(at(".ci/run")).toContain("npm run -s bench -- guard --short 2>&1 || true");
});
