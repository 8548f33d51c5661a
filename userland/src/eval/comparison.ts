// Comparison: two evaluations over the same cases, case by case.
//
// EVAL-COMPARISON-1  Only cases that both have scored are compared, each with itself.
// EVAL-COMPARISON-2  A difference that could be chance is called so.

import { type EvalCell, type EvalComparison, SysError } from "@aos/protocol";
import { ALL_GATES, byCase, passOf, rateOf, scoreNamed } from "./report.ts";
import { pairedDifference } from "./statistics.ts";

export interface ComparedEval {
  readonly pid: EvalComparison["first"];
  readonly digest: string;
  readonly variants: readonly string[];
  readonly scorers: readonly string[];
  readonly results: readonly EvalCell[];
}

export function compareRuns(
  first: ComparedEval,
  second: ComparedEval,
  chosen?: string,
): EvalComparison {
  return {
    first: first.pid,
    second: second.pid,
    isSameData: first.digest === second.digest,
    pairs: pairsOf(first, second, chosen).map(([one, other]) =>
      pairOf(first, second, { one, other }),
    ),
  };
}

function pairsOf(
  first: ComparedEval,
  second: ComparedEval,
  chosen: string | undefined,
): readonly (readonly [string, string])[] {
  if (chosen !== undefined) {
    const [one = "", other = one] = chosen.split("=");
    for (const [name, { variants }] of [
      [one, first],
      [other, second],
    ] as const)
      if (!variants.includes(name))
        throw new SysError("ENOENT", `there is no variant ${name}`, {
          hint: `the variants are ${variants.join(", ")}`,
        });
    return [[one, other]];
  }
  const common = first.variants.filter((name) => second.variants.includes(name));
  if (common.length > 0) return common.map((name) => [name, name]);
  if (first.variants.length === 1 && second.variants.length === 1)
    return [[first.variants[0]!, second.variants[0]!]];
  throw new SysError("EINVAL", "the two evaluations have no variant in common", {
    hint: `choose a pair: --variants ${first.variants[0]}=${second.variants[0]}`,
  });
}

type Pair = EvalComparison["pairs"][number];

function pairOf(
  first: ComparedEval,
  second: ComparedEval,
  { one, other }: { readonly one: string; readonly other: string },
): Pair {
  const [before, after] = [rowsOf(first, one), rowsOf(second, other)];
  const scorers = first.scorers.filter((name) => second.scorers.includes(name));
  const differences = [ALL_GATES, ...scorers].map((scorer) => {
    const valueOf = scorer === ALL_GATES ? passOf : scoreNamed(scorer);
    const [was, is] = [byCase(before, valueOf), byCase(after, valueOf)];
    const common = [...was.keys()].filter((id) => is.has(id)); // EVAL-COMPARISON-1
    return {
      scorer,
      first: rateOf(common.map((id) => was.get(id)!)),
      second: rateOf(common.map((id) => is.get(id)!)),
      ...pairedDifference(common.map((id) => [was.get(id)!, is.get(id)!])),
    };
  });
  const [was, is] = [byCase(before, passOf), byCase(after, passOf)];
  const changed = (isWorse: boolean) =>
    [...was].flatMap(([id, mean]) => {
      const now = is.get(id);
      return now !== undefined && (isWorse ? now < mean : now > mean) ? [id] : [];
    });
  const ids = new Set([...was.keys(), ...is.keys()]);
  const compared = [...ids].filter((id) => was.has(id) && is.has(id)).length;
  return {
    first: one,
    second: other,
    differences,
    regressed: changed(true),
    fixed: changed(false),
    onlyInOne: ids.size - compared,
  };
}

const rowsOf = ({ results }: ComparedEval, variant: string): EvalCell[] =>
  results.filter((row) => row.variant === variant);
