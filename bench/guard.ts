// guard: ten figures as ratios to a bare loop in the same run, with those of the last release beside them. It
// fails when one is more than SLACK worse.
//
//   npm run bench -- guard                     beside the ratios that were kept of the last release
//   npm run bench -- guard --beside CHECKOUT   beside that checkout's kernel, measured in turn with ours
//   npm run bench -- guard --short             the first four, two rounds each; never fails
//   npm run bench -- guard --keep              keeps today's ratios as those of this release; with --beside, those
//                                              of the checkout as those of its release
//
// A ratio says how many times what a row of the bare loop costs; less is better.
//
// GUARD-1  A figure that is more than SLACK worse fails the guard, and so does one that nothing is known of from
//     before: a new figure is kept first.
// GUARD-2  The short form, and a run that keeps its ratios, never fail.

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

/** GUARD-1. A ratio that is no number is worse, too. */
export const worseRows = (rows: readonly GuardRow[]): GuardRow[] =>
  rows.filter(({ ratio, before }) => before === undefined || !(ratio <= before * (1 + SLACK)));

/** GUARD-2. What `npm run bench -- guard` ends with. */
export const guardExitCode = (rows: readonly GuardRow[], args: readonly string[]): 0 | 1 =>
  args.includes("--short") || args.includes("--keep") || worseRows(rows).length === 0 ? 0 : 1;

/** The least of each over all passes, divided by the least of the floor. */
export const leastRatios = (
  costs: readonly (readonly number[])[],
  floors: readonly number[],
): number[] => {
  const floor = floors.length === 0 ? 1 : Math.min(...floors);
  return costs.map((ofRoot) => round(Math.min(...ofRoot) / floor, 2));
};

/** One figure and its floor in turn, and another checkout's; the least of each. */
async function ratioOf(
  figure: string,
  roots: readonly string[],
  passes: number,
): Promise<number[]> {
  const measure = (name: string, root: string) =>
    inChild("guard", { figure: name, root, rounds: passes === 1 ? 2 : 4 }, undefined, root);
  const costs: number[][] = roots.map(() => []);
  const floors: number[] = []; // none for the disk's: its figure is a ratio already
  for (let pass = 0; pass < passes; pass++) {
    if (figure !== DISK) floors.push(await measure(floorOf(figure), ROOT));
    for (const [nth, root] of roots.entries()) costs[nth]!.push(await measure(figure, root));
  }
  return leastRatios(costs, floors);
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
  if (args.includes("--keep")) keep(rows, beside);
  if (guardExitCode(rows, args) !== 0) process.exitCode = 1;
  return {
    beside: beside ?? `${kept.version}, ${kept.date}`,
    ...Object.fromEntries(rows.map(({ figure, ratio, before }) => [figure, { ratio, before }])),
    worse: worseRows(rows).map(({ figure }) => figure),
    unit: "times a row of the bare loop",
  };
}

const lineOf = ({ figure, ratio, before }: GuardRow): string =>
  `${figure.padEnd(32)} ${ratio.toFixed(2).padStart(7)}${before === undefined ? "" : `   before ${before.toFixed(2)}`}`;

function keep(rows: readonly GuardRow[], beside: string | undefined): void {
  const { version } = JSON.parse(readFileSync(`${beside ?? ROOT}/package.json`, "utf8")) as {
    version: string;
  };
  const ratios = Object.fromEntries(
    rows.map(({ figure, ratio, before }) => [figure, beside === undefined ? ratio : before!]),
  );
  const kept: Kept = { version, date: new Date().toISOString().slice(0, 10), ratios };
  writeFileSync(KEPT, `${JSON.stringify(kept, null, 2)}\n`);
}
