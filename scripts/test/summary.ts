// Summary: one line for each step, what was skipped and what failed by name, and the count as the last line:
// `N passed, N failed, N skipped`.

import type { Result } from "./step.ts";

export function summaryOf(results: readonly Result[], totalMs: number): string {
  const sum = (count: (result: Result) => number) =>
    results.reduce((total, result) => total + count(result), 0);
  const failed = results.flatMap((result) => result.failed);
  const skipped = results.flatMap((result) => result.skipped);
  const total = line("total", failed.length === 0, totalMs, "");
  return [
    "── summary",
    ...results.map((result) => {
      const count = result.passed + result.failed.length;
      const tests = count > 0 ? `${result.passed} passed, ${result.failed.length} failed` : "";
      return line(result.name, result.failed.length === 0, result.ms, tests);
    }),
    total,
    ...listed("skipped", skipped),
    ...listed("failed", failed),
    "",
    `${sum(({ passed }) => passed)} passed, ${failed.length} failed, ${skipped.length} skipped`,
  ].join("\n");
}

const line = (name: string, isOk: boolean, ms: number, tests: string): string => {
  const seconds = (ms / 1000).toFixed(1).padStart(7);
  return `${name.padEnd(10)}${(isOk ? "ok" : "FAILED").padEnd(8)}${seconds} s  ${tests}`.trimEnd();
};

/** Each name once, with how often it came. */
function listed(title: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const lines = [...Map.groupBy(names, (text) => text)].map(
    ([name, same]) => `  ${name}${same.length === 1 ? "" : ` (${same.length} times)`}`,
  );
  return ["", `${title}:`, ...lines];
}
