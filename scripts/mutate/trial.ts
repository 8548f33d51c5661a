// Trial: runs test files against instrumented sources, with one mutant on or none.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Vitest } from "vitest/node";
import { openVitest } from "./instrumented.ts";
import type { Mutant } from "./mutants.ts";

export interface Outcome {
  readonly isGreen: boolean;
  readonly ms: number;
  readonly reached: ReadonlySet<string>;
}

/** A mutant that makes a test run so much longer has been noticed too. */
const LIMIT_MS = 120_000;
export const LONGEST_TEST_MS = 30_000;

export class Trials {
  readonly #root: string;
  readonly #mutants: readonly Mutant[];
  readonly #reachedFile: string;
  #vitest: Vitest | undefined;

  constructor(root: string, mutants: readonly Mutant[], reachedFile: string) {
    this.#root = root;
    this.#mutants = mutants;
    this.#reachedFile = reachedFile;
  }

  /** `testMs`: a test that takes longer than this has failed. */
  async run(testFile: string, key: string, testMs = LONGEST_TEST_MS): Promise<Outcome> {
    const vitest = (this.#vitest ??= await this.#open());
    writeFileSync(this.#reachedFile, "");
    const project = vitest.getRootProject();
    project.provide("mutation" as never, { key, reachedFile: this.#reachedFile } as never);
    project.config.testTimeout = testMs;
    const specification = project.createSpecification(join(this.#root, testFile));
    const since = Date.now();
    const result = await within(vitest.runTestSpecifications([specification]), LIMIT_MS);
    const reached = new Set(readFileSync(this.#reachedFile, "utf8").split("\n"));
    if (result === undefined) {
      // It goes in circles, and hears nothing.
      process.kill(Number(readFileSync(this.#pidFile, "utf8")), "SIGKILL");
      await this.close();
    }
    const modules = (result?.testModules ?? []).filter(
      ({ moduleId }) => moduleId === specification.moduleId,
    );
    const isGreen =
      result?.unhandledErrors.length === 0 && modules.length === 1 && modules[0]!.ok();
    return { isGreen, ms: Date.now() - since, reached };
  }

  async close(): Promise<void> {
    const vitest = this.#vitest;
    this.#vitest = undefined;
    for (const file of [this.#reachedFile, this.#tallyFile, this.#pidFile])
      rmSync(file, { force: true });
    await vitest?.close();
  }

  get #pidFile(): string {
    return `${this.#reachedFile}-pid`;
  }

  get #tallyFile(): string {
    return `${this.#reachedFile}-tally`;
  }

  async #open(): Promise<Vitest> {
    return openVitest(this.#root, this.#mutants, {
      setupFiles: [join(this.#root, "scripts/mutate/switch.ts")],
      bail: 1,
      testTimeout: LONGEST_TEST_MS,
      hookTimeout: LONGEST_TEST_MS,
      provide: {
        mutation: { key: "", reachedFile: this.#reachedFile },
        referenceTally: this.#tallyFile, // tests/helpers/reference-summary.ts
      } as never,
    });
  }
}

async function within<T>(running: Promise<T>, limitMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}
