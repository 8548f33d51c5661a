// npm run mutate: removes and changes enforcement, one small thing at a time, and expects a test to fail.
//
//   npm run mutate -- --folder kernel/src/label            every mutant of the folder's files
//   npm run mutate -- --folder kernel/src/syscall --only judge.ts,gate.ts
//   npm run mutate -- --report                             what is known so far, and what is missing
//
// Results are kept in the folder for temporary files, one file for each source file, by the mutant's key and
// the digests of its file's code and of the tests: what has not changed is not run again. A mutant that no test notices must
// be explained in tests/attack/mutation/explained.ts; an explanation that fits no survivor is an error too.

import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { explained } from "../tests/attack/mutation/explained.ts";
import { noticedBy } from "./mutate/batch.ts";
import { codeOf, mutantsOf, type Mutant } from "./mutate/mutants.ts";
import { LONGEST_TEST_MS, type Outcome, Trials } from "./mutate/trial.ts";

const SOURCES = "*.ts";

/** The files whose every line is to be held by a test, and the tests that hold them, nearest first. */
const FOLDERS: Readonly<Record<string, { files: string; tests: readonly string[] }>> = {
  "kernel/src/label": {
    files: SOURCES,
    tests: [
      "kernel/src/label/*.test.ts",
      "kernel/src/policy/engine.test.ts",
      "tests/integration/power/labels.test.ts",
      "tests/integration/kernel/labels.test.ts",
    ],
  },
  "kernel/src/syscall": {
    files: SOURCES,
    tests: [
      "kernel/src/syscall/*.test.ts",
      "kernel/src/handlers/*.test.ts",
      "tests/integration/gate/*.test.ts",
      "tests/integration/power/*.test.ts",
      "tests/integration/kernel/{capabilities,policy,labels,constraints,budgets,files,messages,spawn,effects,devices}.test.ts",
      "tests/integration/approvals/{answering,giving}.test.ts",
      "tests/integration/authority/fail-closed.loop.test.ts",
    ],
  },
  "kernel/src/capability": {
    files: SOURCES,
    tests: [
      "kernel/src/capability/*.test.ts",
      "kernel/src/refusal/*.test.ts",
      "kernel/src/policy-formats/older-capabilities.test.ts",
      "kernel/src/operator/may-grant.test.ts",
      "kernel/src/token/*.test.ts",
      "kernel/src/syscall/*.test.ts",
    ],
  },
  "kernel/src/refusal": {
    files: SOURCES,
    tests: [
      "kernel/src/refusal/*.test.ts",
      "kernel/src/capability/*.test.ts",
      "kernel/src/syscall/*.test.ts",
      "tests/integration/power/*.test.ts",
      "tests/integration/kernel/capabilities.test.ts",
    ],
  },
  "kernel/src/token": { files: SOURCES, tests: ["kernel/src/token/*.test.ts"] },
  "kernel/src/policy": {
    files: SOURCES,
    tests: [
      "kernel/src/policy/*.test.ts",
      "kernel/src/policy-formats/*.test.ts",
      "kernel/src/syscall/*.test.ts",
      "tests/integration/kernel/policy.test.ts",
    ],
  },
  "kernel/src/policy-formats": {
    files: SOURCES,
    tests: [
      "kernel/src/policy-formats/*.test.ts",
      "kernel/src/policy/*.test.ts",
      "kernel/src/capability/{grammar,ceiling}*.test.ts",
    ],
  },
  "kernel/src/inspection": {
    files: "{suggest,witnesses,policy-comparison,policy-tests}.ts",
    tests: [
      "kernel/src/inspection/*.test.ts",
      "kernel/src/capability/*.test.ts",
      "kernel/src/policy/*.test.ts",
    ],
  },
};

const ROOT = join(import.meta.dirname, "..");
const CACHE = join(tmpdir(), "aos-mutants");
/** A quick test that takes this long hangs: one of its promises is never settled. */
const QUICK_TEST_MS = 5000;

type State = "killed" | "survived" | "not reached";
interface Known {
  readonly state: State;
  readonly by?: string;
  /** Of the mutant's file; and of all tests, where none killed it. */
  readonly digest: string;
  readonly tests: string;
}

const cacheOf = (file: string): string => join(CACHE, `${file.replaceAll("/", "-")}.json`);
const read = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const find = (pattern: string): string[] => globSync(pattern, { cwd: ROOT }).toSorted();
/** A pattern that finds nothing names files that were moved: what they held is held by nobody. */
function findSome(pattern: string): string[] {
  const found = find(pattern);
  if (found.length === 0) throw new Error(`${pattern}: no such file`);
  return found;
}
const digest = (texts: readonly string[]): string =>
  createHash("sha256").update(texts.join("\0")).digest("hex").slice(0, 16);

const { values } = parseArgs({
  options: { folder: { type: "string" }, only: { type: "string" }, report: { type: "boolean" } },
});
const known: Record<string, Known> = {};
const folders = values.folder === undefined ? Object.keys(FOLDERS) : [values.folder];
let failed = false;
for (const folder of folders) {
  if (values.report !== true) await mutateFolder(folder);
  report(folder);
}
process.exit(failed ? 1 : 0);

function readKnown(files: readonly string[]): void {
  for (const file of files)
    try {
      Object.assign(known, JSON.parse(readFileSync(cacheOf(file), "utf8")));
    } catch {
      // never run
    }
}

function keep(mutant: Mutant, mutants: readonly Mutant[], result: Known): void {
  known[mutant.key] = result;
  const ofFile = mutants.filter(({ file, key }) => file === mutant.file && key in known);
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(
    cacheOf(mutant.file),
    JSON.stringify(Object.fromEntries(ofFile.map(({ key }) => [key, known[key]]))),
  );
}

function placesOf(folder: string): { mutants: Mutant[]; tests: string[]; digest: string } {
  const row = FOLDERS[folder];
  if (row === undefined) throw new Error(`one of ${Object.keys(FOLDERS).join(", ")}`);
  const files = find(`${folder}/${row.files}`).filter((file) => !file.endsWith(".test.ts"));
  const chosen = files.filter(
    (file) => values.only === undefined || values.only.split(",").includes(basename(file)),
  );
  const mutants = chosen.flatMap((file) => mutantsOf(file, read(file)));
  readKnown(chosen);
  const tests = [...new Set(row.tests.flatMap(findSome))];
  return { mutants, tests, digest: digest(tests.map(read)) };
}

interface Baseline extends Outcome {
  readonly test: string;
}

function textOf({ test, isGreen, ms, reached }: Baseline): string {
  return `${test}: ${isGreen ? "green" : "RED, left out"}, ${ms} ms, reaches ${reached.size - 1}`;
}

/** `judge.test.ts` and `judge-always.test.ts` of `judge.ts`: they notice most of its mutants. */
function isTestOf(test: string, file: string): boolean {
  return basename(test).startsWith(basename(file, ".ts"));
}

/**
 * First with the tests of the rooms, then with those of the whole system: a test file runs once without a
 * mutant, which says what it reaches and whether it is green; then with every mutant that it reaches and that
 * is still alive, many in one process: those of its own source first. What is left is tried in a process of its
 * own, the quickest file first.
 */
async function mutateFolder(folder: string): Promise<void> {
  const { mutants, tests, digest: now } = placesOf(folder);
  const alive = new Map<string, Mutant>();
  for (const mutant of mutants) if (!isKnown(mutant, now)) alive.set(mutant.key, mutant);
  const reached = new Set<string>();
  const settle = (key: string, state: State, by?: string): void => {
    const mutant = alive.get(key)!;
    alive.delete(key);
    const of = digest([codeOf(mutant.file, read(mutant.file))]);
    keep(mutant, mutants, { state, tests: now, digest: of, ...(by === undefined ? {} : { by }) });
    if (state !== "killed") console.log(`${state}: ${placeOf(mutant)}`);
  };
  const scratch = join(tmpdir(), `aos-reached-${process.pid}`);
  const trials = new Trials(ROOT, mutants, scratch);
  const isWhole = (test: string): boolean => test.startsWith("tests/");
  for (const round of [tests.filter((test) => !isWhole(test)), tests.filter(isWhole)]) {
    const baselines = new Map<string, Baseline>();
    for (const isOwn of [true, false])
      for (const test of round) {
        const wanted = [...alive.values()].filter(({ file }) => !isOwn || isTestOf(test, file));
        if (wanted.length === 0) continue;
        const baseline = baselines.get(test) ?? { test, ...(await trials.run(test, "")) };
        if (!baselines.has(test)) console.log(textOf(baseline));
        baselines.set(test, baseline);
        const keys = wanted.map(({ key }) => key).filter((key) => baseline.reached.has(key));
        if (!baseline.isGreen || keys.length === 0) continue;
        for (const key of keys) reached.add(key);
        const { ms: baselineMs } = baseline;
        const options = { root: ROOT, mutants, scratch, baselineMs, testMs: testMsOf(baselineMs) };
        for (const key of await noticedBy(test, keys, options)) settle(key, "killed", test);
        console.log(`${test}: ${alive.size} left`);
      }
    for (const key of alive.keys()) {
      const killer = await killerOf(key, [...baselines.values()], trials);
      if (killer !== undefined) settle(key, "killed", killer);
    }
  }
  for (const key of alive.keys()) settle(key, reached.has(key) ? "survived" : "not reached");
  await trials.close();
}

async function killerOf(
  key: string,
  baselines: readonly Baseline[],
  trials: Trials,
): Promise<string | undefined> {
  for (const { test, ms, reached, isGreen } of baselines.toSorted((a, b) => a.ms - b.ms))
    if (isGreen && reached.has(key) && !(await trials.run(test, key, testMsOf(ms))).isGreen)
      return test;
  return undefined;
}

function testMsOf(baselineMs: number): number {
  return Math.min(Math.max(QUICK_TEST_MS, baselineMs * 2), LONGEST_TEST_MS);
}

/** A test that killed it still does; whether another would have, the tests of now must say. */
function isKnown({ key, file }: Mutant, tests: string): boolean {
  const before = known[key];
  if (before === undefined || before.digest !== digest([codeOf(file, read(file))])) return false;
  return before.state === "killed" || before.tests === tests;
}

function placeOf({ file, line, what, key }: Mutant): string {
  return `${file}:${line} ${what} [${key}]`;
}

function report(folder: string): void {
  const { mutants } = placesOf(folder);
  const counts = { killed: 0, survived: 0, "not reached": 0, "not run": 0, explained: 0 };
  for (const mutant of mutants) {
    const state = known[mutant.key]?.state ?? "not run";
    const isExplained = Object.hasOwn(explained, mutant.key);
    if (isExplained && state !== "killed") counts.explained += 1;
    else counts[state] += 1;
    if (isExplained && state === "killed") fail(`explained, and killed: ${placeOf(mutant)}`);
    if (!isExplained && (state === "survived" || state === "not reached"))
      fail(`${state}, and not explained: ${placeOf(mutant)}`);
  }
  const keys = new Set(mutants.map(({ key }) => key));
  for (const [key, { file }] of Object.entries(explained))
    if (file.startsWith(`${folder}/`) && values.only === undefined && !keys.has(key))
      fail(`explained, and no mutant any more: ${file} [${key}]`);
  console.log(`${folder}: ${mutants.length} mutants`, JSON.stringify(counts));
}

function fail(why: string): void {
  failed = true;
  console.log(why);
}
