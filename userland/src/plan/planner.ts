// Planner: from a goal to a plan that was checked whole: by check-plan.ts, and by the gate for the power of its subtasks.
//
// PLANNER-1  Nothing of a plan runs before all of it was checked. What does not pass is repaired twice at most, then
//     refused with every fault; there is no other plan in its place.
// PLANNER-2  A subtask gets no power that the goal does not hold. The gate would not give it either way; here it is a
//     fault before anything runs.

import {
  type AgentRole,
  type GoalInput,
  type Json,
  type JsonObject,
  type Manifest,
  type Sys,
  SysError,
  type WouldBe,
} from "@aos/protocol";
import { checkPlan, type CheckedPlan, type PlanCheck, type PlanContext } from "./check-plan.ts";
import { needsPlan } from "./classify.ts";
import {
  type PlanFailures,
  planAnswerSchema,
  planMessages,
  readPlanText,
  repairMessages,
} from "./plan-request.ts";

const GENERALIST = "generalist";

/** What is known of a goal before anything was asked: the same after a restart. */
export interface PlannerSettings {
  readonly roles: readonly AgentRole[];
  readonly ladder: readonly string[];
  readonly budget: Manifest["budget"];
  readonly settings: NonNullable<Manifest["planner"]>;
}

export function settingsOf({ roles = [], model, budget, planner }: Manifest): PlannerSettings {
  const settings = planner ?? { use: "auto", repairs: 2, replans: 3, parallel: 16 };
  const named = roles.find((role) => typeof role === "string");
  if (named !== undefined)
    throw new SysError("EINVAL", `the role ${named} is only a name here`, {
      hint: "start the goal through the daemon, or give the role in full",
    });
  const ladder = model === undefined ? [] : [model].flat();
  return { roles: roles as AgentRole[], ladder, budget, settings };
}

export class Planner {
  readonly #sys: Sys;
  readonly #ground: PlanContext;
  readonly settings: PlannerSettings["settings"];
  readonly notes: string[];

  constructor(sys: Sys, ground: PlannerSettings, notes: readonly string[] = []) {
    const roles = new Map(ground.roles.map((role) => [role.name, role]));
    this.#sys = sys;
    this.#ground = { ...ground, roles };
    this.settings = ground.settings;
    this.notes = [...notes];
  }

  get #model(): string | undefined {
    return this.settings.model ?? this.#ground.ladder[0];
  }

  /** Whether there is anybody to ask for another plan. */
  get canPlan(): boolean {
    return this.settings.use !== "never" && this.#model !== undefined;
  }

  /** The plan that was given, the one-subtask plan of a simple goal, or one that a model makes. */
  async first({ goal, plan }: GoalInput): Promise<PlanCheck> {
    if (plan !== undefined) return this.check(plan);
    const { use } = this.settings;
    const isSimple = use === "never" || (use === "auto" && !needsPlan(goal));
    if (isSimple && this.#ground.roles.has(GENERALIST)) {
      this.notes.push("the goal needs no plan: one generalist does it");
      return this.check(directPlan(goal, this.#ground.roles.get(GENERALIST)!));
    }
    if (use === "never")
      return { faults: ["planner.use is never, and there is no role generalist"] };
    return this.ask(goal);
  }

  /** PLANNER-1. */
  async ask(goal: string, learned?: PlanFailures): Promise<PlanCheck> {
    const model = this.#model;
    if (model === undefined)
      return { faults: ["the goal has no model to plan with: give a plan, or name a model"] };
    const { roles } = this.#ground;
    const present = await filesPresent(this.#sys);
    const messages = planMessages({ goal, roles, present, learned });
    const output = { schema: planAnswerSchema(roles.keys()), name: "plan" };
    for (let repairs = 0; ; repairs++) {
      const { text, finish } = await this.#sys.infer({ model, messages, output });
      const read = finish === "length" ? { fault: "the answer was cut off" } : readPlanText(text);
      const checked =
        "fault" in read ? { faults: [read.fault] } : await this.#check(read.plan, present);
      if (!("faults" in checked) || repairs >= this.settings.repairs) return checked;
      this.notes.push(`plan ${repairs + 1} was refused: ${checked.faults.join("; ")}`);
      messages.push(...repairMessages(text, checked.faults));
    }
  }

  /** One that was checked before: no call is made. */
  again(text: Json): PlanCheck {
    return checkPlan(text, this.#ground);
  }

  async check(text: Json): Promise<PlanCheck> {
    return this.#check(text, await filesPresent(this.#sys));
  }

  async #check(text: Json, present: ReadonlySet<string> | undefined): Promise<PlanCheck> {
    const checked = checkPlan(text, { ...this.#ground, present });
    if ("faults" in checked) return checked;
    const faults = await this.#powerFaults(checked);
    return faults.length > 0 ? { faults } : checked;
  }

  /** PLANNER-2. One question to the gate for all subtasks; who asks for too much is told by name. */
  async #powerFaults({ steps }: CheckedPlan): Promise<string[]> {
    const capabilities = [...new Set([...steps.values()].flatMap((step) => step.expanded))];
    const fixed = [...new Set([...steps.values()].flatMap((step) => step.fixed))];
    const manifest = {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "plan-check",
      capabilities: [...capabilities, ...fixed],
    };
    const would = await this.#would(manifest);
    if (!would.allow && would.code !== "EAGAIN")
      return [`the goal may not start subtasks: ${would.reason ?? would.code}`];
    const beyond = new Set(would.beyond ?? []);
    const faults = [...steps].flatMap(([id, step]) => {
      const more = step.expanded.filter((text) => beyond.has(text));
      return more.map((text) => `${id}: ${text} is more power than the goal has`);
    });
    // What roles have in general and this goal does not: their subtasks run without it.
    if (faults.length === 0 && beyond.size > 0)
      this.notes.push(`roles run without what the goal does not hold: ${[...beyond].join(", ")}`);
    return faults;
  }

  async #would(manifest: JsonObject): Promise<WouldBe> {
    try {
      return await this.#sys.check("spawn", { manifest, input: null });
    } catch (error) {
      if (!(error instanceof SysError) || error.code !== "EINVAL") throw error;
      return { allow: false, code: error.code, reason: error.message };
    }
  }
}

function directPlan(goal: string, role: AgentRole): Json {
  const [name = "task_description"] =
    Object.entries(role.parameters).find(([, { required }]) => required) ?? [];
  return {
    version: 1,
    subtasks: [{ id: "work", role: GENERALIST, params: { [name]: goal }, depends_on: [] }],
    final_output: "work",
  };
}

/** Undefined where the goal may not look, or there is no workspace. */
export async function filesPresent(sys: Sys): Promise<ReadonlySet<string> | undefined> {
  try {
    return new Set(await sys.list("/work"));
  } catch (error) {
    if (error instanceof SysError && MAY_NOT_LOOK.has(error.code)) return undefined;
    throw error;
  }
}

const MAY_NOT_LOOK: ReadonlySet<string> = new Set([
  "EACCES",
  "EPOLICY",
  "EDENIED",
  "ENOENT",
  "EINVAL",
]);
