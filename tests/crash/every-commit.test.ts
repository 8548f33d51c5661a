// The daemon is killed at every journal write of a run of many mixed calls. Whatever the moment: the
// run ends with the same result, every effect outside happened once, what was acknowledged is there,
// every record verifies against the signed log, and a replay of what was recorded is the same to the
// byte.

import { beforeAll, describe, expect, test } from "vitest";
import { inFolder, killAtEveryCommit, runHost } from "./crash.ts";
import type { Situation } from "./host.ts";

const situation = (folder: string, more: Partial<Situation>): Situation => ({
  folder,
  onDoubt: "retry",
  durability: "visible",
  program: "parent",
  unloadAfterMs: 60,
  ...more,
});

let expected: unknown;

beforeAll(async () => {
  const { said } = await inFolder((folder) => runHost(situation(folder, {})));
  expected = JSON.parse(/^ended (.*)$/m.exec(said)![1]!).output;
});

const loops: readonly [name: string, more: Partial<Situation>, atLeast: number][] = [
  ["every call waits for the disk", { durability: "every-call" }, 30],
  ["only visible calls wait for the disk", {}, 10],
  ["a person answers for what is in doubt", { onDoubt: "ask" }, 10],
  ["everything that waits is unloaded at once", { unloadAfterMs: 0 }, 10],
];

describe.each(loops)("%s", (_name, more, atLeast) => {
  test.each(["before", "after"] as const)("killed %s each commit", async (when) => {
    const commits = await killAtEveryCommit((folder) => situation(folder, more), {
      expected,
      when,
    });

    expect(commits).toBeGreaterThan(atLeast);
  });
});
