// The sum of what the reference has judged in a run, said at its end: how many journals and verdicts, and
// how many were not judged and why.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import type { Comparison } from "../reference/reference.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A file with one line of JSON for each kernel. */
    referenceTally: string;
    /** Whether loops are to be long: `npm run test:deep`. */
    isDeep: boolean;
  }
}

type Line = Readonly<Record<string, number>>;

export const tallyLine = ({ journals, agreed, disagreements, tally }: Comparison): string => {
  const sums = { journals, agreed, disagreed: disagreements.length };
  return `${JSON.stringify({ ...sums, ...Object.fromEntries(tally) })}\n`;
};

export function summaryOf(text: string): string[] {
  const lines = text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  const sum = new Map<string, number>();
  for (const [name, count] of lines.flatMap((line) => Object.entries(line)))
    sum.set(name, (sum.get(name) ?? 0) + count);
  const of = (name: string) => sum.get(name) ?? 0;
  const left = [...sum].filter(([name]) => !["journals", "agreed", "disagreed"].includes(name));
  const leftOut = left.reduce((all, [, count]) => all + count, 0);
  return [
    `reference: ${of("journals")} journals of ${lines.length} kernels, ${of("agreed")} verdicts agree, ` +
      `${of("disagreed")} disagree, ${leftOut} are not judged`,
    ...left.toSorted(([, a], [, b]) => b - a).map(([why, count]) => `  ${count} ${why}`),
  ];
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "aos-reference-"));
  const file = process.env["AOS_REFERENCE_TALLY"] ?? join(folder, "tally");
  project.provide("referenceTally", file);
  return () => {
    try {
      process.stdout.write(`\n${summaryOf(readFileSync(file, "utf8")).join("\n")}\n`);
    } catch {
      // Nothing that boots a kernel was run.
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  };
}
