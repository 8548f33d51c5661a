// RollVerdict: whether the new version of an agent is worse than the stable one, by the runs of both.
//
// ROLL-VERDICT-1  It is looked at after 10, 20, 40, … runs and after `sample`: each look is at the first so many runs, so
//     that the same runs always give the same verdict.
// ROLL-VERDICT-2  Back when it is nearly certain (99 %) that it fails more often by `margin` than the stable one, or
//     costs more than `costRatio` times as much, or when one run costs more than `maxUsd`.
// ROLL-VERDICT-3  Too few runs are no reason: nothing is promoted before `sample` runs, nor while the stable version has
//     fewer than `baseline`.

import type { RollRule } from "@aos/protocol";
import { beyondByCost, chanceOfMoreErrors } from "./version-comparison.ts";

const CERTAIN = 0.99;
const FIRST_LOOK = 10;

export interface VersionRun {
  readonly isError: boolean;
  readonly microUsd: number;
}

export interface RollVerdict {
  readonly verdict: "hold" | "back" | "promote";
  readonly reason: string;
}

const percent = (part: number): string => `${Math.round(part * 1000) / 10} %`;
const errorsOf = (runs: readonly VersionRun[]): number =>
  runs.filter(({ isError }) => isError).length;

/** ROLL-VERDICT-1. */
export function looksOf(sample: number): number[] {
  const looks: number[] = [];
  for (let look = FIRST_LOOK; look < sample; look *= 2) looks.push(look);
  return [...looks, sample];
}

/** The runs of each version that ended, the first ones first. */
export function rollVerdict(
  rule: RollRule,
  canary: readonly VersionRun[],
  stable: readonly VersionRun[],
): RollVerdict {
  const sample = Math.min(rule.sample, rule.first ?? rule.sample);
  const dear = canary.find(({ microUsd }) => microUsd > (rule.maxUsd ?? Infinity) * 1e6);
  if (dear !== undefined)
    return {
      verdict: "back",
      reason: `one run cost $${(dear.microUsd / 1e6).toFixed(4)}, of at most $${rule.maxUsd}`,
    };
  for (const look of looksOf(sample).filter((one) => one <= canary.length)) {
    const reason = faultAt(rule, canary.slice(0, look), stable);
    if (reason !== undefined) return { verdict: "back", reason };
  }
  if (canary.length < sample)
    return { verdict: "hold", reason: `${canary.length} of ${sample} runs` };
  if (stable.length < rule.baseline)
    return {
      verdict: "hold",
      reason: `the stable version has ${stable.length} of ${rule.baseline} runs to compare with`,
    };
  const [its, theirs] = [errorsOf(canary) / canary.length, errorsOf(stable) / stable.length];
  return {
    verdict: "promote",
    reason: `${percent(its)} errors in ${canary.length} runs, ${percent(theirs || 0)} before`,
  };
}

/** ROLL-VERDICT-2. */
function faultAt(
  { margin, costRatio }: RollRule,
  canary: readonly VersionRun[],
  stable: readonly VersionRun[],
): string | undefined {
  const [its, theirs] = [errorsOf(canary), errorsOf(stable)];
  const its2 = { errors: its, runs: canary.length };
  const chance = chanceOfMoreErrors(its2, { errors: theirs, runs: stable.length }, margin);
  if (chance > CERTAIN)
    return `${its} of ${canary.length} runs failed, and ${theirs} of ${stable.length} of the stable version`;
  const costs = (runs: readonly VersionRun[]) => runs.map(({ microUsd }) => microUsd);
  if (beyondByCost(costs(canary), costs(stable), costRatio, CERTAIN))
    return `its runs cost more than ${costRatio} times as much`;
  return undefined;
}
