// Spending: how much of the budget of an evaluation is paid, and how much is set aside for what runs.
//
// EVAL-SPENDING-1  What is set aside is a limit of the run, which the kernel holds it to: what is paid and set aside is never
//     more than the budget.
// EVAL-SPENDING-2  A run without a limit of its own gets all that is left, and so is alone.

import { costOf, type EvalScorer, type EvalVariant, usdOf } from "@aos/protocol";

/** In micro-dollars; `runUsd` is the limit of the run, where it has one. */
export interface RunShare {
  readonly held: number;
  readonly runUsd: number | undefined;
  /** The limit is the evaluation's, and not the agent's own: to use it up says nothing of the agent. */
  readonly isRest: boolean;
}

const micro = (usd: number): number => costOf(usd) ?? 0;

export class EvalSpending {
  readonly #limit: number;
  readonly #judges: number;
  #paid = 0;
  #held = 0;

  constructor(budgetUsd: number | null, scorers: readonly EvalScorer[]) {
    this.#limit = budgetUsd === null ? Infinity : micro(budgetUsd);
    this.#judges = scorers.reduce(
      (sum, scorer) => sum + (scorer.type === "judge" ? micro(scorer.maxUsd) : 0),
      0,
    );
  }

  /** A share for one run with its judges; or whether to wait for others, or to give up. */
  take({ limitUsd }: Pick<EvalVariant, "limitUsd">, isAlone: boolean): RunShare | "wait" | "none" {
    const own = limitUsd === null ? undefined : micro(limitUsd);
    if (this.#limit === Infinity) return { held: 0, runUsd: limitUsd ?? undefined, isRest: false };
    const left = this.#limit - this.#paid - this.#held - this.#judges;
    const isCovered = own === undefined ? isAlone && left > 0 : own <= left; // EVAL-SPENDING-2
    if (!isCovered) return isAlone ? "none" : "wait";
    const run = own ?? left;
    this.#held += run + this.#judges;
    return { held: run + this.#judges, runUsd: usdOf(run), isRest: own === undefined };
  }

  pay({ held }: RunShare, usd: number): void {
    this.#held -= held;
    this.#paid += micro(usd);
  }
}
