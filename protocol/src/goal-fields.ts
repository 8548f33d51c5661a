// The fields of a manifest that are for `kind: Goal`.

import { z } from "zod";

/** Of a Goal. */
export const plannerFields = z.strictObject({
  model: z
    .string()
    .min(1)
    .optional()
    .describe("`provider/model` that plans. Default: the first of `model`."),
  use: z
    .enum(["auto", "always", "never"])
    .default("auto")
    .describe(
      "auto: a goal that is one simple thing is not planned. never: the role `generalist` does all of it, or a plan is given.",
    ),
  repairs: z
    .number()
    .int()
    .min(0)
    .max(2)
    .default(2)
    .describe("How often a refused plan goes back to the planner."),
  replans: z.number().int().min(0).max(3).default(3).describe("Other plans after a failure."),
  parallel: z.number().int().min(1).max(64).default(16).describe("Subtasks that run at once."),
});

/** A goal is its roles and who plans. */
export function* goalFlaws(manifest: {
  readonly kind: "Agent" | "Pipe" | "Goal" | "Workflow";
  readonly roles?: readonly unknown[] | undefined;
  readonly [field: string]: unknown;
}): Generator<[field: string, message: string]> {
  const { kind, roles, planner: settings } = manifest;
  if (kind !== "Goal") {
    if (settings !== undefined) yield ["planner", "is for `kind: Goal`"];
    return;
  }
  for (const field of ["program", "command", "system", "output", "persistent", "tools"]) {
    const value = manifest[field];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0))
      yield [field, "is not for `kind: Goal`: its roles have it"];
  }
  if ((roles ?? []).length === 0) yield ["roles", "a Goal needs roles"];
}
