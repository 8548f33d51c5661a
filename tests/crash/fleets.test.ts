// A sample of fleets.deep.test.ts.

import { expect, test } from "vitest";
import { killFleetAtCommits } from "./fleet-crash.ts";

test("killed at some of its commits, a fleet handles every item once (FLEET-ATTEMPTS-1)", async () => {
  expect(await killFleetAtCommits("after", { first: 5, every: 12 })).toBeGreaterThan(20);
});
