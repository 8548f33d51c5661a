// Crash: runs a host in a process of its own, kills it where it is told to, and looks at what is left.

import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Kernel, KernelOptions } from "@aos/kernel";
import type { Ending } from "@aos/protocol";
import { expect } from "vitest";
import { checked } from "../helpers/reference.ts";
import { bootHost, carryThrough, witnessOf, type Situation } from "./host.ts";
import { fakeModel, toolsWith } from "./mixed-run.ts";

const here = import.meta.dirname;

/** A host in this process. All its journals are judged again when it is closed: tests/reference. */
export async function bootAgain(situation: Situation, more: KernelOptions = {}): Promise<Kernel> {
  const tools = toolsWith(witnessOf(situation), situation.onDoubt);
  return checked(await bootHost(situation, more), { tools, models: [fakeModel], ...more });
}

export interface Killed {
  /** True when the host was killed, false when it came to its end first. */
  readonly isKilled: boolean;
  readonly said: string;
  /** What it was promised before it died. */
  readonly acknowledged: { readonly spawn?: string; readonly send?: string };
}

export async function runHost(
  situation: Situation,
  kill?: { readonly commit: number; readonly when: "before" | "after" },
): Promise<Killed> {
  const child = spawn(
    process.execPath,
    [
      "--import",
      join(here, "kill-switch.program.ts"),
      join(here, "host.program.ts"),
      JSON.stringify(situation),
    ],
    {
      env: {
        ...process.env,
        AOS_TEST_KILL: kill === undefined ? "" : `${kill.commit}:${kill.when}`,
        AOS_TEST_KILL_COUNT: join(situation.folder, `commits-${randomUUID()}`),
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let said = "";
  child.stdout.on("data", (chunk) => (said += String(chunk)));
  child.stderr.on("data", (chunk) => (said += String(chunk)));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on("close", (code, signal) => resolve([code, signal]));
  });
  if (signal !== "SIGKILL" && code !== 0) throw new Error(`the host failed:\n${said}`);
  return {
    isKilled: signal === "SIGKILL",
    said,
    acknowledged: {
      ...named("spawn", /^spawn (\S+)$/m.exec(said)?.[1]),
      ...named("send", /^send (\S+)$/m.exec(said)?.[1]),
    },
  };
}

const named = (name: string, value: string | undefined) =>
  value === undefined ? {} : { [name]: value };

/** What a run comes to that nobody disturbs. */
export interface Undisturbed {
  readonly output: unknown;
  readonly effects: readonly string[];
}

export async function undisturbed(make: (folder: string) => Situation): Promise<Undisturbed> {
  return inFolder(async (folder) => {
    const { said } = await runHost(make(folder));
    const ending = JSON.parse(/^ended (.*)$/m.exec(said)![1]!) as Ending;
    expect(ending.error).toBeNull();
    return { output: ending.output, effects: witnessOf({ folder }).whats };
  });
}

/** Everything that must hold once the run has been carried to its end from what a crash left. */
export async function expectUnharmed(
  situation: Situation,
  { acknowledged }: Killed,
  expected: Undisturbed,
  more: KernelOptions = {},
): Promise<void> {
  const troubles: string[] = [];
  const kernel = await bootAgain(situation, {
    ...more,
    onTrouble: (what, error) => void troubles.push(`${what}: ${String(error)}`),
  });
  try {
    const ending = await carryThrough(kernel, situation, () => {});

    expect(ending.error).toBeNull();
    expect(ending.output).toEqual(expected.output);
    expect(witnessOf(situation).whats).toEqual(expected.effects);
    if (acknowledged.spawn !== undefined) expect(ending.pid).toBe(acknowledged.spawn);
    if (acknowledged.send !== undefined && situation.program !== "tangled") {
      const heard = JSON.stringify(await kernel.journal(ending.pid));
      expect(heard).toContain(acknowledged.send);
    }
    const all = await kernel.list();
    expect(all.filter(({ state }) => state !== "completed")).toEqual([]);
    for (const { pid } of all) expect((await kernel.replay(pid)).difference).toBeNull();
    expect((await kernel.verify()).findings).toEqual([]);
    expect(troubles).toEqual([]);
  } finally {
    await kernel.close();
  }
  expect(lettersLeft(situation)).toEqual([]);
}

/** Messages that were taken are gone; only an order may be there twice, when its sender heard of none. */
function lettersLeft({ folder }: Situation): unknown[] {
  const database = new DatabaseSync(join(folder, "aos.db"));
  const rows = database.prepare("select type, body from message where type <> 'order'").all();
  database.close();
  return rows;
}

/**
 * In SQLite's manner: kills at the first commit, then at the second, and so on until a run comes
 * through. Returns how many commits that took.
 */
export async function killAtEveryCommit(
  make: (folder: string) => Situation,
  options: {
    readonly expected: Undisturbed;
    readonly when: "before" | "after";
    readonly every?: number;
  },
): Promise<number> {
  return untilThrough(options.every ?? 1, (commit) =>
    inFolder(async (folder) => {
      const situation = make(folder);
      const killed = await runHost(situation, { commit, when: options.when });
      await expectUnharmed(situation, killed, options.expected).catch((error: unknown) => {
        throw new Error(`killed ${options.when} commit ${commit}:\n${killed.said}`, {
          cause: error,
        });
      });
      return !killed.isKilled;
    }),
  );
}

/** Calls `attempt` with 1, 2 and so on, a few at a time, until one says that it was through. */
export async function untilThrough(
  every: number,
  attempt: (nth: number) => Promise<boolean>,
): Promise<number> {
  let next = 1;
  const through = new AbortController();
  const worker = async () => {
    while (!through.signal.aborted) {
      const nth = next;
      next += every;
      if (await attempt(nth)) through.abort();
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  return next;
}

export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "aos-crash-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  }
}
