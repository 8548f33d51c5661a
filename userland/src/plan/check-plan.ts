// Check plan: all that is wrong with a plan, at once, before anything of it runs.
//
//   checkPlan(text, { roles, budget, ladder })    { plan, steps } or { faults }
//
// CHECK-PLAN-1  Unknown keys, roles, parameters and dependencies are faults; nothing is ignored or guessed.
// CHECK-PLAN-2  Every file is inside the workspace, is written by one subtask at most, and what a subtask reads is
//     written by one that it depends on, or is there already.
// CHECK-PLAN-3  Budgets and tiers are within the goal's. Whether the power is, the gate says (plan.ts).

import {
  type AgentRole,
  type Json,
  type JsonObject,
  type Manifest,
  type GoalPlan,
  planLimits,
  planSchema,
  type Subtask,
} from "@aos/protocol";
import { expandCapabilities, roleFilesOf } from "./expand.ts";
import { parameterValue, workPath } from "./parameter-value.ts";

export interface PlanContext {
  readonly roles: ReadonlyMap<string, AgentRole>;
  readonly budget: Manifest["budget"];
  /** Of the goal: for roles without models of their own. */
  readonly ladder: readonly string[];
  /** The files that are in the workspace. Undefined where that is not known. */
  readonly present?: ReadonlySet<string> | undefined;
}

/** A subtask with all that its check found out. */
export interface PlanStep {
  readonly subtask: Subtask;
  readonly role: AgentRole;
  readonly params: JsonObject;
  readonly fixed: readonly string[];
  readonly expanded: readonly string[];
  readonly reads: readonly string[];
  readonly outputs: readonly string[];
  readonly ladder: readonly string[];
}

export interface CheckedPlan {
  readonly plan: GoalPlan;
  readonly steps: ReadonlyMap<string, PlanStep>;
}

export type PlanCheck = CheckedPlan | { readonly faults: readonly string[] };

export function checkPlan(text: Json, ground: PlanContext): PlanCheck {
  const bytes = new TextEncoder().encode(JSON.stringify(text)).length;
  if (bytes > planLimits.bytes)
    return { faults: [`the plan has ${bytes} bytes; the limit is ${planLimits.bytes}`] };
  const parsed = planSchema.safeParse(text);
  if (!parsed.success) return { faults: parsed.error.issues.map(issueText) };
  const plan = parsed.data;
  const faults: string[] = [];
  const steps = new Map<string, PlanStep>();
  for (const subtask of plan.subtasks) {
    const { id } = subtask;
    if (steps.has(id)) faults.push(`${id}: two subtasks have this id`);
    const role = ground.roles.get(subtask.role);
    if (role === undefined) {
      faults.push(`${id}: ${unknownRole(subtask.role, ground.roles)}`);
      continue;
    }
    const { step, flaws } = stepOf(subtask, role, ground);
    faults.push(...flaws.map((flaw) => `${id}: ${flaw}`));
    steps.set(id, step);
  }
  faults.push(...graphFaults(plan));
  if (faults.length === 0) faults.push(...fileFaults(plan, steps, ground));
  faults.push(...budgetFaults(plan, ground));
  return faults.length > 0 ? { faults } : { plan, steps };
}

function issueText(issue: {
  path: PropertyKey[];
  message: string;
  code?: string;
  keys?: string[];
}) {
  const place = issue.path.map(String).join(".") || "the plan";
  const unknown = issue.code === "unrecognized_keys" ? issue.keys : undefined;
  if (unknown !== undefined) return `${place}: unknown ${unknown.join(", ")}`;
  return `${place}: ${issue.message}`;
}

const unknownRole = (name: string, roles: ReadonlyMap<string, AgentRole>): string =>
  `the role ${name} is not one of this goal: ${[...roles.keys()].join(", ")}`;

function stepOf(subtask: Subtask, role: AgentRole, { ladder: goals }: PlanContext) {
  const flaws: string[] = [];
  const params: JsonObject = {};
  for (const [name, given] of Object.entries(subtask.params)) {
    const parameter = Object.hasOwn(role.parameters, name) ? role.parameters[name] : undefined;
    if (parameter === undefined) {
      flaws.push(`params.${name}: the role ${role.name} has no such parameter`);
      continue;
    }
    if (given === null && !parameter.required) continue;
    const value = parameterValue(parameter, given);
    if ("flaw" in value) flaws.push(`params.${name}: ${value.flaw}`);
    else params[name] = value.value;
  }
  for (const [name, { required }] of Object.entries(role.parameters))
    if (required && !Object.hasOwn(subtask.params, name))
      flaws.push(`params.${name} is missing: the role ${role.name} needs it`);
  const { fixed, expanded, flaws: refused } = expandCapabilities(role, params);
  flaws.push(...refused.map((flaw) => `params.${flaw}`));
  const files = refused.length > 0 ? { reads: [], writes: [] } : roleFilesOf(role, params);
  const outputs = new Set(role.requireOutputs ? files.writes : []);
  for (const path of subtask.outputs ?? []) {
    const inside = workPath(path);
    if ("flaw" in inside) flaws.push(`outputs: ${inside.flaw}`);
    else outputs.add(inside.value);
  }
  const ladder = role.model ?? goals;
  const tier = subtask.tier ?? subtask.current_model_tier ?? 0;
  if (role.program === undefined && ladder.length === 0)
    flaws.push(`neither the role ${role.name} nor the goal has a model`);
  else if (tier > 0 && tier >= ladder.length)
    flaws.push(`tier ${tier} is beyond the ladder of ${ladder.length}`);
  const step: PlanStep = {
    subtask,
    role,
    params,
    fixed,
    expanded,
    reads: files.reads,
    outputs: [...outputs],
    ladder: ladder.slice(tier),
  };
  return { step, flaws };
}

/** Dependencies that are there, no circle, not too deep. */
function graphFaults({ subtasks }: GoalPlan): string[] {
  const byId = new Map(subtasks.map((subtask) => [subtask.id, subtask]));
  const faults = subtasks.flatMap(({ id, depends_on }) =>
    depends_on
      .filter((other) => !byId.has(other))
      .map((other) => `${id}: depends_on names ${other}, which is no subtask`),
  );
  const depths = new Map<string, number>();
  const path: string[] = [];
  const depthOf = (id: string): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    if (path.includes(id)) {
      const circle = [...path.slice(path.indexOf(id)), id].join(" → ");
      faults.push(`${id}: the subtasks depend on each other in a circle: ${circle}`);
      depths.set(id, 0);
      return 0;
    }
    path.push(id);
    const above = (byId.get(id)?.depends_on ?? []).filter((other) => byId.has(other)).map(depthOf);
    path.pop();
    const depth = 1 + Math.max(0, ...above);
    depths.set(id, depth);
    return depth;
  };
  const deepest = Math.max(...subtasks.map(({ id }) => depthOf(id)));
  if (deepest > planLimits.depth)
    faults.push(`the subtasks are ${deepest} deep; the limit is ${planLimits.depth}`);
  return faults;
}

/** CHECK-PLAN-2. */
function fileFaults(
  { subtasks, final_output: final }: GoalPlan,
  steps: ReadonlyMap<string, PlanStep>,
  { present }: PlanContext,
): string[] {
  const faults: string[] = [];
  const writers = new Map<string, string>();
  for (const [id, { outputs }] of steps)
    for (const path of outputs) {
      const other = writers.get(path);
      if (other === undefined) writers.set(path, id);
      else faults.push(`${id}: ${path} is written by ${other} already`);
    }
  const above = new Map<string, ReadonlySet<string>>();
  const aboveOf = (id: string): ReadonlySet<string> => {
    const known = above.get(id);
    if (known !== undefined) return known;
    const { depends_on } = steps.get(id)!.subtask;
    const all = new Set(depends_on.flatMap((other) => [other, ...aboveOf(other)]));
    above.set(id, all);
    return all;
  };
  for (const { id } of subtasks)
    for (const path of steps.get(id)!.reads) {
      const writer = writers.get(path);
      if (writer !== undefined && aboveOf(id).has(writer)) continue;
      if (writer !== undefined)
        faults.push(`${id}: reads ${path}, but does not depend on ${writer}, which writes it`);
      else if (present !== undefined && !present.has(path))
        faults.push(
          `${id}: reads ${path}, which no subtask writes and the workspace does not have`,
        );
    }
  if (!steps.has(final)) {
    const path = workPath(final);
    if ("flaw" in path || !writers.has(path.value))
      faults.push(
        `final_output: ${JSON.stringify(final)} is neither a subtask nor a file that one writes`,
      );
  }
  return faults;
}

/** CHECK-PLAN-3. */
function budgetFaults({ subtasks }: GoalPlan, { budget }: PlanContext): string[] {
  return (["usd", "tokens", "toolCalls", "wall"] as const).flatMap((unit) => {
    const most = budget[unit];
    if (most === undefined) return [];
    const over = subtasks.flatMap(({ id, budget: own }) =>
      (own?.[unit] ?? 0) > most
        ? [`${id}: its budget of ${own![unit]} ${unit} is more than the goal's ${most}`]
        : [],
    );
    const sum = subtasks.reduce((all, { budget: own }) => all + (own?.[unit] ?? 0), 0);
    if (over.length > 0 || unit === "wall" || sum <= most) return over;
    return [`the budgets of the subtasks come to ${sum} ${unit}; the goal has ${most}`];
  });
}
