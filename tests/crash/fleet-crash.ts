// Kills the host of a fleet at a commit, carries the rest through, and looks at what came of it.

import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import { inFolder } from "./crash.ts";
import { bootFleetHost, carryFleet, GOOD } from "./fleet-host.ts";

const here = import.meta.dirname;

/** Whether the host was killed; false when it came to its end first. */
async function killFleetHost(folder: string, commit: number, when: string): Promise<boolean> {
  const program = join(here, "fleet.program.ts");
  const args = ["--import", join(here, "kill-switch.program.ts"), program, folder];
  const child = spawn(process.execPath, args, {
    env: {
      ...process.env,
      AOS_TEST_KILL: `${commit}:${when}`,
      AOS_TEST_KILL_COUNT: join(folder, `commits-${randomUUID()}`),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk) => (said += String(chunk)));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on("close", (code, signal) => resolve([code, signal]));
  });
  if (signal !== "SIGKILL" && code !== 0) throw new Error(`the host failed:\n${said}`);
  return signal === "SIGKILL";
}

async function expectWhole(folder: string): Promise<void> {
  const kernel = await bootFleetHost(folder);
  try {
    await carryFleet(kernel);
    const items = await kernel.fleetItems("workers");
    const runs = await kernel.list({ limit: 1000 });
    const { versions, done, dead, waiting } = await kernel.fleet("workers");

    expect({ done, dead, waiting }).toEqual({ done: GOOD.length, dead: 1, waiting: 0 });
    for (const id of GOOD) {
      const item = items.find((one) => one.id === id)!;
      expect(item).toMatchObject({ state: "done", attempt: 1, output: `did "${id}"` });
    }
    const bad = items.find(({ id }) => id === "bad")!;
    expect(bad.state).toBe("dead");
    // The host may die in the last attempt: the item is given up before it is begun again.
    expect(bad.attempt).toBeLessThanOrEqual(3);
    expect([3, 4]).toContain(bad.attempt + bad.crashes);
    // Every process is that of one attempt, and every attempt has one process.
    expect(runs).toHaveLength(GOOD.length + bad.attempt);
    expect(versions).toMatchObject([{ version: 2, role: "stable" }]);
    expect((await kernel.verify()).findings).toEqual([]);
  } finally {
    await kernel.close();
  }
}

/** Answers how many commits there were to be killed at. */
export async function killFleetAtCommits(
  when: "before" | "after",
  { first = 1, every = 1 }: { first?: number; every?: number },
): Promise<number> {
  for (let commit = first; ; commit += every) {
    const isKilled = await inFolder(async (folder) => {
      const killed = await killFleetHost(folder, commit, when);
      await expectWhole(folder);
      return killed;
    });
    if (!isKilled) return commit;
  }
}
