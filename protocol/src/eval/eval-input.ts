// EvalInput: what an evaluation is, as its process is given it: everything that was named is in it, so that nothing on the
// disk changes it afterwards.

import type { Json, JsonObject } from "../json.ts";
import type { FailureText } from "../failures.ts";
import type { ManifestText } from "../manifest.ts";
import type { ProcessState } from "../process.ts";
import type { EvalScorer } from "./scorer.ts";

/** An agent with a model. */
export interface EvalVariant {
  readonly name: string;
  readonly agent: string;
  /** What stands in the place of the models of the manifest. */
  readonly model: string | null;
  readonly manifest: ManifestText;
  readonly folder?: string;
  readonly registeredAs?: string;
  /** The most that one run may cost, in dollars; null where nothing says so. */
  readonly limitUsd: number | null;
}

export interface EvalCase {
  readonly id: string;
  readonly input: Json;
  readonly expected: Json;
  readonly label?: string;
  readonly tags: readonly string[];
  /** All of its row: scorers name them as `{{field}}`. */
  readonly fields: JsonObject;
}

export interface EvalInput {
  readonly name: string;
  /** Of cases and scorers: equal digests ask the same questions. */
  readonly digest: string;
  readonly variants: readonly EvalVariant[];
  readonly cases: readonly EvalCase[];
  readonly scorers: readonly EvalScorer[];
  /** Texts of the files of code scorers, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly repeat: number;
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly budgetUsd: number | null;
  /** A folder that each run has a copy of. */
  readonly workspace?: string;
  readonly failUnder: Readonly<Record<string, number>>;
  /** The evaluation that this one goes on with, and what is done of it, by the number of the cell. */
  readonly resumes?: string;
  readonly kept?: Readonly<Record<string, EvalFacts>>;
}

/** What a run came to, as it is measured. */
export interface EvalRun {
  readonly pid: string;
  readonly state: ProcessState;
  readonly exitCode: number | null;
  readonly output: Json;
  readonly error: Pick<FailureText, "code" | "message"> | null;
  readonly label: string;
  readonly usd: number;
  readonly tokens: number;
  readonly latencyMs: number;
  readonly steps: number;
  readonly calls: readonly { readonly tool: string; readonly outcome: string }[];
}

/** Of a scorer that is no pure function. */
export interface EvalVerdict {
  readonly score: number | null;
  readonly reason: string;
  readonly pid?: string;
  readonly usd?: number;
}

/** All that is known of one run of one case. */
export interface EvalFacts {
  readonly run?: EvalRun;
  /** It was not run, or ended before its time: no money was left. */
  readonly noBudget?: true;
  /** It could not be started. */
  readonly error?: Pick<FailureText, "code" | "message">;
  readonly verdicts: Readonly<Record<string, EvalVerdict>>;
}

/** Which case, agent and repetition a number stands for. Repetitions come last, so that a part of them is all cases. */
export function cellAt({ cases, variants }: Pick<EvalInput, "cases" | "variants">, cell: number) {
  const [ofRepeat, inRepeat] = divided(cell, cases.length * variants.length);
  const [ofCase, ofVariant] = divided(inRepeat, variants.length);
  return { repeat: ofRepeat, given: cases[ofCase]!, variant: variants[ofVariant]! };
}

const divided = (number: number, by: number): [number, number] => [
  Math.floor(number / by),
  number % by,
];

export const cellsOf = ({
  cases,
  variants,
  repeat,
}: Pick<EvalInput, "cases" | "variants" | "repeat">): number =>
  cases.length * variants.length * repeat;
