// Whether a new version is worse than the stable one.

import { expect, test } from "vitest";
import { looksOf, rollVerdict, type VersionRun } from "./roll-verdict.ts";
import { beyondByCost, chanceOfMoreErrors } from "./version-comparison.ts";

const rule = { share: 0.1, sample: 40, baseline: 10, margin: 0.02, costRatio: 1.2 };
const runs = (good: number, bad: number, microUsd = 1000): VersionRun[] => [
  ...Array.from({ length: bad }, (_, nth) => ({ isError: true, microUsd: microUsd + nth })),
  ...Array.from({ length: good }, (_, nth) => ({ isError: false, microUsd: microUsd + nth })),
];
const verdict = (canary: VersionRun[], stable: VersionRun[], more: object = {}) =>
  rollVerdict({ ...rule, ...more }, canary, stable).verdict;

test("is looked for after 10, 20, 40, … runs and after the sample (ROLL-VERDICT-1)", () => {
  expect(looksOf(40)).toEqual([10, 20, 40]);
  expect(looksOf(50)).toEqual([10, 20, 40, 50]);
  expect(looksOf(3)).toEqual([3]);
});

test("goes back when it surely fails more often, and not for what happens to the stable one too (ROLL-VERDICT-2)", () => {
  expect(verdict(runs(5, 5), runs(100, 0))).toBe("back");
  expect(verdict(runs(4, 5), runs(100, 0))).toBe("hold"); // nine runs: no look yet
  expect(verdict(runs(9, 1), runs(90, 10))).toBe("hold");
  const halves = Array.from({ length: 20 }, () => runs(1, 1)).flat();
  expect(verdict(halves, runs(50, 50))).toBe("promote");
});

test("goes back when it costs more, or when one run is too dear (ROLL-VERDICT-2)", () => {
  expect(verdict(runs(40, 0, 2000), runs(100, 0, 1000))).toBe("back");
  expect(verdict(runs(40, 0, 1100), runs(100, 0, 1000))).toBe("promote");
  expect(verdict(runs(1, 0, 2_000_000), runs(100, 0), { maxUsd: 1 })).toBe("back");
});

test("is promoted by enough runs of both versions only (ROLL-VERDICT-3)", () => {
  expect(verdict(runs(39, 0), runs(100, 0))).toBe("hold");
  expect(verdict(runs(40, 0), runs(9, 0))).toBe("hold");
  expect(verdict(runs(40, 0), runs(10, 0))).toBe("promote");
  expect(verdict(runs(3, 0), runs(10, 0), { first: 3 })).toBe("promote");
  expect(verdict(runs(40, 0), [], { baseline: 0 })).toBe("promote");
});

test("chances are those of the two Beta distributions", () => {
  const even = chanceOfMoreErrors({ errors: 5, runs: 10 }, { errors: 5, runs: 10 }, 0);
  const uniform = chanceOfMoreErrors({ errors: 1, runs: 1 }, { errors: 0, runs: 0 }, 0);

  expect(even).toBeCloseTo(0.5, 2);
  expect(uniform).toBeCloseTo(2 / 3, 2); // P(X > Y) of Beta(2, 1) and Beta(1, 1)
});

test("costs are compared by Welch's test on their logarithms", () => {
  const spread = (base: number) => Array.from({ length: 20 }, (_, nth) => base * (1 + nth / 100));

  expect(beyondByCost(spread(150), spread(100), 1.2, 0.99)).toBe(true);
  expect(beyondByCost(spread(121), spread(100), 1.2, 0.99)).toBe(false);
  expect(beyondByCost([1e6], spread(1), 1.2, 0.99)).toBe(false);
  expect(beyondByCost([5, 5], [1, 1], 1.2, 0.99)).toBe(true);
});
