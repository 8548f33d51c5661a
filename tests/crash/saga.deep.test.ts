// A saga whose host is killed at every commit, before and after it: three steps are done and taken back, in reverse
// order, each once.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Ending, WorkflowOutcome } from "@aos/protocol";
import { expect, test } from "vitest";
import { inFolder, untilThrough } from "./crash.ts";
import { Witness } from "./witness.ts";

const here = import.meta.dirname;

interface Said {
  readonly ending: Ending;
  readonly difference: unknown;
  readonly findings: readonly unknown[];
}

/** Undefined where it was killed. */
async function run(folder: string, kill = ""): Promise<Said | undefined> {
  const child = spawn(
    process.execPath,
    ["--import", join(here, "kill-switch.program.ts"), join(here, "saga.program.ts"), folder],
    {
      env: {
        ...process.env,
        AOS_TEST_KILL: kill,
        AOS_TEST_KILL_COUNT: join(folder, `commits-${randomUUID()}`),
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let said = "";
  child.stdout.on("data", (chunk) => (said += String(chunk)));
  child.stderr.on("data", (chunk) => (said += String(chunk)));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on("close", (one, other) => resolve([one, other]));
  });
  if (signal === "SIGKILL") return undefined;
  if (code !== 0) throw new Error(`the host failed:\n${said}`);
  return JSON.parse(said.slice(said.indexOf("{"))) as Said;
}

function expectTakenBack(folder: string, { ending, difference, findings }: Said): void {
  const { undone, failed } = ending.output as unknown as WorkflowOutcome;
  expect({ undone, failed: failed?.step, difference, findings }).toEqual({
    undone: ["c", "b", "a"],
    failed: "d",
    difference: null,
    findings: [],
  });
  const { effects } = new Witness(join(folder, "witness"));
  expect(effects.map(({ what }) => what)).toEqual(["a", "b", "c", "undo c", "undo b", "undo a"]);
}

test.each(["before", "after"] as const)(
  "a saga killed %s each commit takes back what it did, in reverse, once (COMPENSATE-1)",
  async (when) => {
    const commits = await untilThrough(1, (commit) =>
      inFolder(async (folder) => {
        const first = await run(folder, `${commit}:${when}`);
        try {
          expectTakenBack(folder, first ?? (await run(folder))!);
        } catch (error) {
          throw new Error(`killed ${when} commit ${commit}`, { cause: error });
        }
        return first !== undefined;
      }),
    );

    expect(commits).toBeGreaterThan(12);
  },
);
