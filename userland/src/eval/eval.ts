// Eval: an evaluation, as a process. Each run is a process of its own, as `aos run` would start it: the tool `eval.run`
// starts it, waits for it and says what it came to. Scores follow from that.
//
// EVAL-1  It makes only system calls, and decides by their results alone: after a crash it goes on where it was, and pays
//     for nothing twice.
// EVAL-2  A run is begun only when the budget covers its limit and those of its judges.
// EVAL-3  A run that could not be paid for is reported as such, and is no failure of its agent.

import {
  cellAt,
  cellsOf,
  type EvalFacts,
  type EvalInput,
  type EvalRun,
  type EvalVerdict,
  exitCodes,
  type Json,
  type Program,
  scorerNameOf,
  type Sys,
  SysError,
} from "@aos/protocol";
import { judgeQuestion, type JudgeScorer, verdictOfJudge } from "./judge.ts";
import { disturbanceOf, outputField, isComplete, caseScope } from "./score.ts";
import { EvalSpending, type RunShare } from "./spending.ts";

export const evalProgram: Program = async (sys, given) => {
  const input = readInput(given);
  const facts = new Map<number, EvalFacts>(
    Object.entries(input.kept ?? {}).map(([cell, known]) => [Number(cell), known]),
  );
  const open = Array.from({ length: cellsOf(input) }, (_, cell) => cell).filter(
    (cell) => !facts.has(cell),
  );
  const spending = new EvalSpending(input.budgetUsd, input.scorers);
  const running = new Map<number, Promise<{ cell: number; came: EvalFacts }>>();
  for (;;) {
    while (open.length > 0 && running.size < input.concurrency) {
      const cell = open[0]!;
      const share = spending.take(cellAt(input, cell).variant, running.size === 0);
      if (share === "wait") break;
      open.shift();
      if (share === "none") facts.set(cell, NOT_PAID);
      else {
        const run = runCell(sys, input, cell, share).then((came) => {
          spending.pay(share, costOfFacts(came));
          return { cell, came };
        });
        run.catch(() => {}); // the race throws the first; those after it are nobody's
        running.set(cell, run);
      }
    }
    if (running.size === 0) break;
    const { cell, came } = await Promise.race(running.values());
    running.delete(cell);
    facts.set(cell, came);
  }
  const done = Object.fromEntries([...facts].toSorted(([one], [other]) => one - other));
  return { facts: done } as unknown as Json;
};

const NOT_PAID: EvalFacts = { noBudget: true, verdicts: {} };

function readInput(given: Json): EvalInput {
  const input = given as unknown as Partial<EvalInput> | null;
  if (!Array.isArray(input?.cases) || !Array.isArray(input.variants))
    throw new SysError("EINVAL", "the input is no evaluation", {
      hint: "start one: aos eval FILE",
    });
  return input as EvalInput;
}

const costOfFacts = ({ run, verdicts }: EvalFacts): number =>
  (run?.usd ?? 0) + Object.values(verdicts).reduce((sum, { usd = 0 }) => sum + usd, 0);

async function runCell(
  sys: Sys,
  input: EvalInput,
  cell: number,
  share: RunShare,
): Promise<EvalFacts> {
  const { runUsd } = share;
  const limit = runUsd === undefined ? {} : { usd: runUsd };
  let run: EvalRun;
  try {
    run = (await execWhenRoom(sys, "eval.run", { cell, ...limit })) as unknown as EvalRun;
  } catch (error) {
    if (!(error instanceof SysError) || !isOfCell(error)) throw error;
    return { error: { code: error.code, message: error.message }, verdicts: {} };
  }
  if (share.isRest && run.exitCode === exitCodes.budget)
    return { run, noBudget: true, verdicts: {} }; // EVAL-3
  if (disturbanceOf(run) !== undefined || !isComplete(run)) return { run, verdicts: {} };
  const verdicts: Record<string, EvalVerdict> = {};
  for (const scorer of input.scorers) {
    const name = scorerNameOf(scorer);
    if (scorer.type === "code") verdicts[name] = await scoredByCode(sys, input, cell, name, run);
    if (scorer.type === "judge") verdicts[name] = await judged(sys, input, cell, scorer, run);
  }
  return { run, verdicts };
}

async function judged(
  sys: Sys,
  input: EvalInput,
  cell: number,
  scorer: JudgeScorer,
  { output }: EvalRun,
): Promise<EvalVerdict> {
  const { given } = cellAt(input, cell);
  const question = judgeQuestion(given.input, given.expected, outputField(output, scorer.field));
  const asked = { cell, judge: scorerNameOf(scorer), question };
  try {
    return verdictOfJudge((await execWhenRoom(sys, "eval.run", asked)) as unknown as EvalRun);
  } catch (error) {
    if (!(error instanceof SysError) || !isOfCell(error)) throw error;
    return { score: null, reason: `the judge did not run: ${error.code}: ${error.message}` };
  }
}

async function scoredByCode(
  sys: Sys,
  input: EvalInput,
  cell: number,
  name: string,
  run: EvalRun,
): Promise<EvalVerdict> {
  const { given, variant } = cellAt(input, cell);
  const scorer = input.scorers.find((one) => scorerNameOf(one) === name)!;
  if (scorer.type !== "code") throw new Error(`${name} is no scorer with code`);
  const told = {
    case: caseScope(given),
    variant: variant.name,
    input: given.input,
    expected: given.expected,
    output: run.output,
    exitCode: run.exitCode,
    usd: run.usd,
    steps: run.steps,
    calls: run.calls,
  };
  const { command, timeout } = scorer;
  const files = Object.fromEntries(scorer.files.map((file) => [file, input.files[file] ?? ""]));
  const args = { cell, scorer: name, command, files, input: told, timeoutMs: timeout };
  try {
    return (await sys.exec("eval.score", args as unknown as Json)) as unknown as EvalVerdict;
  } catch (error) {
    if (!(error instanceof SysError) || !isOfCell(error)) throw error;
    return { score: null, reason: `${error.code}: ${error.message}` };
  }
}

/** Where the queue is full it waits until there is room. */
async function execWhenRoom(sys: Sys, tool: string, args: object): Promise<Json> {
  for (;;) {
    try {
      return await sys.exec(tool, args as Json);
    } catch (error) {
      if (!(error instanceof SysError) || error.code !== "EAGAIN") throw error;
      await sys.sleep((await sys.now()) + (error.retryAfter ?? 1000));
    }
  }
}

/** What fails one run, and not the evaluation. */
const isOfCell = ({ code }: SysError): boolean =>
  [
    "EACCES",
    "EPOLICY",
    "EDENIED",
    "EBUDGET",
    "EINVAL",
    "EEXIST",
    "ENOENT",
    "ESTATE",
    "ENOTSUP",
    "ETIMEDOUT",
    "EUPSTREAM",
    "EVELOCITY",
    "EPROGRAM",
  ].includes(code);
