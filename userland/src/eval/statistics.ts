// Statistics: what a few results say about many: intervals of rates and means, and whether two runs over the same cases
// differ. Everything is a function of its arguments: the same results always give the same figures.
//
// STATISTICS-1  An interval covers the true value in 95 of 100 samples, or more: the sample is of cases, and repetitions
//     of one case are one.
// STATISTICS-2  What too few cases cannot tell has no interval, and no difference is claimed from it.

export interface Interval {
  readonly low: number;
  readonly high: number;
}

const Z95 = 1.959_963_984_540_054;

/** Wilson's interval of a rate. For scores between 0 and 1 it is wide enough too: none varies more than a yes or a no. */
export function wilson(mean: number, n: number): Interval | null {
  if (n === 0) return null;
  const z2 = Z95 * Z95;
  const centre = (mean + z2 / (2 * n)) / (1 + z2 / n);
  const spread = (Z95 / (1 + z2 / n)) * Math.sqrt((mean * (1 - mean)) / n + z2 / (4 * n * n));
  return { low: Math.max(0, centre - spread), high: Math.min(1, centre + spread) };
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}

/** Student's interval of a mean. STATISTICS-2: none of one value. */
export function meanInterval(values: readonly number[]): Interval | null {
  const n = values.length;
  if (n < 2) return null;
  const half = (tQuantile975(n - 1) * deviationOf(values)) / Math.sqrt(n);
  const mean = meanOf(values);
  return { low: mean - half, high: mean + half };
}

/** Exact to 20, then by the expansion of Cornish and Fisher. */
const T975 = [
  12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
  2.262_157, 2.228_139, 2.200_985, 2.178_813, 2.160_369, 2.144_787, 2.131_45, 2.119_905, 2.109_816,
  2.100_922, 2.093_024, 2.085_963,
];

export function tQuantile975(degrees: number): number {
  const known = T975[degrees - 1];
  if (known !== undefined) return known;
  const z = Z95;
  return (
    z +
    (z ** 3 + z) / (4 * degrees) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * degrees ** 3)
  );
}

/** McNemar's exact test: how likely so uneven a split of the cases that changed is by chance. */
export function mcnemar(better: number, worse: number): number {
  const n = better + worse;
  if (n === 0) return 1;
  let term = 0.5 ** n; // of 0 of n
  if (term === 0) return normalTail(Math.abs(better - worse) / Math.sqrt(n));
  let tail = 0;
  for (let k = 0; k <= Math.min(better, worse); k++) {
    tail += term;
    term *= (n - k) / (k + 1);
  }
  return Math.min(1, 2 * tail);
}

/** Of both sides. Abramowitz and Stegun 7.1.26: right to 1e-7. */
function normalTail(z: number): number {
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.327_591_1 * x);
  const poly =
    t *
    (0.254_829_592 +
      t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
  return poly * Math.exp(-x * x);
}

const RESAMPLES = 5000;

/** The interval of the mean of paired differences, by bootstrap over cases; the same differences give the same one. */
export function bootstrapInterval(differences: readonly number[]): Interval | null {
  const n = differences.length;
  if (n < 2) return null;
  const next = seededRandom(n);
  const means: number[] = [];
  for (let sample = 0; sample < RESAMPLES; sample++) {
    let sum = 0;
    for (let k = 0; k < n; k++) sum += differences[Math.floor(next() * n)]!;
    means.push(sum / n);
  }
  means.sort((one, other) => one - other);
  return {
    low: means[Math.floor(0.025 * RESAMPLES)]!,
    high: means[Math.ceil(0.975 * RESAMPLES) - 1]!,
  };
}

/** Mulberry32. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface PairedDifference {
  /** Of the second from the first. */
  readonly mean: number;
  readonly interval: Interval | null;
  /** Null where a probability is not what was computed. */
  readonly p: number | null;
  readonly says: "better" | "worse" | "cannot tell";
  readonly cases: number;
  readonly better: number;
  readonly worse: number;
  /** The least difference that so many cases show in 80 of 100 samples. */
  readonly detectable: number | null;
}

/** Below this many cases no difference of graded scores is claimed: a bootstrap of fewer is too narrow. */
const LEAST_FOR_BOOTSTRAP = 10;

/** Each pair is the mean score of one case in the first and in the second run. */
export function pairedDifference(pairs: readonly (readonly [number, number])[]): PairedDifference {
  const differences = pairs.map(([first, second]) => second - first);
  const n = differences.length;
  const better = differences.filter((one) => one > 0).length;
  const worse = differences.filter((one) => one < 0).length;
  const isBinary = pairs.every((pair) => pair.every((score) => score === 0 || score === 1));
  const interval = bootstrapInterval(differences);
  const p = isBinary && n > 0 ? mcnemar(better, worse) : null;
  const isShown =
    p !== null
      ? p < 0.05
      : n >= LEAST_FOR_BOOTSTRAP && interval !== null && (interval.low > 0 || interval.high < 0);
  const mean = n === 0 ? 0 : meanOf(differences);
  const deviation = n < 2 ? 0 : deviationOf(differences);
  return {
    mean,
    interval,
    p,
    says: !isShown ? "cannot tell" : mean > 0 ? "better" : "worse",
    cases: n,
    better,
    worse,
    detectable: n < 2 || deviation === 0 ? null : (2.802 * deviation) / Math.sqrt(n),
  };
}
