// guard: ten figures as ratios to a bare loop in the same run, with those of the last release beside them. It
// fails when one is more than SLACK worse.
//
//   npm run bench -- guard                     beside the ratios that were kept of the last release
//   npm run bench -- guard --beside CHECKOUT   beside that checkout's kernel, measured in turn with ours
//   npm run bench -- guard --short             the first four, two rounds each; never fails
//   npm run bench -- guard --keep              keeps today's ratios as those of this release
//
// A ratio says how many times what a row of the bare loop costs; less is better.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { inChild } from "./child.ts";
import { DISK, figureNames, floorOf } from "./guard-figures.ts";
import { round } from "./measure.ts";
import { optionOf } from "./option.ts";

const SLACK = 0.15;
const KEPT = fileURLToPath(new URL("./guard.json", import.meta.url));
const ROOT = dirname(fileURLToPath(new URL(".", import.meta.url)));

interface Kept {
  readonly version: string;
  readonly date: string;
  readonly ratios: Readonly<Record<string, number>>;
}

export interface GuardRow {
  readonly figure: string;
  readonly ratio: number;
  readonly before: number | undefined;
}

/** The rows that are more than SLACK worse than before. */
export const worseRows = (rows: readonly GuardRow[]): GuardRow[] =>
  rows.filter(({ ratio, before }) => before !== undefined && ratio > before * (1 + SLACK));

/** One figure and its floor in turn, and another checkout's; the least of each. */
async function ratioOf(
  figure: string,
  roots: readonly string[],
  passes: number,
): Promise<number[]> {
  const measure = (name: string, root: string) =>
    inChild("guard", { figure: name, root, rounds: passes === 1 ? 2 : 4 }, undefined, root);
  const least = roots.map(() => Infinity);
  let floor = Infinity;
  for (let pass = 0; pass < passes; pass++) {
    if (figure !== DISK) floor = Math.min(floor, await measure(floorOf(figure), ROOT));
    for (const [nth, root] of roots.entries())
      least[nth] = Math.min(least[nth]!, await measure(figure, root));
  }
  return least.map((cost) => round(figure === DISK ? cost : cost / floor, 2));
}

export async function guard(args: readonly string[]): Promise<Record<string, unknown>> {
  const isShort = args.includes("--short");
  const beside = optionOf(args, "--beside");
  const kept = JSON.parse(readFileSync(KEPT, "utf8")) as Kept;
  const rows: GuardRow[] = [];
  for (const figure of isShort ? figureNames.slice(0, 4) : figureNames) {
    const roots = [ROOT, ...(beside === undefined ? [] : [beside])];
    const [ratio, there] = await ratioOf(figure, roots, isShort ? 1 : 3);
    rows.push({ figure, ratio: ratio!, before: there ?? kept.ratios[figure] });
    console.error(lineOf(rows.at(-1)!));
  }
  const worse = worseRows(rows);
  if (args.includes("--keep")) keep(rows);
  else if (worse.length > 0 && !isShort) process.exitCode = 1;
  return {
    beside: beside ?? `${kept.version}, ${kept.date}`,
    ...Object.fromEntries(rows.map(({ figure, ratio, before }) => [figure, { ratio, before }])),
    worse: worse.map(({ figure }) => figure),
    unit: "times a row of the bare loop",
  };
}

const lineOf = ({ figure, ratio, before }: GuardRow): string =>
  `${figure.padEnd(32)} ${ratio.toFixed(2).padStart(7)}${before === undefined ? "" : `   before ${before.toFixed(2)}`}`;

function keep(rows: readonly GuardRow[]): void {
  const { version } = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8")) as {
    version: string;
  };
  const ratios = Object.fromEntries(rows.map(({ figure, ratio }) => [figure, ratio]));
  const kept: Kept = { version, date: new Date().toISOString().slice(0, 10), ratios };
  writeFileSync(KEPT, `${JSON.stringify(kept, null, 2)}\n`);
}
