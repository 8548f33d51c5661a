// The same for a program in another process: the daemon is killed at every journal write, and the
// program itself at every one of its calls.

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createForeignPrograms } from "@aos/drivers";
import { beforeAll, expect, test } from "vitest";
import { expectUnharmed, inFolder, killAtEveryCommit, runHost } from "./crash.ts";
import type { Situation } from "./host.ts";

const situation = (folder: string): Situation => ({
  folder,
  onDoubt: "retry",
  durability: "every-call",
  program: "python",
  unloadAfterMs: 1000,
});

let expected: unknown;

beforeAll(async () => {
  const { said } = await inFolder((folder) => runHost(situation(folder)));
  const ending = JSON.parse(/^ended (.*)$/m.exec(said)![1]!);
  expect(ending.error).toBeNull();
  expected = ending.output;
});

test.each(["before", "after"] as const)("the daemon is killed %s each commit", async (when) => {
  const commits = await killAtEveryCommit(situation, { expected, when });

  expect(commits).toBeGreaterThan(30);
});

test.each(["before", "after"] as const)("the program is killed %s each call", async (when) => {
  let next = 1;
  let isThrough = false;
  const worker = async () => {
    while (!isThrough) {
      const call = next++;
      await inFolder(async (folder) => {
        const foreign = createForeignPrograms({ env: { AOS_TEST_KILL_CALL: `${call}:${when}` } });

        const outcome = expectUnharmed(situation(folder), { isKilled: false, said: "", acknowledged: {} }, expected, { foreign });

        await outcome.catch((error: unknown) => {
          throw new Error(`killed ${when} call ${call}`, { cause: error });
        });
        if (!existsSync(join(folder, "killed"))) isThrough = true;
      });
    }
  };
  await Promise.all([worker(), worker(), worker()]);

  expect(next).toBeGreaterThan(25);
});

test("a program whose daemon is killed goes away by itself", async () => {
  await inFolder(async (folder) => {
    await runHost(situation(folder), { commit: 15, when: "after" });

    const isGone = async () => (await programsOf(folder)).length === 0;
    for (let tries = 0; tries < 100 && !(await isGone()); tries++) await delay(20);

    expect(await programsOf(folder)).toEqual([]);
  });
});

/** The processes of this machine that were started for a folder. */
async function programsOf(folder: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return commands.filter((command) => command.includes(`mixed_run.py\0${folder}`));
}
