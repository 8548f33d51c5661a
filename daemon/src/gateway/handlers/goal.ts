// Handlers of operations on goals and roles.

import type { Kernel, RecordedRun } from "@aos/kernel";
import {
  type FinishedSubtask,
  type GoalInfo,
  type GoalInput,
  type GoalOutcome,
  type goalOperations,
  type GoalReport,
  isEnded,
  type Json,
  type ManifestText,
  type ProcessInfo,
  type RoleReport,
  type SubtaskReport,
  SysError,
} from "@aos/protocol";
import { DEFAULT_GOAL_CAPABILITIES, goalManifestOf } from "../../goals/goal-manifest.ts";
import { estimatePlan } from "../../goals/estimate-plan.ts";
import { goalEvents } from "../../goals/goal-events.ts";
import { goalStateOf, type GoalState } from "../../goals/goal-state.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import { readRoleFile } from "../../roles/role-file.ts";
import { type FoundRole, rolesFor, rolesNamed, validRole } from "../../roles/role-registry.ts";
import type { Caller } from "../caller.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { labelOf } from "../read-spawn.ts";
import type { HandlersOf } from "./handler.ts";

const PROGRAM = "plan";
const SHOWN = 50;
/** Of the newest processes. */
const MOST_LOOKED = 5000;

export const goalHandlers: HandlersOf<typeof goalOperations> = {
  async submitGoal(gateway, args, { pid, caller }) {
    const { goal, plan, isPlanOnly, cwd, label, ...rest } = args;
    const { roles, model, planner, parallel, capabilities, budget, ttl, ...terms } = rest;
    const { goals } = gateway.config;
    const manifest = goalManifestOf({
      roles: rolesNamed(gateway, { cwd, tenant: args.tenant }, roles ?? goals.roles),
      model: model ?? goals.model ?? [],
      planner,
      plannerModel: goals.planner,
      parallel: parallel ?? goals.parallel,
      capabilities: capabilities ?? goals.capabilities ?? DEFAULT_GOAL_CAPABILITIES,
    });
    const input = omitUndefined({ goal, plan, isPlanOnly }) as unknown as GoalInput;
    return start(gateway, cwd, {
      ...omitUndefined({ ...terms, pid, label: labelOf(label) }),
      lane: args.lane ?? "background",
      ...(budget === undefined ? {} : { budget: omitUndefined(budget) }),
      ...(ttl === undefined ? {} : { ttl: omitUndefined(ttl) }),
      manifest,
      input: input as unknown as Json,
      by: caller.id,
    });
  },

  async goals({ kernel }, { tenant, limit = SHOWN }) {
    const all = await kernel.list({ ...omitUndefined({ tenant }), limit: MOST_LOOKED });
    const found: GoalInfo[] = [];
    for (const info of all.filter(({ parent }) => parent === null)) {
      if (found.length >= limit) break;
      const { program, place } = await kernel.show(info.pid);
      if (program === PROGRAM) found.push(await infoOf(kernel, info, place));
    }
    return found;
  },

  goal: ({ kernel }, { pid }) => reportOf(kernel, pid),

  async watchGoal({ kernel, config }, { pid }, { signal }) {
    const { tenant, program } = await kernel.show(pid);
    mustBeGoal({ pid, program });
    const tools = await kernel.tools({ tenant, folders: [] });
    const sandboxed = new Set(
      tools.flatMap(({ tool }) => (tool.sandbox === undefined ? [] : [tool.name])),
    );
    const isHostOnly = config.sandbox.level === "none";
    return goalEvents({
      kernel,
      pid,
      signal,
      isHostOnly,
      isSandboxed: (name) => sandboxed.has(name),
    });
  },

  async retryGoal(gateway, { pid, from, skip, replan, cwd }, { caller, pid: chosen }) {
    const { kernel } = gateway;
    const detail = await kernel.show(pid);
    mustBeGoal(detail);
    if (!isEnded(detail.state))
      throw new SysError("ESTATE", `${pid} has not ended: it is ${detail.state}`, {
        hint: `end it first: aos goal cancel ${pid}`,
      });
    const run = await kernel.pastRun(pid);
    const { manifest } = await kernel.manifest(pid);
    const input = inputOf(run);
    const state = goalStateOf(run);
    const kept =
      replan === true || state.plan === null
        ? {}
        : { plan: state.plan as unknown as Json, done: doneOf(detail.output, state) };
    const again: GoalInput = { goal: input.goal, ...kept, ...omitUndefined({ from, skip }) };
    return start(gateway, cwd, {
      manifest: manifestText(manifest),
      input: again as unknown as Json,
      label: detail.labels,
      tenant: detail.tenant,
      lane: detail.lane,
      budget: detail.budget.limit,
      workspaceOf: pid,
      by: caller.id,
      ...omitUndefined({ pid: chosen }),
    });
  },

  roles: async (gateway, { cwd }, { caller }) =>
    rolesFor(gateway, { cwd, tenant: caller.tenant ?? undefined }).map((found) =>
      roleReportOf(found, caller),
    ),

  async role(gateway, { name, cwd }, { caller }) {
    const all = rolesFor(gateway, { cwd, tenant: caller.tenant ?? undefined });
    const found = all.find((one) => one.name === name);
    if (found === undefined) validRole(all, name);
    const { file, text, role } = found!;
    return {
      ...roleReportOf(found!, caller),
      file: caller.tenant === null ? file : "",
      text,
      role: (role ?? null) as unknown as Json,
    };
  },

  checkRole: async (_gateway, { role: { text, file } }) => ({
    ok: true,
    role: readRoleFile(text, file) as unknown as Json,
  }),
};

type SpawnRequest = Parameters<Kernel["spawn"]>[0];

async function start(gateway: GatewayContext, cwd: string | undefined, request: SpawnRequest) {
  const folder = cwd === undefined ? {} : { folder: cwd };
  if (cwd !== undefined) gateway.scripts.see(cwd);
  const folders = cwd === undefined ? [] : [cwd];
  const spawn = () => gateway.kernel.spawn({ ...request, ...folder });
  return { pid: await gateway.policy.admit(folders, spawn) };
}

interface FrozenGoal {
  readonly budget?: { readonly wall?: number };
  readonly ttl?: { readonly wall?: number };
  readonly deadline?: number;
  readonly roles?: readonly { readonly budget: { readonly wall?: number } }[];
}

/** As it was frozen: durations are milliseconds there. */
function manifestText(frozen: Json): ManifestText {
  const ms = (value: unknown) => (typeof value === "number" ? `${value}ms` : value);
  const { budget, deadline, ttl, roles = [], ...rest } = frozen as unknown as FrozenGoal;
  const walled = (limits: { wall?: number } | undefined) =>
    limits?.wall === undefined ? limits : { ...limits, wall: ms(limits.wall) };
  return {
    ...rest,
    budget: walled(budget),
    ...(ttl === undefined ? {} : { ttl: walled(ttl) }),
    ...(deadline === undefined ? {} : { deadline: ms(deadline) }),
    roles: roles.map((role) => ({
      ...role,
      budget: walled(role.budget),
    })),
  } as unknown as ManifestText;
}

function mustBeGoal({ program, pid }: { readonly program: string; readonly pid: string }): void {
  if (program !== PROGRAM)
    throw new SysError("EINVAL", `${pid} is no goal: it runs the program ${program}`, {
      hint: "aos goal ls lists goals",
    });
}

function inputOf({ records }: Pick<RecordedRun, "records">): GoalInput {
  const begin = records[0] as { readonly input?: Json } | undefined;
  const input = begin?.input ?? null;
  return typeof input === "string" ? { goal: input } : (input as unknown as GoalInput);
}

/** What the goal itself said is done, and else what its journal says. */
function doneOf(output: Json, state: GoalState): Readonly<Record<string, FinishedSubtask>> {
  const said = (output as unknown as GoalOutcome | null)?.done;
  return said ?? state.done;
}

async function infoOf(
  kernel: Kernel,
  { pid, state, lane, startedAt, endedAt }: ProcessInfo,
  place: number | null,
): Promise<GoalInfo> {
  const [first] = await kernel.journal(pid, { limit: 1 });
  const { goal } = first === undefined ? { goal: "" } : inputOf({ records: [first] });
  const { total } = await kernel.cost({ pid, by: "tree" });
  return { pid, goal, state, lane, place, costUsd: total.usd, startedAt, endedAt };
}

async function reportOf(kernel: Kernel, pid: string): Promise<GoalReport> {
  const detail = await kernel.show(pid);
  mustBeGoal(detail);
  const { compacted, exitCode, error, place } = detail;
  const state = compacted ? NOTHING_KEPT : goalStateOf(await kernel.pastRun(pid));
  const outcome = detail.output as unknown as GoalOutcome | null;
  const plan = outcome?.plan ?? state.plan;
  const children = await kernel.list({ parent: detail.pid, limit: 1000 });
  const costs = new Map(children.map((child) => [child.pid as string, child.costUsd]));
  return {
    ...(await infoOf(kernel, detail, place)),
    exitCode,
    error,
    plan: plan as unknown as Json,
    replans: state.replans,
    subtasks: (plan?.subtasks ?? []).map((subtask) =>
      subtaskReport(subtask, { state, outcome, costs }),
    ),
    result: outcome?.result ?? null,
    files: [...(outcome?.files ?? [])],
    notes: [...(outcome?.notes ?? state.notes)],
    faults: [...(outcome?.faults ?? [])],
    estimate: await estimatePlan(kernel, pid, plan),
  };
}

const NOTHING_KEPT: GoalState = { plan: null, replans: 0, notes: [], done: {}, steps: new Map() };

type PlannedSubtask = NonNullable<GoalState["plan"]>["subtasks"][number];

function subtaskReport(
  { id, role, depends_on, outputs }: PlannedSubtask,
  from: {
    readonly state: GoalState;
    readonly outcome: GoalOutcome | null;
    readonly costs: ReadonlyMap<string, number>;
  },
): SubtaskReport {
  const done = (from.outcome ?? from.state).done[id];
  const failed = from.outcome?.failed.find((one) => one.id === id);
  const step = from.state.steps.get(id);
  const pid = done?.pid ?? step?.pid ?? null;
  const ended = step?.ending;
  const said = failed ?? (ended !== undefined && ended.error !== null ? ended.error : undefined);
  const state =
    done?.isSkipped === true
      ? "skipped"
      : done !== undefined
        ? "done"
        : failed !== undefined || ended !== undefined
          ? "failed"
          : step !== undefined
            ? "running"
            : "blocked";
  return {
    id,
    role,
    state,
    pid: pid as SubtaskReport["pid"],
    tries: step?.tries ?? 0,
    dependsOn: [...depends_on],
    outputs: [...new Set([...(outputs ?? []), ...(done?.outputs ?? [])])],
    costUsd: from.costs.get(pid ?? "") ?? 0,
    error: state === "failed" && said !== undefined ? `${said.code}: ${said.message}` : null,
  };
}

/** A caller of one tenant is told no path of the machine. */
function roleReportOf(
  { name, source, file, role, problem }: FoundRole,
  { tenant }: Pick<Caller, "tenant">,
): RoleReport {
  return {
    name,
    description: role?.description ?? "",
    source,
    by: role?.program ?? role?.model?.join(", ") ?? "goal",
    parameters: Object.entries(role?.parameters ?? {}).map(([key, { type, required }]) =>
      required ? `${key}: ${type}` : `${key}?: ${type}`,
    ),
    problem: tenant === null ? problem : (problem?.replaceAll(file, `${name}.yaml`) ?? null),
  };
}
