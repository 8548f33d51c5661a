// npm run mutate: removes and changes what enforces, one small thing at a time, and sees a test fail.
//
//   npm run mutate -- --folder kernel/src/label            every mutant of the folder's files
//   npm run mutate -- --folder kernel/src/syscall --only judge.ts
//   npm run mutate -- --report                             what is known so far, and what is missing
//
// Results are kept in the folder for temporary files, one file for each source file, by the mutant's key and
// the digests of its file and of the tests: what has not changed is not run again. A mutant that no test notices must
// be explained in tests/attack/mutation/explained.ts; an explanation that fits no survivor is an error too.

import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { explained } from "../tests/attack/mutation/explained.ts";
import { mutantsOf, type Mutant } from "./mutate/mutants.ts";
import { LONGEST_TEST_MS, Trials } from "./mutate/trial.ts";

/** The files whose every line is to be held by a test, and the tests that hold them, nearest first. */
const FOLDERS: Readonly<Record<string, { files: string; tests: readonly string[] }>> = {
  "kernel/src/label": {
    files: "*.ts",
    tests: [
      "kernel/src/label/*.test.ts",
      "kernel/src/policy/engine.test.ts",
      "tests/integration/power/labels.test.ts",
      "tests/integration/kernel/labels.test.ts",
    ],
  },
  "kernel/src/syscall": {
    files:
      "{gate,call-context,judge,capability-check,tags,permission-preview,flow,action,plain-exec,facts,subject,refusals,settlement,approval-requests,probing,waiting,work-files,allowed-tools}.ts",
    tests: [
      "kernel/src/syscall/*.test.ts",
      "tests/integration/gate/*.test.ts",
      "tests/integration/power/*.test.ts",
      "tests/integration/kernel/{capabilities,policy,labels,constraints,budgets,files,messages,spawn,effects,devices}.test.ts",
      "tests/integration/approvals/{answering,giving}.test.ts",
      "tests/integration/authority/fail-closed.loop.test.ts",
    ],
  },
  "kernel/src/capability": { files: "*.ts", tests: ["kernel/src/capability/*.test.ts"] },
  "kernel/src/token": { files: "*.ts", tests: ["kernel/src/token/*.test.ts"] },
  "kernel/src/policy": { files: "!(policies).ts", tests: ["kernel/src/policy/*.test.ts"] },
  "kernel/src/policy-formats": {
    files: "*.ts",
    tests: ["kernel/src/policy-formats/*.test.ts", "kernel/src/policy/*.test.ts"],
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
/** Of a file of quick tests one that takes so long has stopped: a promise of it is never kept. */
const QUICK_TEST_MS = 8000;

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
    (file) => values.only === undefined || basename(file) === values.only,
  );
  const mutants = chosen.flatMap((file) => mutantsOf(file, read(file)));
  readKnown(chosen);
  const tests = [...new Set(row.tests.flatMap(find))];
  return { mutants, tests, digest: digest(tests.map(read)) };
}

interface Baseline {
  readonly test: string;
  readonly isGreen: boolean;
  readonly ms: number;
  readonly reached: ReadonlySet<string>;
}

/**
 * Every test file runs once without a mutant, when it is first needed: what it reaches, and whether it is
 * green. First the one that noticed the last mutant is tried, then the quickest, then the nearest of those
 * that never ran.
 */
async function mutateFolder(folder: string): Promise<void> {
  const { mutants, tests, digest: now } = placesOf(folder);
  const fresh = mutants.filter((mutant) => !isKnown(mutant, now));
  if (fresh.length === 0) return;
  const trials = new Trials(ROOT, mutants, join(tmpdir(), `aos-reached-${process.pid}`));
  const baselines = new Map<string, Baseline>();
  const baselineOf = async (test: string): Promise<Baseline> => {
    const before = baselines.get(test);
    if (before !== undefined) return before;
    const { isGreen, ms, reached } = await trials.run(test, "");
    const state = isGreen ? "green" : "RED, left out";
    console.log(`${test}: ${state}, ${ms} ms, reaches ${reached.size - 1}`);
    baselines.set(test, { test, isGreen, ms, reached });
    return { test, isGreen, ms, reached };
  };
  let last: string | undefined;
  for (const [i, mutant] of fresh.entries()) {
    let killer: string | undefined;
    let isReached = false;
    const quickest = [...baselines.values()].toSorted((a, b) => a.ms - b.ms);
    const order = [...(last === undefined ? [] : [last]), ...quickest.map(({ test }) => test)];
    for (const test of new Set([...order, ...tests])) {
      const { isGreen, reached, ms } = await baselineOf(test);
      if (!isGreen || !reached.has(mutant.key)) continue;
      isReached = true;
      const testMs = Math.min(Math.max(QUICK_TEST_MS, ms * 10), LONGEST_TEST_MS);
      if ((await trials.run(test, mutant.key, testMs)).isGreen) continue;
      killer = test;
      break;
    }
    last = killer ?? last;
    const state = killer !== undefined ? "killed" : isReached ? "survived" : "not reached";
    keep(mutant, mutants, {
      state,
      tests: now,
      digest: digest([read(mutant.file)]),
      ...(killer === undefined ? {} : { by: killer }),
    });
    if (state !== "killed") console.log(`${i + 1}/${fresh.length} ${state}: ${placeOf(mutant)}`);
  }
  await trials.close();
}

/** A test that killed it still does; whether another would have, the tests of now must say. */
function isKnown({ key, file }: Mutant, tests: string): boolean {
  const before = known[key];
  if (before === undefined || before.digest !== digest([read(file)])) return false;
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
