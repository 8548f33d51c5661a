// Condition: the `when` of a rule, compiled. policy-formats/conditions.ts reads its text.
//
// CONDITIONS-1  test() never throws and returns only true, false or the code of the failure.

import type { ConditionView } from "./condition-view.ts";

/** The failure of a condition that could not be evaluated: a code, without the arguments. */
export interface ConditionFailure {
  readonly failed: string;
}

export interface Condition {
  readonly text: string;
  readonly test: (view: ConditionView) => boolean | ConditionFailure;
}

export const conditionOf = (text: string, run: (view: ConditionView) => unknown): Condition => ({
  text,
  test: (view) => outcome(run, view),
});

function outcome(
  run: (view: ConditionView) => unknown,
  view: ConditionView,
): boolean | ConditionFailure {
  try {
    const value = run(view);
    return typeof value === "boolean" ? value : { failed: "not true or false" };
  } catch (error) {
    const code: unknown = (error as { code?: unknown } | null)?.code;
    return { failed: typeof code === "string" ? code : "internal error" };
  }
}
