// The host of a fleet is killed at every commit: each item is handled once, whatever is killed when, the attempts at a
// poisoned one are counted, and a roll comes to its end.

import { expect, test } from "vitest";
import { killFleetAtCommits } from "./fleet-crash.ts";

test.each(["before", "after"] as const)(
  "killed %s each commit, every item is handled once (FLEET-ATTEMPTS-1)",
  async (when) => {
    expect(await killFleetAtCommits(when, {})).toBeGreaterThan(20);
  },
);
