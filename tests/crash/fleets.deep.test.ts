// The host of a fleet is killed at every commit: each item is handled once, whatever is killed when, the attempts at a
// poisoned one are counted, and a roll comes to its end. Before one commit and after the one before it, the disk has
// the same: few are killed before.

import { expect, test } from "vitest";
import { killFleetAtCommits } from "./fleet-crash.ts";

test("killed after each commit, every item is handled once (FLEET-ATTEMPTS-1)", async () => {
  expect(await killFleetAtCommits("after", {})).toBeGreaterThan(20);
});

test("killed before some commits too", async () => {
  expect(await killFleetAtCommits("before", { first: 3, every: 9 })).toBeGreaterThan(20);
});
