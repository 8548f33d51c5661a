// `LONE-WRITES-1` and `LONE-WRITES-2` are the invariants of lone-writes.ts.

import { expect, test } from "vitest";
import { LoneWrites } from "./lone-writes.ts";

/** How many are left to the other thread until one is made here. */
function leftAfter(writes: LoneWrites): number {
  let left = 0;
  while (!writes.takeNext()) left++;
  return left;
}

const quick = (writes: LoneWrites, count: number) => {
  for (let nth = 0; nth < count; nth++) writes.took(0.2);
};

test("LONE-WRITES-1: after a write that took long some are left to the other thread, twice as many each time", () => {
  const writes = new LoneWrites();

  const left = Array.from({ length: 9 }, () => {
    writes.took(50);
    return leftAfter(writes);
  });

  expect(left).toEqual([16, 32, 64, 128, 256, 512, 1024, 1024, 1024]);
});

test("LONE-WRITES-1: a disk that was slow once is tried again soon, when many writes were quick since", () => {
  const writes = new LoneWrites();
  writes.took(50);
  leftAfter(writes);

  quick(writes, 255);
  writes.took(50);
  const afterFew = leftAfter(writes);
  quick(writes, 256);
  writes.took(50);

  expect([afterFew, leftAfter(writes)]).toEqual([32, 16]);
});

test("a quick write is followed by more", () => {
  const writes = new LoneWrites();

  writes.took(5);

  expect(writes.takeNext()).toBe(true);
});

test("LONE-WRITES-2: the log is moved along once in five hundred writes", () => {
  const writes = new LoneWrites();

  const said = Array.from({ length: 1500 }, () => writes.took(0.2));

  expect(said.flatMap((one, nth) => (one === "checkpoint" ? [nth] : []))).toEqual([499, 999, 1499]);
});
