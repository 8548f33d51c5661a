// Measure: a kernel on a file of its own, and small sums.

import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootKernel, type Kernel, type KernelOptions } from "../kernel/src/index.ts";
import type { Tool } from "../protocol/src/index.ts";

export interface Bench {
  readonly kernel: Kernel;
  readonly folder: string;
}

/** A folder next to the repository's, so that it is on a real disk and not in memory. */
export function benchFolder(): string {
  return mkdtempSync(join(process.env["AOS_BENCH_DIR"] ?? tmpdir(), "aos-bench-"));
}

export async function withKernel<T>(
  options: KernelOptions,
  work: (bench: Bench) => Promise<T>,
): Promise<T> {
  const folder = benchFolder();
  const kernel = await bootKernel({
    store: { file: join(folder, "aos.db") },
    retention: { maxRuns: Infinity, maxBytes: Infinity },
    onTrouble: (what, error) => console.error(what, error),
    ...options,
  });
  try {
    return await work({ kernel, folder });
  } finally {
    await kernel.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A tool that does nothing: what is measured is everything around it. */
export const stepTool: Tool = {
  name: "bench.step",
  version: "1",
  description: "Does nothing.",
  input: {},
  effect: "read",
  label: { integrity: "trusted", secrecy: "public" },
  touches: () => [],
  run: async () => null,
};

export const stepCapabilities = ["tool:bench.*:call"];

export function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const round = (value: number, digits = 0): number => Number(value.toFixed(digits));

const noise = randomBytes(1 << 18).toString("base64");

/** Text that does not compress into nothing, different for every seed, and cheap to make. */
export function payloadOf(bytes: number, seed: number): string {
  const from = (seed * 7919) % (noise.length - bytes);
  return noise.slice(from, from + bytes);
}
