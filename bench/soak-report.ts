// What a soak has shown: for each thing that was sampled, its beginning beside its end, and a curve.

import { median, round } from "./measure.ts";

interface Spread {
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface Sample {
  readonly seconds: number;
  readonly rssMb: number;
  readonly handles: number;
  readonly databaseMb: number;
  readonly runs: number;
  readonly invokes: number;
  readonly run: Spread;
  readonly invoke: Spread;
}

/** The end is not over so many times the beginning. */
const STEADY = 1.25;
const WARM_UP_S = 60;
const PART_S = 300;

type Series = readonly [name: string, of: (sample: Sample) => number | null];

const series: readonly Series[] = [
  ["RSS, MB", ({ rssMb }) => rssMb],
  ["file handles", ({ handles }) => handles],
  ["run p50, ms", ({ run }) => run.p50],
  ["run p95, ms", ({ run }) => run.p95],
  ["invoke p50, ms", ({ invoke }) => invoke.p50],
  ["invoke p95, ms", ({ invoke }) => invoke.p95],
];

/** Not steady by its nature: the history of an agent that lives is kept, and grows with every message to it. */
const database: Series = ["database, MB", ({ databaseMb }) => databaseMb];

function databaseText(used: readonly Sample[]): string {
  const [first, last] = [used[0]!, used.at(-1)!];
  const invokes = used.slice(1).reduce((sum, sample) => sum + sample.invokes, 0);
  const kilobytes = ((last.databaseMb - first.databaseMb) * 1024) / Math.max(1, invokes);
  return `The database went from ${first.databaseMb} to ${last.databaseMb} MB: ${round(kilobytes, 1)} KB for each invoke.`;
}

export function reportOf(
  samples: readonly Sample[],
  sampleMs: number,
  failures: ReadonlyMap<string, number>,
): { readonly text: string; readonly result: Record<string, unknown> } {
  const warm = samples.filter(({ seconds }) => seconds >= WARM_UP_S);
  const used = warm.length >= 3 ? warm : samples;
  const part = Math.max(1, Math.min((PART_S * 1000) / sampleMs, Math.floor(used.length / 3)));
  const rows = series.map(([name, of]) => {
    const middle = (some: readonly Sample[]) =>
      median(some.map(of).filter((value) => value !== null));
    const first = middle(used.slice(0, part));
    const last = middle(used.slice(-part));
    const ratio = round(last / first, 2);
    return { name, first: round(first, 1), last: round(last, 1), ratio, steady: ratio <= STEADY };
  });
  const isSteady = rows.every(({ steady }) => steady);
  const failed = [...failures].map(([text, count]) => `- ${count} × ${text}`);
  const text = [
    "# Soak",
    "",
    `${isSteady ? "Steady" : "NOT steady"}: the last ${(part * sampleMs) / 1000} seconds beside the first, medians; over ${STEADY} times is not steady.`,
    "",
    "| what | first | last | ratio | steady |",
    "| --- | --- | --- | --- | --- |",
    ...rows.map(
      ({ name, first, last, ratio, steady }) =>
        `| ${name} | ${first} | ${last} | ${ratio} | ${steady ? "yes" : "**no**"} |`,
    ),
    "",
    databaseText(used),
    "",
    ...(failed.length === 0 ? ["No request failed."] : ["Requests that failed:", "", ...failed]),
    "",
    "![the curve](curve.svg)",
    "",
  ].join("\n");
  return { text, result: { steady: isSteady, rows, failures: failed } };
}

const WIDTH = 800;
const HEIGHT = 120;

/** One strip for each thing, from nothing to its highest. */
export function curveOf(samples: readonly Sample[]): string {
  const strips = [...series, database].map(([name, of], nth) => {
    const values = samples.map((sample) => of(sample) ?? 0);
    const top = Math.max(...values, 1);
    const step = WIDTH / Math.max(1, values.length - 1);
    const points = values.map(
      (value, at) =>
        `${round(at * step, 1)},${round(nth * HEIGHT + HEIGHT - 4 - (value / top) * (HEIGHT - 30), 1)}`,
    );
    return [
      `<text x="4" y="${nth * HEIGHT + 16}" font-family="sans-serif" font-size="12">${name} (highest ${round(top, 1)})</text>`,
      `<polyline fill="none" stroke="#2563eb" stroke-width="1.5" points="${points.join(" ")}"/>`,
    ].join("\n");
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${(series.length + 1) * HEIGHT}">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    ...strips,
    "</svg>",
    "",
  ].join("\n");
}
