// Plan: what becomes of a goal: subtasks for roles, and what they hand to each other. A plan is data; nothing in it has
// power before it was checked (userland/src/plan/check-plan.ts).

import { z } from "zod";
import { roleName, workBudget } from "./agent-role.ts";
import type { Json } from "./json.ts";
import { readDurationMs } from "./quantity.ts";
import { writtenQuantity } from "./written-quantity.ts";

export const planLimits = { subtasks: 256, depth: 20, bytes: 65_536, outputs: 32 } as const;

export const subtaskId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, "1 to 63 letters, digits, _ or -");

const json = z.unknown() as unknown as z.ZodType<Json>;

const subtask = z.strictObject({
  id: subtaskId,
  role: roleName,
  params: z.record(z.string(), json).default({}),
  depends_on: z.array(subtaskId).max(planLimits.subtasks).default([]),
  /** How many spawns deep it may go, and how long it may take. */
  ttl: z
    .strictObject({
      max_hops: z.number().int().nonnegative().max(30).optional(),
      max_wall_clock: writtenQuantity(readDurationMs, "duration").optional(),
    })
    .optional(),
  /** The rung of the model ladder that it begins on. */
  tier: z.number().int().nonnegative().optional(),
  current_model_tier: z.number().int().nonnegative().optional(),
  /** Files that are there when it has done its work. */
  outputs: z.array(z.string().min(1).max(1000)).max(planLimits.outputs).optional(),
  budget: workBudget.optional(),
});

export const planSchema = z.strictObject({
  version: z.literal(1).default(1),
  subtasks: z.array(subtask).min(1).max(planLimits.subtasks),
  /** A file that a subtask writes, or the id of a subtask whose answer is the result. */
  final_output: z.string().min(1).max(1000),
});

export type GoalPlan = z.output<typeof planSchema>;
export type GoalPlanText = z.input<typeof planSchema>;
export type Subtask = GoalPlan["subtasks"][number];

/** What the program `plan` is given. */
export interface GoalInput {
  readonly goal: string;
  /** Written by a person, or by an earlier run. */
  readonly plan?: Json;
  /** What is done already and is not done again, by subtask. */
  readonly done?: Readonly<Record<string, FinishedSubtask>>;
  /** Done again, with all that depends on them, whatever is in `done`. */
  readonly from?: readonly string[];
  /** Taken as done, with no result. */
  readonly skip?: readonly string[];
  /** Only the plan is wanted: nothing is run. */
  readonly isPlanOnly?: boolean;
}

export interface FinishedSubtask {
  /** Of role, parameters and what it depends on: a replan keeps what has the same. */
  readonly hash: string;
  readonly pid: string | null;
  readonly value: Json;
  readonly outputs: readonly string[];
  readonly isSkipped?: true;
}

export interface FailedSubtask {
  readonly id: string;
  readonly role: string;
  readonly pid: string | null;
  readonly code: string;
  readonly message: string;
}

/** What the program `plan` gives at its end. */
export interface GoalOutcome {
  readonly status: "completed" | "failed" | "planned" | "refused";
  readonly result: Json;
  readonly finalOutput: string | null;
  readonly files: readonly string[];
  readonly plan: GoalPlan | null;
  readonly done: Readonly<Record<string, FinishedSubtask>>;
  readonly failed: readonly FailedSubtask[];
  /** Why a plan was refused: all that is wrong with it. */
  readonly faults: readonly string[];
  readonly notes: readonly string[];
}
