// `W1` and `W2` are the invariants of lone-writes.ts.

import { expect, test } from "vitest";
import { LoneWrites } from "./lone-writes.ts";

test("W1: after a write that took long many are left to the other thread, then it is tried again", () => {
  const writes = new LoneWrites();
  const before = writes.isQuick;

  writes.took(50);
  const left = Array.from({ length: 1000 }, () => writes.isQuick);

  expect(before).toBe(true);
  expect(left).not.toContain(true);
  expect(writes.isQuick).toBe(true);
});

test("a quick write is followed by more", () => {
  const writes = new LoneWrites();

  writes.took(0.2);

  expect(writes.isQuick).toBe(true);
});

test("W2: the log is moved along once in five hundred writes", () => {
  const writes = new LoneWrites();

  const said = Array.from({ length: 1500 }, () => writes.took(0.2));

  expect(said.flatMap((one, nth) => (one === "checkpoint" ? [nth] : []))).toEqual([499, 999, 1499]);
});
