// The daemon is killed at every journal write of a run of many mixed calls. Whatever the moment: the
// run ends with the same result, every effect outside happened once, what was acknowledged is there,
// every record verifies against the signed log, and a replay of what was recorded is the same to the
// byte. Where every call waits for the disk it is killed before and after each commit, elsewhere at every other: before
// one and after the one before it, the disk has the same.

import { beforeAll, describe, expect, test } from "vitest";
import {
  expectUnharmed,
  inFolder,
  killAtEveryCommit,
  runHost,
  undisturbed,
  type Undisturbed,
} from "./crash.ts";
import type { Situation } from "./host.ts";
import { EFFECTS } from "./mixed-run.ts";

const situation = (folder: string, more: Partial<Situation>): Situation => ({
  folder,
  onDoubt: "retry",
  durability: "visible",
  program: "parent",
  unloadAfterMs: 60,
  ...more,
});

const SEEDS = 4;

let expected: Undisturbed;

beforeAll(async () => {
  expected = await undisturbed((folder) => situation(folder, {}));
  expect(expected.effects).toEqual(EFFECTS);
});

const loops: readonly [name: string, more: Partial<Situation>, atLeast: number, every: number][] = [
  ["every call waits for the disk", { durability: "every-call" }, 30, 1],
  ["only visible calls wait for the disk", {}, 10, 2],
  ["a person answers for what is in doubt", { onDoubt: "ask" }, 10, 2],
  ["everything that waits is unloaded at once", { unloadAfterMs: 0 }, 10, 2],
];

describe.each(loops)("%s", (_name, more, atLeast, every) => {
  test.each(["before", "after"] as const)("killed %s each commit", async (when) => {
    const commits = await killAtEveryCommit((folder) => situation(folder, more), {
      expected,
      when,
      every,
    });

    expect(commits).toBeGreaterThan(atLeast);
  });
});

test("a daemon that is killed at its fifth commit every time it is started gets there all the same", async () => {
  await inFolder(async (folder) => {
    const often = situation(folder, { durability: "every-call" });
    let killed = await runHost(often, { commit: 5, when: "after" });
    const first = killed;
    for (let starts = 1; killed.isKilled && starts < 60; starts++)
      killed = await runHost(often, { commit: 5, when: starts % 2 === 0 ? "after" : "before" });

    expect(killed.isKilled).toBe(false);
    await expectUnharmed(often, first, expected);
  });
});

test("a program of many branches, killed anywhere, ends and replays the same", async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const make = (folder: string) => situation(folder, { program: "tangled", seed });
    const alone = await undisturbed(make);

    await killAtEveryCommit(make, { expected: alone, when: "before", every: 4 });
  }
});
