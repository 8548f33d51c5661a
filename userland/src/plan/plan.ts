// Plan: a goal, as a process. It plans, walks the plan, plans again when a subtask failed, and ends with what came of it.
// Queue, priority, budget, approval, restart and replay are the kernel's, as for any process.
//
// PLAN-1  It makes only system calls, and decides by their results alone.
// PLAN-2  A plan is in the checkpoint before anything of it runs: a restart goes on with it, and people read it there.
// PLAN-3  At most `planner.replans` other plans; the same failure twice ends it. A plan that a person gave is not replaced.
// PLAN-4  Whatever comes of it, the output says what is done, with its files: nothing finished is lost.

import {
  exitCodes,
  type FailedSubtask,
  type FinishedSubtask,
  type GoalInput,
  type GoalOutcome,
  type Json,
  type Manifest,
  type GoalPlan,
  type Program,
  type Sys,
  SysError,
} from "@aos/protocol";
import { execute, type PlanProgress } from "./executor.ts";
import { settingsOf, Planner, type PlannerSettings } from "./planner.ts";
import type { CheckedPlan } from "./check-plan.ts";

/** All that the walk needs: whoever is restarted from it makes the same calls as one that was not. */
export interface PlanState {
  readonly plan: Json;
  readonly done: Readonly<Record<string, FinishedSubtask>>;
  readonly replans: number;
  /** Failures that another plan was made for. */
  readonly seen: readonly string[];
  readonly notes: readonly string[];
  readonly ground: PlannerSettings;
}

export const planProgram: Program = async (sys, input, saved) => {
  const goal = readGoal(input);
  if (saved !== undefined) return carryOut(sys, goal, saved as unknown as PlanState);
  const ground = settingsOf((await sys.read("/self/manifest")) as unknown as Manifest);
  const planner = new Planner(sys, ground);
  const checked = await planner.first(goal);
  const { notes } = planner;
  if ("faults" in checked) return refuse(sys, checked.faults, notes);
  const { plan } = checked;
  for (const id of [...(goal.skip ?? []), ...(goal.from ?? [])])
    if (!checked.steps.has(id)) return refuse(sys, [`the plan has no subtask ${id}`], notes);
  if (goal.isPlanOnly === true) return outcome("planned", plan, NOTHING_DONE, notes);
  const done = keptFrom(checked, goal);
  const state = { plan: plan as unknown as Json, done, replans: 0, seen: [], notes, ground };
  await sys.checkpoint(state as unknown as Json); // PLAN-2
  return carryOut(sys, goal, state);
};

/** What is done already, without what is to be done again and all that depends on it. */
function keptFrom({ plan }: CheckedPlan, { done = {}, from = [] }: GoalInput) {
  const again = new Set(from);
  const size = () => again.size;
  for (let before = -1; before !== size();) {
    before = size();
    for (const { id, depends_on } of plan.subtasks)
      if (depends_on.some((other) => again.has(other))) again.add(id);
  }
  return Object.fromEntries(Object.entries(done).filter(([id]) => !again.has(id)));
}

async function carryOut(sys: Sys, goal: GoalInput, begun: PlanState): Promise<Json> {
  const skip = new Set(goal.skip ?? []);
  let state = begun;
  for (;;) {
    const planner = new Planner(sys, state.ground, state.notes);
    const checked = planner.again(state.plan);
    if ("faults" in checked) return refuse(sys, checked.faults, state.notes);
    const done = new Map(Object.entries(state.done));
    const { parallel } = planner.settings;
    const progress = await execute(sys, { ...checked, done, skip, parallel });
    if (progress.failed.length === 0) return finish(sys, checked, progress, state.notes);
    const next = await replan(planner, goal, { state, progress });
    if (next === undefined) return fail(sys, checked.plan, progress, planner.notes);
    state = next;
    await sys.checkpoint(state as unknown as Json); // PLAN-2
  }
}

/** PLAN-3. Undefined where there is no other plan. */
async function replan(
  planner: Planner,
  goal: GoalInput,
  { state, progress }: { readonly state: PlanState; readonly progress: PlanProgress },
): Promise<PlanState | undefined> {
  const { failed } = progress;
  const names = failed.map(({ id, role, code }) => `${id} ${role} ${code}`);
  const isAgain = names.some((name) => state.seen.includes(name));
  if (goal.plan !== undefined || !planner.canPlan || isAgain) return undefined;
  if (state.replans >= planner.settings.replans) return undefined;
  const done = Object.fromEntries(progress.done);
  const other = await planner.ask(goal.goal, { plan: state.plan, done, failed });
  const replans = state.replans + 1;
  const why = failed.map(({ id, code }) => `${id} failed (${code})`).join(", ");
  if ("faults" in other) {
    planner.notes.push(`replan ${replans} was refused: ${other.faults.join("; ")}`);
    return undefined;
  }
  const notes = [...planner.notes, `replan ${replans}: ${why}`];
  const seen = [...state.seen, ...names];
  return { ...state, plan: other.plan as unknown as Json, done, replans, seen, notes };
}

function readGoal(input: Json): GoalInput {
  if (typeof input === "string" && input.trim() !== "") return { goal: input };
  const { goal, plan } = (input ?? {}) as Partial<GoalInput>;
  if ((typeof goal !== "string" || goal.trim() === "") && plan === undefined)
    throw new SysError("EINVAL", "there is no goal", {
      hint: "give it as text, or as {goal, plan?}",
    });
  return { ...(input as object), goal: goal ?? "" };
}

const NOTHING_DONE: PlanProgress = { done: new Map(), failed: [] };

function outcome(
  status: GoalOutcome["status"],
  plan: GoalPlan | null,
  { done, failed }: PlanProgress,
  notes: readonly string[],
  more: Partial<Pick<GoalOutcome, "result" | "finalOutput" | "faults">> = {},
): Json {
  const made: GoalOutcome = {
    status,
    result: null,
    finalOutput: null,
    files: [...done.values()].flatMap(({ outputs }) => outputs),
    plan,
    done: Object.fromEntries(done),
    failed,
    faults: [],
    notes,
    ...more,
  };
  return made as unknown as Json;
}

const refuse = (sys: Sys, faults: readonly string[], notes: readonly string[]): Promise<Json> =>
  sys.exit(
    exitCodes.badInput,
    outcome("refused", null, NOTHING_DONE, notes, { faults }),
    short(`the plan is refused, and nothing ran: ${faults.join("; ")}`),
  );

const MOST_REASON = 1000;
const short = (text: string): string =>
  text.length <= MOST_REASON ? text : `${text.slice(0, MOST_REASON - 1)}…`;

/** PLAN-4. */
function fail(
  sys: Sys,
  plan: GoalPlan,
  progress: PlanProgress,
  notes: readonly string[],
): Promise<Json> {
  const said = (one: FailedSubtask) => `${one.id} (${one.role}) ${one.code}: ${one.message}`;
  const left = plan.subtasks.length - progress.done.size - progress.failed.length;
  const reason = `${progress.failed.map(said).join("; ")}; ${progress.done.size} done, ${left} not begun`;
  return sys.exit(exitCodes.failed, outcome("failed", plan, progress, notes), short(reason));
}

const MOST_RESULT = 65_536;

async function finish(
  sys: Sys,
  { plan, steps }: CheckedPlan,
  progress: PlanProgress,
  notes: readonly string[],
): Promise<Json> {
  const final = plan.final_output;
  const step = progress.done.get(final);
  if (steps.has(final))
    return outcome("completed", plan, progress, notes, {
      result: step?.value ?? null,
      finalOutput: final,
    });
  const path = final.startsWith("/") ? final : `/work/${final}`;
  return outcome("completed", plan, progress, notes, {
    result: await textOf(sys, path),
    finalOutput: path,
  });
}

/** The beginning of the file; its path where it cannot be read as text. */
async function textOf(sys: Sys, path: string): Promise<Json> {
  try {
    return await sys.read(path, { offset: 0, length: MOST_RESULT });
  } catch (error) {
    if (error instanceof SysError && ["EACCES", "EPOLICY", "EINVAL", "ENOENT"].includes(error.code))
      return path;
    throw error;
  }
}
