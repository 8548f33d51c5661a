import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bootstrapInterval,
  mcnemar,
  meanInterval,
  pairedDifference,
  tQuantile975,
  wilson,
} from "./statistics.ts";

describe("intervals", () => {
  test("a Wilson interval has the published values", () => {
    const of = (k: number, n: number) => {
      const { low, high } = wilson(k / n, n)!;
      return [low.toFixed(4), high.toFixed(4)];
    };

    expect(of(8, 10)).toEqual(["0.4902", "0.9433"]);
    expect(of(0, 10)).toEqual(["0.0000", "0.2775"]);
    expect(of(10, 10)).toEqual(["0.7225", "1.0000"]);
    expect(of(81, 263)).toEqual(["0.2553", "0.3662"]); // Newcombe 1998
    expect(wilson(1, 0)).toBeNull();
  });

  test("a Student interval has the known values, and none of one case", () => {
    const { low, high } = meanInterval([1, 2, 3, 4, 5])!;

    expect([low.toFixed(4), high.toFixed(4)]).toEqual(["1.0368", "4.9632"]);
    expect(meanInterval([3])).toBeNull();
    expect(tQuantile975(30)).toBeCloseTo(2.042_272, 4);
    expect(tQuantile975(100)).toBeCloseTo(1.983_972, 5);
  });

  test("every interval contains what it is of, and a larger sample narrows it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 50, max: 500 }), (k, n) => {
        const rate = k / n;
        const [few, many] = [wilson(rate, n)!, wilson(rate, 10 * n)!];
        expect(few.low).toBeLessThanOrEqual(rate + 1e-12);
        expect(few.high).toBeGreaterThanOrEqual(rate - 1e-12);
        expect(few.low).toBeGreaterThanOrEqual(0);
        expect(few.high).toBeLessThanOrEqual(1);
        expect(many.high - many.low).toBeLessThan(few.high - few.low);
      }),
    );
  });
});

describe("comparison of two runs", () => {
  test("McNemar's exact test has the values of the binomial distribution", () => {
    expect(mcnemar(0, 0)).toBe(1);
    expect(mcnemar(5, 5)).toBe(1);
    expect(mcnemar(0, 6)).toBeCloseTo(0.031_25, 10);
    expect(mcnemar(1, 9)).toBeCloseTo(0.021_484_375, 10);
    expect(mcnemar(9, 1)).toBe(mcnemar(1, 9));
    expect(mcnemar(600, 700)).toBeCloseTo(0.0055, 3);
    expect(mcnemar(1000, 1200)).toBeLessThan(0.0001);
  });

  test("few cases cannot tell, many can", () => {
    const changed = (n: number): [number, number][] => Array.from({ length: n }, () => [0, 1]);
    const same = (n: number): [number, number][] => Array.from({ length: n }, () => [1, 1]);

    expect(pairedDifference([...changed(3), ...same(7)])).toMatchObject({
      says: "cannot tell",
      better: 3,
      worse: 0,
      p: 0.25,
    });
    expect(pairedDifference([...changed(8), ...same(12)])).toMatchObject({ says: "better" });
    expect(pairedDifference([])).toMatchObject({ says: "cannot tell", cases: 0 });
    expect(pairedDifference([[0.2, 0.9]])).toMatchObject({ says: "cannot tell", p: null });
  });

  test("graded scores are compared by bootstrap, the same way each time", () => {
    const pairs = Array.from({ length: 40 }, (_, n): [number, number] => [
      0.4 + (n % 5) / 50,
      0.6 + (n % 7) / 50,
    ]);
    const differences = pairs.map(([one, other]) => other - one);

    expect(pairedDifference(pairs)).toMatchObject({ says: "better", p: null });
    expect(pairedDifference(pairs.map(([one, other]) => [other, one]))).toMatchObject({
      says: "worse",
    });
    expect(bootstrapInterval(differences)).toEqual(bootstrapInterval(differences));
  });

  test("to exchange the two turns the answer round", () => {
    const score = fc.constantFrom(0, 1);
    fc.assert(
      fc.property(fc.array(fc.tuple(score, score), { maxLength: 60 }), (pairs) => {
        const there = pairedDifference(pairs);
        const back = pairedDifference(pairs.map(([one, other]) => [other, one] as const));
        expect(back.p).toEqual(there.p);
        expect(back.mean).toBeCloseTo(-there.mean, 12);
        const turned = { better: "worse", worse: "better", "cannot tell": "cannot tell" } as const;
        expect(back.says).toBe(turned[there.says]);
      }),
    );
  });
});
