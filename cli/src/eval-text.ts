// Eval text: an evaluation and a comparison, for people, as a table of Markdown, and for CI.

import type { EvalCell, EvalComparison, EvalMeasure, EvalReport } from "@aos/protocol";
import { colors } from "./colors.ts";
import { money } from "./money.ts";
import { printable } from "./printable.ts";
import { table } from "./table.ts";

const percent = (value: number): string => `${(value * 100).toFixed(1)}%`;

export const rateText = ({ mean, interval }: EvalMeasure): string =>
  mean === null
    ? "-"
    : interval === null
      ? percent(mean)
      : `${percent(mean)} [${percent(interval.low)}, ${percent(interval.high)}]`;

const timeText = (ms: number | null): string =>
  ms === null ? "-" : ms < 1000 ? `${Math.round(ms)}ms` : `${(ms / 1000).toFixed(1)}s`;

const amountText = ({ mean }: EvalMeasure): string => (mean === null ? "-" : money(mean));

function summaryRows(report: EvalReport): { head: string[]; rows: string[][] } {
  const scorers = report.variantReports[0]?.scores ?? [];
  return {
    head: [
      "VARIANT",
      "PASSED",
      ...scorers.map(({ name, isGate }) => (isGate ? name : `${name}*`)),
      "USD/RUN",
      "JUDGES",
      "TIME",
      "STEPS",
      "LEFT OUT",
    ],
    rows: report.variantReports.map((one) => [
      printable(one.name),
      rateText(one.passed),
      ...one.scores.map(rateText),
      amountText(one.usd),
      money(one.judgeUsd),
      timeText(one.latencyMs.mean),
      one.steps.mean === null ? "-" : one.steps.mean.toFixed(1),
      leftOut(one),
    ]),
  };
}

const leftOut = ({
  unscored,
  notRun,
  open,
}: Pick<EvalReport["variantReports"][number], "unscored" | "notRun" | "open">): string =>
  [
    unscored > 0 ? `${unscored} unscored` : "",
    notRun > 0 ? `${notRun} no budget` : "",
    open > 0 ? `${open} open` : "",
  ]
    .filter((text) => text !== "")
    .join(", ") || "-";

/** Why a run is in the list of those that did not pass. */
export const whyNot = ({ scores, error, state }: EvalCell): string =>
  scores
    .filter(({ passed, isGate }) => isGate && passed !== true)
    .map(({ name, reason }) => `${name}: ${reason}`)
    .join("; ") ||
  (error ?? (state === "no budget" ? "no budget was left" : state));

const cellName = ({ case: id, variant, repeat }: EvalCell, of: EvalReport): string =>
  [
    id,
    ...(of.variantReports.length > 1 ? [variant] : []),
    ...(of.repeat > 1 ? [`#${repeat}`] : []),
  ].join(" ");

export function evalText(report: EvalReport, isAll = false): string {
  const { head, rows } = summaryRows(report);
  const shown = report.results.filter(({ state }) => isAll || !["passed", "open"].includes(state));
  const lines = [
    table(head, rows),
    "",
    `${report.done} of ${report.cells} runs, ${money(report.totalUsd)}${budgetText(report)}`,
  ];
  for (const { name, flaky } of report.variantReports)
    if (flaky.length > 0)
      lines.push(`flaky with ${printable(name)}: ${printable(flaky.join(", "))}`);
  if (shown.length > 0) lines.push("", runTable(report, shown));
  for (const one of report.thresholds) lines.push(thresholdLine(one));
  return lines.join("\n");
}

const budgetText = ({ budgetUsd }: EvalReport): string =>
  budgetUsd === null ? "" : ` of ${money(budgetUsd)}`;

const runTable = (report: EvalReport, shown: readonly EvalCell[]): string =>
  table(
    ["CASE", "STATE", "PID", "WHY"],
    shown.map((cell) => [
      printable(cellName(cell, report)),
      cell.state === "failed" ? colors.red(cell.state) : cell.state,
      cell.pid ?? "-",
      cell.state === "passed" ? "" : printable(whyNot(cell).replaceAll(/\s+/g, " ")).slice(0, 160),
    ]),
  );

const thresholdLine = ({ scorer, variant, least, mean, isMet }: EvalReport["thresholds"][number]) =>
  `${isMet ? "ok" : colors.red("no")}  ${scorer} of ${printable(variant)}: ${mean === null ? "not measured" : percent(mean)}, at least ${percent(least)}`;

export function comparisonText(comparison: EvalComparison): string {
  const lines = comparison.isSameData
    ? []
    : ["The cases or the scorers differ: cases with the same id are compared."];
  for (const { first, second, differences, regressed, fixed, onlyInOne } of comparison.pairs) {
    lines.push(
      colors.bold(first === second ? printable(first) : printable(`${first} → ${second}`)),
      table(
        ["SCORER", "FIRST", "SECOND", "DIFFERENCE", "CASES", "SAYS"],
        differences.map((one) => [
          one.scorer,
          rateText(one.first),
          rateText(one.second),
          differenceText(one),
          `${one.cases} (+${one.better} -${one.worse})`,
          saysText(one),
        ]),
      ),
    );
    if (regressed.length > 0) lines.push(printable(`worse: ${regressed.join(", ")}`));
    if (fixed.length > 0) lines.push(printable(`better: ${fixed.join(", ")}`));
    if (onlyInOne > 0) lines.push(`${onlyInOne} cases are in one of the two only`);
  }
  return lines.join("\n");
}

type Difference = EvalComparison["pairs"][number]["differences"][number];

const signedPercent = (value: number): string => `${value < 0 ? "" : "+"}${percent(value)}`;

const differenceText = ({ mean, interval }: Difference): string =>
  interval === null
    ? signedPercent(mean)
    : `${signedPercent(mean)} [${signedPercent(interval.low)}, ${signedPercent(interval.high)}]`;

function saysText({ says, p, detectable }: Difference): string {
  const how = p === null ? "" : ` (p = ${p < 0.0001 ? "< 0.0001" : p.toFixed(4)})`;
  const least =
    says === "cannot tell" && detectable !== null
      ? `; so many cases show ${percent(detectable)}`
      : "";
  return `${says}${how}${least}`;
}

export function evalMarkdown(report: EvalReport): string {
  const { head, rows } = summaryRows(report);
  const row = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll(/\s+/g, " ")).join(" | ")} |`;
  const failed = report.results.filter(({ state }) => !["passed", "open"].includes(state));
  return [
    `# ${report.name}`,
    "",
    row(head),
    row(head.map(() => "---")),
    ...rows.map(row),
    "",
    `${report.done} of ${report.cells} runs, ${money(report.totalUsd)}${budgetText(report)}. Intervals are 95 %. * is measured, and fails nothing.`,
    "",
    ...(failed.length === 0
      ? []
      : [
          row(["Case", "State", "Run", "Why"]),
          row(["---", "---", "---", "---"]),
          ...failed.map((cell) =>
            row([
              printable(cellName(cell, report)),
              cell.state,
              cell.pid ?? "-",
              printable(whyNot(cell)),
            ]),
          ),
          "",
        ]),
  ].join("\n");
}
