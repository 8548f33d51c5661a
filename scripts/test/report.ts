// Test report: what vitest's JSON says, in the few numbers and names that a summary needs.

import { readFileSync } from "node:fs";
import { relative } from "node:path";

export interface TestReport {
  readonly passed: number;
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
}

interface VitestJson {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    /** Why a file failed that no test of it did. */
    readonly message?: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export function readTestReport(file: string): TestReport | undefined {
  let json: VitestJson;
  try {
    json = JSON.parse(readFileSync(file, "utf8")) as VitestJson;
  } catch {
    return undefined; // it did not get as far as a report
  }
  const tests = json.testResults.flatMap(({ assertionResults }) => assertionResults);
  const named = (...statuses: string[]) =>
    tests.filter(({ status }) => statuses.includes(status)).map(({ fullName }) => fullName);
  // A file that cannot be loaded or set up has no test that failed, and is a failure all the same.
  const broken = json.testResults
    .filter(
      ({ status, assertionResults }) =>
        status === "failed" && assertionResults.every((one) => one.status !== "failed"),
    )
    .map(({ name, message }) => {
      const [why = ""] = (message ?? "").trim().split("\n", 1);
      return `${relative(process.cwd(), name)} (could not be loaded, set up or cleaned up) ${why}`.trimEnd();
    });
  return {
    passed: named("passed").length,
    failed: [...named("failed"), ...broken],
    skipped: named("skipped", "pending", "todo", "disabled"),
  };
}
