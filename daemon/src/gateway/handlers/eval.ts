// Handlers of operations on evaluations.

import type { Kernel } from "@aos/kernel";
import {
  cellsOf,
  type EvalInfo,
  type EvalInput,
  type evalOperations,
  type EvalReport,
  isEnded,
  type Lane,
  type ProcessId,
  type ProcessInfo,
  scorerNameOf,
  SysError,
} from "@aos/protocol";
import { type ComparedEval, compareRuns, thresholdsOf, variantReports } from "@aos/userland";
import { evalInputOf, evalRequestOf } from "../../evals/eval-start.ts";
import { evalStateOf, type EvalState, keptOf, runNames } from "../../evals/eval-state.ts";
import { casesFromRuns } from "../../evals/from-runs.ts";
import { EVAL_PROGRAM, runPid } from "../../evals/run-tool.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { GatewayContext, OperationCall } from "../gateway-context.ts";
import type { HandlersOf } from "./handler.ts";

const SHOWN = 50;
/** Of the newest processes. */
const MOST_LOOKED = 5000;

export const evalHandlers: HandlersOf<typeof evalOperations> = {
  startEval: async (gateway, args, call) => {
    const { tenant, cwd: folder, lane } = args;
    return start(gateway, evalInputOf(gateway, args), call, { tenant, folder, lane });
  },

  async evals({ kernel }, { tenant, limit = SHOWN }) {
    const all = await kernel.list({ ...omitUndefined({ tenant }), limit: MOST_LOOKED });
    const found: EvalInfo[] = [];
    for (const info of all.filter(({ parent }) => parent === null)) {
      if (found.length >= limit) break;
      const { program, compacted } = await kernel.show(info.pid);
      if (program !== EVAL_PROGRAM || compacted) continue;
      found.push(infoOf(info, (await stateOf(kernel, info.pid)).input));
    }
    return found;
  },

  eval: ({ kernel }, { pid }) => reportOf(kernel, pid),

  async resumeEval(gateway, { pid, budget, concurrency }, call) {
    const { kernel } = gateway;
    const { state, tenant } = await kernel.show(pid);
    if (!isEnded(state))
      throw new SysError("ESTATE", `${pid} has not ended: it is ${state}`, {
        hint: `it goes on by itself; follow it: aos eval --resume ${pid}`,
      });
    const before = await stateOf(kernel, pid);
    const { input } = before;
    const kept = keptOf(before);
    const again: EvalInput = {
      ...input,
      resumes: pid,
      kept,
      budgetUsd: budget?.usd ?? leftOf(before),
      concurrency: concurrency ?? input.concurrency,
    };
    const { folder } = await kernel.pastRun(pid);
    return start(gateway, again, call, { tenant, folder });
  },

  async cancelEval({ kernel }, { pid }) {
    const { state, startedAt } = await mustBeEval(kernel, pid);
    const { input } = await stateOf(kernel, pid);
    if (!isEnded(state)) await kernel.signal(pid, "SIGKILL");
    const startedAtMs = Date.parse(startedAt);
    const names = [...runNames(input)].map((what) => runPid({ pid, startedAtMs }, what));
    const begun = await kernel.list({ pids: names, limit: names.length });
    const living = begun.filter((run) => !isEnded(run.state));
    for (const run of living) await endOne(kernel, run.pid);
    return { pid, stopped: living.length };
  },

  async compareEvals({ kernel }, { pid, other, variants }) {
    for (const one of [pid, other]) await mustBeEval(kernel, one); // before any work on either
    return compareRuns(
      await comparedEval(kernel, pid),
      await comparedEval(kernel, other),
      variants,
    );
  },

  evalDataset: ({ kernel }, args) => casesFromRuns(kernel, args),
};

interface Place {
  readonly tenant?: string | undefined;
  readonly folder?: string | undefined;
  readonly lane?: Lane | undefined;
}

async function start(
  { kernel, policy }: Pick<GatewayContext, "kernel" | "policy">,
  input: EvalInput,
  { pid, caller }: Pick<OperationCall, "pid" | "caller">,
  { tenant, folder, lane = "background" }: Place,
): Promise<{ pid: ProcessId; cells: number }> {
  const request = {
    ...evalRequestOf(input),
    ...omitUndefined({ pid, tenant, folder }),
    lane,
    by: caller.id,
  };
  const folders = folder === undefined ? [] : [folder];
  const started = await policy.admit(folders, () => kernel.spawn(request));
  return { pid: started, cells: cellsOf(input) };
}

async function mustBeEval(kernel: Kernel, pid: string) {
  const shown = await kernel.show(pid);
  if (shown.program === EVAL_PROGRAM) return shown;
  throw new SysError("EINVAL", `${pid} is no evaluation: it runs the program ${shown.program}`, {
    hint: "aos eval ls lists evaluations",
  });
}

async function stateOf(kernel: Kernel, pid: string): Promise<EvalState> {
  const { output, compacted } = await mustBeEval(kernel, pid);
  if (compacted)
    throw new SysError("ESTATE", `the history of ${pid} was compacted`, {
      hint: "raise the retention to keep more: see `aos gc --help`",
    });
  return evalStateOf(await kernel.pastRun(pid), output);
}

async function endOne(kernel: Kernel, pid: string): Promise<void> {
  try {
    await kernel.signal(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof SysError) || error.code !== "ENOENT") throw error; // it has ended
  }
}

/** Of its budget, for the rest; null where it has none. */
function leftOf({ input, results }: EvalState): number | null {
  if (input.budgetUsd === null) return null;
  const kept = new Set(Object.keys(input.kept ?? {}).map(Number));
  const spent = results.reduce(
    (sum, { usd, judgeUsd }, cell) => sum + (kept.has(cell) ? 0 : usd + judgeUsd),
    0,
  );
  const left = Math.round((input.budgetUsd - spent) * 1e6) / 1e6;
  if (left > 0) return left;
  throw new SysError("EBUDGET", `nothing is left of its budget of ${input.budgetUsd} usd`, {
    hint: "give the rest a budget: --budget usd=1",
  });
}

const infoOf = (
  { pid, state, startedAt, endedAt }: Pick<ProcessInfo, "pid" | "state" | "startedAt" | "endedAt">,
  input: EvalInput,
): EvalInfo => ({
  pid,
  name: input.name,
  state,
  cells: cellsOf(input),
  variants: input.variants.map(({ name }) => name),
  startedAt,
  endedAt,
});

async function reportOf(kernel: Kernel, pid: string): Promise<EvalReport> {
  const shown = await mustBeEval(kernel, pid);
  const { input, results } = await stateOf(kernel, pid);
  const variants = variantReports(input, results);
  const total = results.reduce((sum, { usd, judgeUsd }) => sum + usd + judgeUsd, 0);
  return {
    ...infoOf(shown, input),
    digest: input.digest,
    done: results.filter(({ state }) => state !== "open").length,
    budgetUsd: input.budgetUsd,
    totalUsd: total,
    resumes: (input.resumes ?? null) as EvalReport["resumes"],
    repeat: input.repeat,
    thresholds: thresholdsOf(input.failUnder, variants),
    variantReports: variants,
    results: [...results],
    error: shown.error,
  };
}

async function comparedEval(kernel: Kernel, pid: string): Promise<ComparedEval> {
  const { input, results } = await stateOf(kernel, pid);
  return {
    pid: pid as ProcessId,
    digest: input.digest,
    variants: input.variants.map(({ name }) => name),
    scorers: input.scorers.map(scorerNameOf),
    results,
  };
}
