// `npm test`: everything. Gets what the tests need, checks, runs the unit tests and then the whole
// system, and ends with one summary whose last line is `N passed, N failed, N skipped`.
//
// Every step runs, whatever became of the one before. The numbers are vitest's tests; a check that
// fails, or a step that does not come to its end, counts as one failure. With CI=true so does a
// component that is missing.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installComponents } from "./components.ts";
import { installFolder } from "./install-folder.mjs";
import { readTestReport, type TestReport } from "./test-report.ts";

const MINUTE_MS = 60_000;

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  readonly limitMs: number;
  readonly isVitest?: true;
}

interface Result extends TestReport {
  readonly name: string;
  readonly ms: number;
}

const script = (name: string): string[] => ["npm", "run", "-s", name];
const project = (name: string): string[] => ["vitest", "run", "--project", name];

const steps: readonly Step[] = [
  { name: "format", command: script("format:check"), limitMs: MINUTE_MS },
  { name: "lint", command: script("lint"), limitMs: 2 * MINUTE_MS },
  { name: "types", command: script("types"), limitMs: 2 * MINUTE_MS },
  { name: "unused", command: script("unused"), limitMs: 2 * MINUTE_MS },
  { name: "unit", command: project("unit"), limitMs: 4 * MINUTE_MS, isVitest: true },
  { name: "whole", command: project("whole"), limitMs: 17 * MINUTE_MS, isVitest: true },
];

const major = Number(process.versions.node.split(".", 1)[0]);
if (major < 24) {
  console.error(`Node 24 or newer is needed; this is ${process.version}. Run it as \`npm test\`.`);
  process.exit(1);
}

const top = fileURLToPath(new URL("../", import.meta.url));

/** Ends the step that runs. */
let endWithUs: () => void = () => {};
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    endWithUs();
    process.exit(1);
  });

const folder = mkdtempSync(join(tmpdir(), "aos-test-"));
try {
  const prepared = await prepare();
  const results = [prepared];
  for (const step of steps) results.push(await run(step));
  summarise(results);
  process.exitCode = results.some(({ failed }) => failed.length > 0) ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function prepare(): Promise<Result> {
  const since = performance.now();
  const missing = installComponents().map(
    ({ name, neededFor }) => `${name} is missing: ${neededFor} cannot be tested`,
  );
  await installFolder(join(top, "tests", "peers"), "the programs that tests talk to").catch(
    (error: Error) =>
      missing.push(
        `tests/peers is missing: what others' programs make of us cannot be tested (${error.message})`,
      ),
  );
  for (const what of missing) console.log(what);
  const isStrict = process.env["CI"] === "true";
  const ms = performance.now() - since;
  return {
    name: "prepare",
    ms,
    passed: 0,
    failed: isStrict ? missing : [],
    skipped: isStrict ? [] : missing,
  };
}

async function run({ name, command, limitMs, isVitest }: Step): Promise<Result> {
  console.log(`\n── ${name}: ${command.join(" ")}`);
  const report = join(folder, `${name}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const since = performance.now();
  const problem = await execute([...command, ...(isVitest ? reporters : [])], limitMs);
  const ms = performance.now() - since;
  const tests = isVitest ? readTestReport(report) : undefined;
  const failed = [...(tests?.failed ?? [])];
  // Nothing failed by name, and yet it did not go well: an error outside any test, or no end at all.
  if (problem !== undefined && failed.length === 0) failed.push(`${name}: ${problem}`);
  return { name, ms, passed: tests?.passed ?? 0, failed, skipped: tests?.skipped ?? [] };
}

/** Runs a command to its end; returns what went wrong. */
function execute(command: readonly string[], limitMs: number): Promise<string | undefined> {
  const [program, ...words] = command;
  const path = `${join(top, "node_modules", ".bin")}:${process.env["PATH"] ?? ""}`;
  const child = spawn(program!, words, {
    cwd: top,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, PATH: path },
    detached: true, // a group of its own, so that all of it can be ended
  });
  endWithUs = () => process.kill(-child.pid!, "SIGKILL");
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      endWithUs();
      resolve(`did not end within ${limitMs / MINUTE_MS} minutes`);
    }, limitMs);
    child.once("error", (error) => {
      clearTimeout(timer);
      resolve(`could not be started: ${error.message}`);
    });
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      resolve(code === 0 ? undefined : `ended with ${signal ?? `exit code ${code}`}`);
    });
  });
}

function summarise(results: readonly Result[]): void {
  const sum = (count: (result: Result) => number) =>
    results.reduce((total, result) => total + count(result), 0);
  console.log("\n── summary");
  for (const { name, ms, passed, failed } of results) {
    const tests = passed + failed.length > 0 ? `${passed} passed, ${failed.length} failed` : "";
    const verdict = failed.length === 0 ? "ok" : "FAILED";
    console.log(
      `${name.padEnd(10)}${verdict.padEnd(8)}${(ms / 1000).toFixed(1).padStart(7)} s  ${tests}`.trimEnd(),
    );
  }
  list(
    "skipped",
    results.flatMap(({ skipped }) => skipped),
  );
  list(
    "failed",
    results.flatMap(({ failed }) => failed),
  );
  console.log(
    `\n${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed.length)} failed, ${sum(({ skipped }) => skipped.length)} skipped`,
  );
}

/** Each name once, with how often it came. */
function list(title: string, names: readonly string[]): void {
  if (names.length === 0) return;
  console.log(`\n${title}:`);
  for (const [name, same] of Map.groupBy(names, (text) => text))
    console.log(`  ${name}${same.length === 1 ? "" : ` (${same.length} times)`}`);
}
