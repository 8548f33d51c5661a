// Step: a command of the test run, run to its end.
//
// STEP-1  There is no limit to how long a step may take, so that no machine is too slow. Each test has
//     its own limit; a step that prints nothing for half an hour hangs, and is ended.
// STEP-2  A step that is interrupted leaves no process behind: it is a process group, and is ended as
//     one.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { readTestReport, type TestReport } from "./report.ts";

export interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Its tests are counted. */
  readonly isVitest?: true;
}

export interface Result extends TestReport {
  readonly name: string;
  readonly ms: number;
}

export interface StepOptions {
  /** For the reports of vitest. */
  readonly folder: string;
  /** How long a step may print nothing; half an hour. */
  readonly silentMs?: number;
  /** Its output is printed in one piece when it has ended: other steps run at the same time. */
  readonly isTogether?: boolean;
}

const MINUTE_MS = 60_000;
const SILENT_MS = 30 * MINUTE_MS;
const top = fileURLToPath(new URL("../../", import.meta.url));

/** The process groups that run. */
const running = new Set<number>();

/** STEP-2: ends every step that runs. */
export function endSteps(): void {
  for (const group of running) endGroup(group);
}

export async function runStep(
  { name, command, isVitest }: Step,
  { folder, silentMs = SILENT_MS, isTogether = false }: StepOptions,
): Promise<Result> {
  const title = `\n── ${name}: ${command.join(" ")}\n`;
  if (!isTogether) process.stdout.write(title);
  const report = join(folder, `${name}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const said: Buffer[] = [];
  const since = performance.now();
  const problem = await execute([...command, ...(isVitest ? reporters : [])], silentMs, (chunk) => {
    said.push(chunk);
    if (!isTogether) process.stdout.write(chunk);
  });
  if (isTogether) process.stdout.write(Buffer.concat([Buffer.from(title), ...said]));
  const ms = performance.now() - since;
  const tests = isVitest ? readTestReport(report) : undefined;
  const failed = [...(tests?.failed ?? [])];
  // Nothing failed by name, and yet it did not go well: an error outside any test, or no end at all.
  if (problem !== undefined && failed.length === 0)
    failed.push(
      [`${name}: ${problem}`, ...reasonIn(Buffer.concat(said).toString())].join("\n    "),
    );
  return { name, ms, passed: tests?.passed ?? 0, failed, skipped: tests?.skipped ?? [] };
}

const REASON_LINES = 20;

/** The error outside any test that vitest reports, or the last that was printed. */
export function reasonIn(output: string): string[] {
  const lines = stripVTControlCharacters(output)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const at = lines.findLastIndex((line) => /Unhandled (Error|Rejection)/.test(line));
  return at === -1 ? lines.slice(-REASON_LINES) : lines.slice(at, at + REASON_LINES);
}

/** Runs a command to its end; returns what went wrong. */
function execute(
  [program, ...words]: readonly string[],
  silentMs: number,
  onOutput: (chunk: Buffer) => void,
): Promise<string | undefined> {
  const path = `${join(top, "node_modules", ".bin")}:${process.env["PATH"] ?? ""}`;
  const color = process.stdout.isTTY ? { FORCE_COLOR: "1" } : {};
  const child = spawn(program!, words, {
    cwd: top,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...color, PATH: path },
    detached: true,
  });
  const group = child.pid;
  if (group !== undefined) running.add(group);
  return new Promise((resolve) => {
    let isSilent = false;
    const timer = setTimeout(() => {
      isSilent = true;
      if (group !== undefined) endGroup(group);
    }, silentMs);
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        timer.refresh();
        onOutput(chunk);
      });
    const end = (problem: string | undefined) => {
      clearTimeout(timer);
      if (group !== undefined) running.delete(group);
      resolve(problem);
    };
    child.once("error", (error) => end(`could not be started: ${error.message}`));
    child.once("exit", (code, signal) => {
      const ending = signal ?? `exit code ${code}`;
      if (isSilent) end(`printed nothing for ${silentMs / MINUTE_MS} minutes, and was ended`);
      else end(code === 0 ? undefined : `ended with ${ending}`);
    });
  });
}

function endGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // It has ended.
  }
}
