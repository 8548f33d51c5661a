// Eval state: how far an evaluation is, from its journal, with the same scores as its end.
//
// EVAL-STATE-1  It is asked of the records: what is shown of an evaluation under way is what it has come to, and nothing
//     that is kept beside.

import type { RecordedRun } from "@aos/kernel";
import {
  cellAt,
  cellsOf,
  type EvalCell,
  type EvalFacts,
  type EvalInput,
  type EvalRun,
  type EvalVerdict,
  type Json,
  scorerNameOf,
} from "@aos/protocol";
import { scoreCell, verdictOfJudge } from "@aos/userland";
import { callsMade } from "../testing/made-calls.ts";

export interface EvalState {
  readonly input: EvalInput;
  readonly facts: ReadonlyMap<number, EvalFacts>;
  readonly results: readonly EvalCell[];
}

export function evalStateOf({ records }: Pick<RecordedRun, "records">, output: Json): EvalState {
  const first = records[0] as unknown as { readonly input: Json };
  const input = first.input as unknown as EvalInput;
  const said = (output as { readonly facts?: Readonly<Record<string, EvalFacts>> } | null)?.facts;
  const facts = said === undefined ? factsSoFar(input, records) : numbered(said);
  const cells = Array.from({ length: cellsOf(input) }, (_, cell) => cell);
  return { input, facts, results: cells.map((cell) => scoreCell(input, cell, facts.get(cell))) };
}

const numbered = (facts: Readonly<Record<string, EvalFacts>>): Map<number, EvalFacts> =>
  new Map(Object.entries(facts).map(([cell, known]) => [Number(cell), known]));

interface ToolArgs {
  readonly cell: number;
  readonly judge?: string;
  readonly scorer?: string;
}

/** EVAL-STATE-1. Only runs of which every verdict is there. */
function factsSoFar(input: EvalInput, records: RecordedRun["records"]): Map<number, EvalFacts> {
  const found = new Map<number, { run?: EvalRun; verdicts: Record<string, EvalVerdict> }>();
  for (const { tool, args, ok, outcome } of callsMade([["", records]])) {
    if (tool === null || outcome !== "ok" || ok === undefined) continue;
    const { cell, judge, scorer } = args as unknown as ToolArgs;
    const known = found.get(cell) ?? { verdicts: {} };
    found.set(cell, known);
    if (tool === "eval.score") known.verdicts[scorer!] = ok as unknown as EvalVerdict;
    else if (judge !== undefined) known.verdicts[judge] = verdictOfJudge(ok as unknown as EvalRun);
    else known.run = ok as unknown as EvalRun;
  }
  const asked = input.scorers.filter(({ type }) => type === "code" || type === "judge");
  const isWhole = ({ run, verdicts }: EvalFacts) =>
    run !== undefined &&
    (run.state !== "completed" || asked.every((scorer) => verdicts[scorerNameOf(scorer)]));
  const kept = numbered(input.kept ?? {});
  for (const [cell, one] of found) if (isWhole(one)) kept.set(cell, one);
  return kept;
}

/** What need not be done again: all that was scored. */
export function keptOf({ facts, results }: EvalState): Record<string, EvalFacts> {
  const isScored = (cell: number) => ["passed", "failed"].includes(results[cell]!.state);
  return Object.fromEntries([...facts].filter(([cell]) => isScored(cell)));
}

/** For `cancel`: each run that may have been begun, with its judges. */
export function* runNames(input: EvalInput): Generator<string> {
  for (let cell = 0; cell < cellsOf(input); cell++) {
    if (cellAt(input, cell).given === undefined) return;
    yield String(cell);
    for (const scorer of input.scorers)
      if (scorer.type === "judge") yield `${cell}/${scorerNameOf(scorer)}`;
  }
}
