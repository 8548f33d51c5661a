// JUnit: test results as the XML that CI systems read: a suite for each file, a case for each test.

import { relative } from "node:path";
import type { AgentTestReport } from "@aos/protocol";

export function junitText(reports: readonly AgentTestReport[], folder: string): string {
  const files = [...new Set(reports.map(({ file }) => file))];
  const suites = files.map((file) =>
    suiteOf(
      relative(folder, file),
      reports.filter((one) => one.file === file),
    ),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="aos test" ${countsOf(reports)}>`,
    ...suites,
    "</testsuites>",
    "",
  ].join("\n");
}

const suiteOf = (file: string, reports: readonly AgentTestReport[]): string =>
  [
    `  <testsuite name="${escaped(file)}" ${countsOf(reports)}>`,
    ...reports.map((report) => caseOf(file, report)),
    "  </testsuite>",
  ].join("\n");

const countsOf = (reports: readonly AgentTestReport[]): string => {
  const failed = reports.filter(({ ok }) => !ok).length;
  const ms = reports.reduce((sum, report) => sum + report.ms, 0);
  return `tests="${reports.length}" failures="${failed}" errors="0" skipped="0" time="${seconds(ms)}"`;
};

function caseOf(file: string, { name, ok, ms, problems }: AgentTestReport): string {
  const head = `    <testcase name="${escaped(name)}" classname="${escaped(file)}" time="${seconds(ms)}"`;
  if (ok) return `${head}/>`;
  const [first = "it failed"] = problems;
  return [
    `${head}>`,
    `      <failure message="${escaped(first)}">${escaped(problems.join("\n"))}</failure>`,
    "    </testcase>",
  ].join("\n");
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

/** What XML 1.0 has no way to say, not even escaped. */
const UNSAYABLE = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/** For attributes and texts alike. */
const escaped = (text: string): string =>
  text.replace(UNSAYABLE, "\u{FFFD}").replace(/[&<>"'\t\n\r]/g, (sign) => ENTITIES[sign]!);
