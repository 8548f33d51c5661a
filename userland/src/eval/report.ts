// Report: what the rows of an evaluation come to, for each variant and scorer.
//
// EVAL-REPORT-1  Repetitions of a case are one sample: their mean is. A case without a score is in no mean.
// EVAL-REPORT-2  A threshold is met by the mean, and by no run that is unscored, open or was not run.

import {
  type EvalCell,
  type EvalInput,
  type EvalMeasure,
  type EvalThreshold,
  type EvalVariantReport,
  scorerNameOf,
} from "@aos/protocol";
import { meanInterval, meanOf, wilson } from "./statistics.ts";

/** The mean of each case, in order of the cases. */
export function byCase(
  rows: readonly EvalCell[],
  valueOf: (row: EvalCell) => number | null,
): Map<string, number> {
  const values = new Map<string, number[]>();
  for (const row of rows) {
    const value = valueOf(row);
    if (value !== null) values.set(row.case, [...(values.get(row.case) ?? []), value]);
  }
  return new Map([...values].map(([id, all]) => [id, meanOf(all)]));
}

const isRun = ({ state }: EvalCell): boolean => state === "passed" || state === "failed";

export const passOf = (row: EvalCell): number | null =>
  isRun(row) ? (row.state === "passed" ? 1 : 0) : null;

export const scoreNamed =
  (name: string) =>
  ({ scores }: EvalCell): number | null =>
    scores.find((one) => one.name === name)?.score ?? null;

/** EVAL-REPORT-1. */
export function rateOf(values: readonly number[]): EvalMeasure {
  const mean = values.length === 0 ? null : meanOf(values);
  return {
    mean,
    interval: mean === null ? null : wilson(mean, values.length),
    cases: values.length,
  };
}

function amountOf(rows: readonly EvalCell[], valueOf: (row: EvalCell) => number): EvalMeasure {
  const values = [...byCase(rows, (row) => (isRun(row) ? valueOf(row) : null)).values()];
  return {
    mean: values.length === 0 ? null : meanOf(values),
    interval: meanInterval(values),
    cases: values.length,
  };
}

const sumOf = (rows: readonly EvalCell[], valueOf: (row: EvalCell) => number): number =>
  rows.reduce((sum, row) => sum + valueOf(row), 0);

export function variantReports(
  { variants, scorers }: Pick<EvalInput, "variants" | "scorers">,
  results: readonly EvalCell[],
): EvalVariantReport[] {
  return variants.map(({ name, agent, model }) => {
    const rows = results.filter((row) => row.variant === name);
    const counted = (state: EvalCell["state"]) => rows.filter((row) => row.state === state).length;
    const passed = byCase(rows, passOf);
    return {
      name,
      agent,
      model,
      passed: rateOf([...passed.values()]),
      scores: scorers.map((scorer) => ({
        name: scorerNameOf(scorer),
        isGate: scorer.gate,
        ...rateOf([...byCase(rows, scoreNamed(scorerNameOf(scorer))).values()]),
      })),
      usd: amountOf(rows, ({ usd }) => usd),
      latencyMs: amountOf(rows, ({ latencyMs }) => latencyMs),
      steps: amountOf(rows, ({ steps }) => steps),
      totalUsd: sumOf(rows, ({ usd }) => usd),
      judgeUsd: sumOf(rows, ({ judgeUsd }) => judgeUsd),
      unscored: counted("unscored"),
      notRun: counted("no budget"),
      open: counted("open"),
      flaky: [...passed].filter(([, mean]) => mean > 0 && mean < 1).map(([id]) => id),
    };
  });
}

/** The name of all gates together in thresholds. */
export const ALL_GATES = "passed";

/** EVAL-REPORT-2. */
export function thresholdsOf(
  least: Readonly<Record<string, number>>,
  reports: readonly EvalVariantReport[],
): EvalThreshold[] {
  return Object.entries(least).flatMap(([scorer, wanted]) =>
    reports.map(({ name, passed, scores, unscored, notRun, open }) => {
      const measure = scorer === ALL_GATES ? passed : scores.find((one) => one.name === scorer);
      const mean = measure?.mean ?? null;
      const isWhole = unscored + notRun + open === 0;
      const isMet = mean !== null && isWhole && mean >= wanted - 1e-9;
      return { scorer, variant: name, least: wanted, mean, isMet };
    }),
  );
}
