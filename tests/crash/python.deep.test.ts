// Crash tests of a program in another process: the daemon is killed at every fourth commit, and the program
// itself before and after each of its calls.

import { chmodSync, existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Tool } from "@aos/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeSandbox, sandboxedPrograms } from "../helpers/sandbox.ts";
import {
  bootAgain,
  expectUnharmed,
  inFolder,
  killAtEveryCommit,
  runHost,
  undisturbed,
  untilThrough,
  type Killed,
  type Undisturbed,
} from "./crash.ts";
import { carryThrough, witnessOf, type Situation } from "./host.ts";
import { EFFECTS, toolsWith } from "./mixed-run.ts";

const situation = (folder: string): Situation => ({
  folder,
  onDoubt: "retry",
  durability: "every-call",
  program: "python",
  unloadAfterMs: 1000,
});

/** Programs that are killed at a call, and leave a note of it where they may write. */
function killedOnce(folder: string, call: string) {
  chmodSync(folder, 0o777);
  const env = { AOS_TEST_KILL_CALL: call };
  return sandboxedPrograms({ env, mounts: [{ from: folder, mode: "write" }] });
}

const [COMMITS, CALLS] = [4, 1];

let expected: Undisturbed;

afterAll(closeSandbox);

beforeAll(async () => {
  expected = await undisturbed(situation);
  expect(expected.effects).toEqual(EFFECTS);
});

test.each(["before", "after"] as const)(
  "the daemon is killed %s commits all over its way",
  async (when) => {
    const commits = await killAtEveryCommit(situation, { expected, when, every: COMMITS });

    expect(commits).toBeGreaterThan(30);
  },
);

test.each(["before", "after"] as const)("the program is killed %s each call", async (when) => {
  const nobody: Killed = { isKilled: false, said: "", acknowledged: {} };

  const calls = await untilThrough(CALLS, (call) =>
    inFolder(async (folder) => {
      const foreign = killedOnce(folder, `${call}:${when}`);
      const unharmed = expectUnharmed(situation(folder), nobody, expected, { foreign });
      await unharmed.catch((error: unknown) => {
        throw new Error(`killed ${when} call ${call}`, { cause: error });
      });
      return !existsSync(join(folder, "killed"));
    }),
  );

  expect(calls).toBeGreaterThan(25);
});

test("an effect that is under way when its program is killed happens once, and nobody is asked", async () => {
  await inFolder(async (folder) => {
    // Slow enough to be under way when the program is started again; and it does not mind being told
    // to stop, as the far side of a network would not.
    const ask = { ...situation(folder), onDoubt: "ask" } as const;
    const tools = toolsWith(witnessOf(ask), "ask").map((tool): Tool => ({
      ...tool,
      run: async (args, context) => {
        if (tool.effect === "external") await delay(600);
        return tool.run(args, context);
      },
    }));
    const foreign = killedOnce(folder, "7:after");
    const kernel = await bootAgain(ask, { tools, foreign });
    let questions = 0;
    const look = async () => (questions += (await kernel.questions()).length);
    const looking = setInterval(() => void look(), 20);

    const ending = await carryThrough(kernel, ask, () => {});

    clearInterval(looking);
    expect(ending.output).toEqual(expected.output);
    expect(witnessOf(ask).whats).toEqual(EFFECTS);
    expect(questions).toBe(0);
    expect((await kernel.replay(ending.pid)).difference).toBeNull();
    await kernel.close();
  });
});

test("a program whose daemon is killed goes away by itself", async () => {
  await inFolder(async (folder) => {
    await runHost(situation(folder), { commit: 15, when: "after" });

    const isGone = async () => (await programsOf(folder)).length === 0;
    for (let tries = 0; tries < 3000 && !(await isGone()); tries++) await delay(20);

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
