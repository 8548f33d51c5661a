// `SCHEDULING-TERMS-1` and `SCHEDULING-TERMS-2` are the invariants of scheduling-terms.ts.

import { expect, test } from "vitest";
import { laneOf, termsFrom, termsOf } from "./scheduling-terms.ts";

const under = (lane: string | null, spec: object = {}) => ({ row: { lane, spec } }) as never;

test.each([
  [undefined, undefined, null],
  ["high", undefined, "high"],
  [undefined, "low", "low"],
  ["high", "low", "high"],
] as const)("said %s, in the manifest %s: the lane of a first process is %s", (said, own, lane) => {
  const manifest = own === undefined ? {} : { lane: own };

  expect(laneOf({ manifest, parent: null, terms: { lane: said } })).toBe(lane);
});

test.each([
  [null, undefined, null],
  [null, "critical", null],
  [null, "low", "low"],
  ["high", undefined, "high"],
  ["high", "critical", "high"],
  ["high", "normal", "normal"],
  ["background", "low", "background"],
] as const)("below %s, with %s in its manifest, a child's lane is %s (T1)", (above, own, lane) => {
  const manifest = own === undefined ? {} : { lane: own };

  expect(laneOf({ manifest, parent: under(above) })).toBe(lane);
});

test("what nobody said is not there", () => {
  expect(termsOf({ manifest: {}, parent: null }, 1000)).toEqual({});
});

test("a deadline that is said counts in the place of the manifest's; of two limits the smaller does", () => {
  const manifest = { deadline: 10, ttl: { hops: 2, wall: 500 } };
  const terms = { deadlineMs: 70, ttl: { hops: 5, wallMs: 300 } };

  expect(termsOf({ manifest, parent: null, terms }, 1000)).toEqual({
    deadlineAt: 1070,
    expiresAt: 1300,
    hops: 2,
  });
  expect(termsOf({ manifest, parent: null }, 1000)).toEqual({
    deadlineAt: 1010,
    expiresAt: 1500,
    hops: 2,
  });
});

test("a child has what is left to its parent, or less (SCHEDULING-TERMS-1, SCHEDULING-TERMS-2)", () => {
  const parent = under(null, { deadlineAt: 1100, expiresAt: 1200, hops: 3 });

  expect(termsOf({ manifest: {}, parent }, 1000)).toEqual({
    deadlineAt: 1100,
    expiresAt: 1200,
    hops: 2,
  });
  const wider = { deadline: 900, ttl: { hops: 9, wall: 900 } };
  expect(termsOf({ manifest: wider, parent }, 1000)).toEqual({
    deadlineAt: 1100,
    expiresAt: 1200,
    hops: 2,
  });
  const stricter = { deadline: 5, ttl: { hops: 1, wall: 6 } };
  expect(termsOf({ manifest: stricter, parent }, 1000)).toEqual({
    deadlineAt: 1005,
    expiresAt: 1006,
    hops: 1,
  });
});

test("a fork has the time that its origin had at its birth", () => {
  const spec = { deadlineAt: 1100, expiresAt: 1200 } as never;

  expect(termsFrom(spec, 1000, 5000)).toEqual({ deadlineAt: 5100, expiresAt: 5200 });
  expect(termsFrom({} as never, 1000, 5000)).toEqual({});
});
