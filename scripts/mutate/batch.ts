// Batch: which mutants a test file notices, many in one process (batch-runner.ts).

import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { TestProject, Vitest } from "vitest/node";
import { openVitest } from "./instrumented.ts";
import type { Mutant } from "./mutants.ts";
import type { Batch } from "./batch-runner.ts";

/** A run that says nothing for so long goes in circles. */
const silentMsOf = ({ testMs, baselineMs }: BatchOptions): number =>
  testMs + Math.max(10_000, 5 * baselineMs);
const MOST_KEYS = 150;
const CHECK_EVERY = 15;

export interface BatchOptions {
  readonly root: string;
  readonly mutants: readonly Mutant[];
  /** Where files for one run may be put. */
  readonly scratch: string;
  /** A test that takes longer than this has failed. */
  readonly testMs: number;
  /** What the file takes without a mutant. */
  readonly baselineMs: number;
}

/** The keys of the mutants that the file notices. Another may have ended the process. */
export async function noticedBy(
  testFile: string,
  keys: readonly string[],
  options: BatchOptions,
): Promise<Set<string>> {
  const noticed = new Set<string>();
  const left = new Set(keys);
  let checkEvery = CHECK_EVERY;
  while (left.size > 0) {
    const chosen = [...left].slice(0, checkEvery === 1 ? CHECK_EVERY : MOST_KEYS);
    const { over, red } = await runBatch(testFile, { keys: chosen, checkEvery }, options);
    for (const key of red) noticed.add(key);
    for (const key of over) left.delete(key);
    if (over.length === 0 && checkEvery === 1) left.delete(chosen[0]!); // it ended the process
    checkEvery = over.length < chosen.length ? 1 : CHECK_EVERY;
  }
  return noticed;
}

async function runBatch(
  testFile: string,
  { keys, checkEvery }: Pick<Batch, "keys" | "checkEvery">,
  options: BatchOptions,
): Promise<{ over: string[]; red: string[] }> {
  const { root, mutants, scratch, testMs } = options;
  const files = { progressFile: `${scratch}-progress`, pidFile: `${scratch}-pid` };
  const batch: Batch = { keys, checkEvery, ...files };
  for (const file of [batch.progressFile, batch.pidFile]) writeFileSync(file, "");
  const vitest = await openVitest(root, mutants, {
    isolate: false,
    runner: join(root, "scripts/mutate/batch-runner.ts"),
    testTimeout: testMs,
    hookTimeout: testMs,
    provide: { batch, referenceTally: `${scratch}-tally` } as never,
  });
  const running = runAgain(
    vitest,
    join(root, testFile),
    keys.length + Math.ceil(keys.length / checkEvery) + 2,
  );
  const isSilent = await isSilentBefore(running, batch.progressFile, silentMsOf(options));
  if (isSilent) process.kill(Number(readFileSync(batch.pidFile, "utf8")), "SIGKILL");
  await running.catch(() => undefined);
  await vitest.close();
  const lines = readFileSync(batch.progressFile, "utf8").trim().split("\n");
  for (const file of [batch.progressFile, batch.pidFile, `${scratch}-tally`])
    rmSync(file, { force: true });
  const keysOf = (what: string) =>
    lines.filter((line) => line.startsWith(`${what} `)).map((line) => line.split(" ")[1]!);
  const red = keysOf("red");
  const last = lines.at(-1)!;
  if (isSilent && last.startsWith("begin ")) red.push(last.split(" ")[1]!);
  return { over: [...keysOf("green"), ...red], red };
}

async function runAgain(vitest: Vitest, path: string, times: number): Promise<unknown> {
  const project: TestProject = vitest.getRootProject();
  return vitest.runTestSpecifications(
    Array.from({ length: times }, () => project.createSpecification(path)),
  );
}

/** True when nothing has been told for long; false when it is over. */
async function isSilentBefore(
  running: Promise<unknown>,
  progressFile: string,
  silentMs: number,
): Promise<boolean> {
  const over = running.then(
    () => true,
    () => true,
  );
  const since = Date.now();
  while (!(await Promise.race([over, pause(1000, false)]))) {
    const last = Math.max(since, statSync(progressFile).mtimeMs);
    if (Date.now() - last > silentMs) return true;
  }
  return false;
}
