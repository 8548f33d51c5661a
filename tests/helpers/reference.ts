// The reference at the end of a test: every journal of its kernel is judged again (tests/reference).
//
//   checked(kernel, options)        a kernel of its own: judged before it is closed
//   checkStore(where, reigns)       what a daemon or a killed process has left
//
// What was judged, and what was not and why, is a line for each kernel in a file; the sum of them is said
// at the end of the run (reference-summary.ts).

import { appendFileSync } from "node:fs";
import { DEFAULT_POLICY, type Kernel, type KernelOptions } from "@aos/kernel";
import { expect, inject } from "vitest";
import type { Books, Told } from "../reference/history.ts";
import type { Label } from "@aos/protocol";
import { compareWithReference } from "../reference/reference.ts";
import { everlasting, type Reign } from "../reference/reigns.ts";
import { openBooks } from "../reference/stored.ts";
import { tallyLine } from "./reference-summary.ts";

const CLEAN: Label = { integrity: "trusted", secrecy: "public" };

export async function checkReference(
  books: Books,
  reigns: readonly Reign[],
  told?: Told,
): Promise<void> {
  const compared = await compareWithReference(books, reigns, told);
  const file = process.env["AOS_REFERENCE_TALLY"] ?? inject("referenceTally");
  appendFileSync(file, tallyLine(compared));
  expect(compared.disagreements, "the gate and its reference disagree").toEqual([]);
}

/** What a kernel is told of tools, models and policy. */
type There = {
  readonly [Name in "tools" | "models" | "policy"]?: KernelOptions[Name] | undefined;
};

export const reignOf = ({ tools = [], models = [], policy = [DEFAULT_POLICY] }: There): Reign =>
  everlasting({ tools, models, policy });

/** What a kernel was told: policies as they were loaded, and with what processes began. */
export class Dynasty implements Told {
  readonly reigns: Reign[];
  readonly births: Map<string, Label>;
  readonly gifted: Set<string>;
  readonly #there: There;

  /** Goes on from an earlier boot. */
  constructor(there: There, earlier?: Pick<Dynasty, "reigns" | "births" | "gifted">) {
    this.#there = there;
    this.reigns = [...(earlier?.reigns ?? [])];
    this.births = earlier?.births ?? new Map();
    this.gifted = earlier?.gifted ?? new Set();
    this.#begin(there.policy, Date.now());
  }

  /** Tells it of every policy that this kernel loads, and of every process that it starts. */
  follow(kernel: Kernel): void {
    const spawn = kernel.spawn.bind(kernel);
    kernel.spawn = async (request) => {
      const pid = await spawn(request);
      this.births.set(pid, request.label ?? CLEAN);
      return pid;
    };
    const grant = kernel.grant.bind(kernel);
    kernel.grant = (to, newGrant) => {
      if ("agent" in to) this.gifted.add(to.agent);
      return grant(to, newGrant);
    };
    const load = kernel.loadPolicy.bind(kernel);
    kernel.loadPolicy = async (sources, by) => {
      const from = Date.now();
      const report = await load(sources, by);
      this.#begin(sources, from);
      return report;
    };
  }

  #begin(policy: There["policy"], from: number): void {
    const last = this.reigns.at(-1);
    if (last !== undefined) last.until = Date.now();
    this.reigns.push({ ...reignOf({ ...this.#there, policy }), from });
  }
}

/**
 * The same kernel, whose journals are judged before it is closed. What its store had before was decided
 * under the same policy and with the same tools.
 */
export function checked(kernel: Kernel, there: There): Kernel {
  return judgedWhenClosed(
    kernel,
    new Dynasty(there, { reigns: [reignOf(there)], births: new Map(), gifted: new Set() }),
  );
}

export function judgedWhenClosed(kernel: Kernel, dynasty: Dynasty): Kernel {
  dynasty.follow(kernel);
  const close = kernel.close.bind(kernel);
  let closed: Promise<void> | undefined;
  const judgeAndClose = async () => {
    try {
      await checkReference(kernel, dynasty.reigns, dynasty);
    } finally {
      await close();
    }
  };
  kernel.close = () => (closed ??= judgeAndClose());
  return kernel;
}

export async function checkStore(
  where: Parameters<typeof openBooks>[0],
  reigns: readonly Reign[],
): Promise<void> {
  const books = await openBooks(where);
  try {
    await checkReference(books, reigns);
  } finally {
    await books.close();
  }
}
