// Workflow report: a workflow as people are shown it, from its definition and from what its run has come to.

import type { Kernel } from "@aos/kernel";
import {
  type Act,
  acts,
  type ArmedCall,
  dependenciesOf,
  fill,
  isEnded,
  type Json,
  type Manifest,
  type ProcessDetail,
  type ProcessInfo,
  type Question,
  SysError,
  type WorkflowDefinition,
  type WorkflowInfo,
  type WorkflowOutcome,
  type WorkflowReport,
  type WorkflowStep,
  type WorkflowStepReport,
} from "@aos/protocol";
import { definitionOf, observedWorkflow } from "@aos/userland";
import { type ObservedRun, type ObservedStep, observeRun } from "./observe-run.ts";

const PROGRAM = "workflow";

type Reader = Pick<Kernel, "show" | "pastRun" | "cost" | "questions">;

export function mustBeWorkflow({ pid, program }: Pick<ProcessDetail, "pid" | "program">): void {
  if (program !== PROGRAM)
    throw new SysError("EINVAL", `${pid} is no workflow: it runs the program ${program}`, {
      hint: "aos workflow ls lists workflows",
    });
}

export const isWorkflow = ({ program }: Pick<ProcessDetail, "program">): boolean =>
  program === PROGRAM;

/** The definition that a run is held to, and where it is. */
export async function observeWorkflow(
  kernel: Pick<Reader, "pastRun">,
  { pid, compacted }: Pick<ProcessDetail, "pid" | "compacted">,
): Promise<{ readonly definition: WorkflowDefinition; readonly run: ObservedRun }> {
  if (compacted)
    throw new SysError("ESTATE", `the history of ${pid} was compacted; only its result is left`);
  const { manifest, records } = await kernel.pastRun(pid);
  return {
    definition: definitionOf(manifest as Manifest),
    run: await observeRun(observedWorkflow, records),
  };
}

export async function workflowInfoOf(kernel: Reader, info: ProcessInfo): Promise<WorkflowInfo> {
  const detail = await kernel.show(info.pid);
  const { pid, agent, state, startedAt, endedAt } = detail;
  const { total } = await kernel.cost({ pid, by: "tree" });
  const outcome = outcomeOf(detail);
  const shared = { pid, name: agent, state, costUsd: total.usd, startedAt, endedAt };
  if (detail.compacted) return { ...shared, generation: 0, done: 0, steps: 0, waitsFor: [] };
  const { definition, run } = await observeWorkflow(kernel, detail);
  const graph = graphOf(definition, run, { outcome, questions: [] });
  return { ...shared, generation: run.generation, ...countsOf(graph, state) };
}

export async function workflowReportOf(kernel: Reader, pid: string): Promise<WorkflowReport> {
  const detail = await kernel.show(pid);
  mustBeWorkflow(detail);
  const { agent, state, startedAt, endedAt, exitCode, error, manifestHash } = detail;
  const { total } = await kernel.cost({ pid, by: "tree" });
  const outcome = outcomeOf(detail);
  const observed = detail.compacted ? undefined : await observeWorkflow(kernel, detail);
  const questions = isEnded(state) ? [] : await kernel.questions({ pid });
  const graph =
    observed === undefined
      ? []
      : graphOf(observed.definition, observed.run, { outcome, questions });
  const { signals = {}, queries = {} } = observed?.definition ?? {};
  return {
    pid: detail.pid,
    name: agent,
    version: manifestHash,
    state,
    generation: observed?.run.generation ?? 0,
    ...countsOf(graph, state),
    costUsd: total.usd,
    startedAt,
    endedAt,
    exitCode,
    error,
    graph,
    signals: Object.entries(signals).map(([name, { schema }]) => ({
      name,
      schema: (schema ?? null) as Json,
    })),
    queries: Object.keys(queries),
    result: outcome?.result ?? null,
    undone: [...(outcome?.undone ?? [])],
    armed: armedIn(detail, observed?.run)
      .map(({ step, tool, args }) => ({ step, tool, args }))
      .toReversed(),
    lasting: (outcome?.lasting ?? []).map((one) => ({ ...one })),
    faults: [...(outcome?.faults ?? [])],
  };
}

export async function queryWorkflow(kernel: Reader, pid: string, name: string): Promise<Json> {
  const detail = await kernel.show(pid);
  mustBeWorkflow(detail);
  const { definition, run } = await observeWorkflow(kernel, detail);
  const query = Object.hasOwn(definition.queries ?? {}, name)
    ? definition.queries![name]
    : undefined;
  if (query === undefined) throw noQuery(pid, name, Object.keys(definition.queries ?? {}));
  return fill(query, run.scope ?? { input: null, run: { generation: 0 }, steps: {} });
}

export const noQuery = (pid: string, name: string, known: readonly string[]): SysError =>
  new SysError("ENOENT", `${pid} has no query ${name}`, {
    hint: known.length === 0 ? "its definition has no `queries`" : `it has ${known.join(", ")}`,
  });

/** What its end says; null of one that goes on or was killed. */
export function outcomeOf({ output }: Pick<ProcessDetail, "output">): WorkflowOutcome | null {
  const said = output as unknown as WorkflowOutcome | null;
  return typeof said === "object" && Array.isArray(said?.armed) ? said : null;
}

/** What is still to be taken back, in the order in which it was done; of a run that was killed, by its journal. */
export function armedIn(
  detail: Pick<ProcessDetail, "output">,
  run: ObservedRun | undefined,
): readonly ArmedCall[] {
  const outcome = outcomeOf(detail);
  if (outcome !== null) return outcome.armed;
  return (run?.armed ?? []).filter(({ step }) => run!.steps.get(step)?.state !== "undone");
}

function countsOf(
  graph: readonly WorkflowStepReport[],
  state: string,
): Pick<WorkflowInfo, "done" | "steps" | "waitsFor"> {
  const done = graph.filter((one) => one.state === "done" || one.state === "skipped").length;
  const waits = graph.flatMap(({ waitsFor }) => waitsFor ?? []);
  const isOver = state === "completed" || state === "failed" || state === "killed";
  return { done, steps: graph.length, waitsFor: isOver ? [] : [...new Set(waits)] };
}

interface Around {
  readonly outcome: WorkflowOutcome | null;
  readonly questions: readonly Question[];
}

/** Its steps as they are written; those of a map or a loop stand behind it, one by one, once they have begun. */
function graphOf(
  { steps }: WorkflowDefinition,
  run: ObservedRun,
  around: Around,
): WorkflowStepReport[] {
  const found: WorkflowStepReport[] = [];
  const list = (inner: readonly WorkflowStep[], prefix: string, atOnce: boolean): void => {
    for (const [nth, step] of inner.entries()) {
      const path = `${prefix}${step.id}`;
      const after = dependenciesOf(inner, nth, atOnce).map((id) => `${prefix}${id}`);
      found.push(stepReport(step, { path, after, seen: run.steps.get(path), ...around }));
      inside(step, path);
    }
  };
  const inside = (step: WorkflowStep, path: string): void => {
    if (step.steps !== undefined) list(step.steps, `${path}/`, false);
    if (step.parallel !== undefined) list(step.parallel, `${path}/`, true);
    for (const { steps: way } of step.branch ?? [])
      if (hasBegun(run, way, `${path}/`)) list(way, `${path}/`, false);
    const repeated = step.map?.steps ?? step.loop?.steps;
    if (repeated !== undefined)
      for (let nth = 0; hasBegun(run, repeated, `${path}[${nth}]/`); nth++)
        list(repeated, `${path}[${nth}]/`, false);
  };
  list(steps, "", false);
  return found;
}

const hasBegun = (run: ObservedRun, steps: readonly WorkflowStep[], prefix: string): boolean =>
  steps.some(({ id }) => run.steps.has(`${prefix}${id}`));

function stepReport(
  step: WorkflowStep,
  at: Around & {
    readonly path: string;
    readonly after: readonly string[];
    readonly seen: ObservedStep | undefined;
  },
): WorkflowStepReport {
  const { path, after, seen, outcome, questions } = at;
  const does = acts.find((act) => step[act] !== undefined)!;
  const lasts = outcome?.lasting.some((one) => one.step === path) === true;
  const state = lasts && seen?.state === "done" ? "lasting" : (seen?.state ?? "pending");
  const isWaiting = state === "waiting" || state === "undoing";
  const asked = isWaiting
    ? questions.find(({ question }) => question === seen?.question)
    : undefined;
  return {
    step: path,
    does,
    state,
    after: [...after],
    waitsFor: state === "waiting" ? waitsFor(step, does) : null,
    question: asked?.id ?? null,
    attempt: seen?.attempt ?? 0,
    pid: (seen?.pid ?? null) as WorkflowStepReport["pid"],
    startedAt: momentOf(seen?.startedAt),
    endedAt: momentOf(seen?.endedAt),
    result: seen?.result ?? null,
    error: seen?.error ?? null,
  };
}

function waitsFor({ wait }: WorkflowStep, does: Act): string | null {
  if (does === "wait") return `message ${wait!.signal}`;
  return does === "ask" ? "person" : does === "sleep" ? "time" : null;
}

const momentOf = (at: number | null | undefined): string | null =>
  at === undefined || at === null ? null : new Date(at).toISOString();
