// VersionComparison: how sure it is that one version is worse than another.

interface Outcomes {
  readonly errors: number;
  readonly runs: number;
}

const GRID = 2000;

/** The chance that `a` fails more often than `b` by `margin`: both rates by what was seen, from Beta(1, 1) on. */
export function chanceOfMoreErrors(a: Outcomes, b: Outcomes, margin: number): number {
  const [ofA, ofB] = [densityOf(a), densityOf(b)];
  const below: number[] = [];
  let sum = 0;
  for (const part of ofB) below.push((sum += part));
  const shift = Math.round(margin * GRID);
  let chance = 0;
  for (let at = shift + 1; at < GRID; at++) chance += ofA[at]! * below[at - shift - 1]!;
  return chance;
}

/** Beta(errors + 1, successes + 1) in GRID parts whose sum is one. */
function densityOf({ errors, runs }: Outcomes): number[] {
  const logs: number[] = [];
  for (let at = 0; at < GRID; at++) {
    const rate = (at + 0.5) / GRID;
    logs.push(errors * Math.log(rate) + (runs - errors) * Math.log1p(-rate));
  }
  const most = logs.reduce((a, b) => Math.max(a, b), -Infinity);
  const parts = logs.map((log) => Math.exp(log - most));
  const sum = parts.reduce((total, part) => total + part, 0);
  return parts.map((part) => part / sum);
}

/** Whether costs are surely more than `ratio` times as much: Welch's test on their logarithms, one-sided. */
export function beyondByCost(
  costs: readonly number[],
  base: readonly number[],
  ratio: number,
  certain: number,
): boolean {
  if (costs.length < 2 || base.length < 2) return false;
  const [a, b] = [momentsOf(costs), momentsOf(base)];
  const [partA, partB] = [a.variance / costs.length, b.variance / base.length];
  const difference = a.mean - b.mean - Math.log(ratio);
  const error = Math.sqrt(partA + partB);
  if (error === 0) return difference > 0;
  const freedom =
    (partA + partB) ** 2 / (partA ** 2 / (costs.length - 1) + partB ** 2 / (base.length - 1));
  return difference / error > 0 && tailOf(difference / error, freedom) < 1 - certain;
}

/** Of the logarithms; what costs nothing counts as a millionth of a dollar. */
function momentsOf(costs: readonly number[]): { mean: number; variance: number } {
  const logs = costs.map((cost) => Math.log(cost + 1));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  return { mean, variance };
}

/** The chance of more than `t`, by Student's distribution, which is summed up from there on in steps of its angle. */
function tailOf(t: number, freedom: number): number {
  // With t = √ν · tan(θ) the density is proportional to cos(θ)^(ν − 1).
  const angle = Math.atan(t / Math.sqrt(freedom));
  const area = (from: number, to: number): number => {
    const step = (to - from) / GRID;
    let sum = 0;
    for (let at = 0; at < GRID; at++) sum += Math.cos(from + (at + 0.5) * step) ** (freedom - 1);
    return sum * step;
  };
  const right = area(angle, Math.PI / 2);
  return right / (2 * area(0, Math.PI / 2));
}
