// Outcome of a workflow: what the program `workflow` gives at its end, and what is known of it while it runs.

import { z } from "zod";
import type { Json } from "../json.ts";
import type { onDoubtChoices } from "../syscalls.ts";
import type { StepRetry } from "./step.ts";

/** A call that takes back what a step did, ready to be made. */
export interface ArmedCall {
  /** The path of the step: `book`, `each[2]/pay`. */
  readonly step: string;
  readonly tool: string;
  readonly args: Json;
  /** The same for every try: the far side does it once. */
  readonly key: string;
  readonly retry?: StepRetry | undefined;
  readonly timeoutMs?: number | undefined;
  readonly onDoubt?: (typeof onDoubtChoices)[number] | undefined;
}

/** What was done and is not taken back, with the reason. */
export interface LastingCall {
  readonly step: string;
  readonly tool: string;
  readonly why: string;
}

export interface WorkflowOutcome {
  readonly status: "completed" | "failed" | "cancelled" | "refused";
  readonly result: Json;
  /** The first step that failed, and with what. */
  readonly failed: {
    readonly step: string;
    readonly code: string;
    readonly message: string;
  } | null;
  /** Steps that were taken back, in the order in which that was done. */
  readonly undone: readonly string[];
  /** What was not: it has no undo, or its undo failed. */
  readonly lasting: readonly LastingCall[];
  /** What is still to be taken back: all of one that completed, and of another what failed to be. */
  readonly armed: readonly ArmedCall[];
  /** Why it was refused before anything ran. */
  readonly faults: readonly string[];
}

export const stepStates = [
  "pending",
  "running",
  "waiting",
  "done",
  "skipped",
  "failed",
  "undoing",
  "undone",
  "lasting",
] as const;
export type StepState = (typeof stepStates)[number];

/** What a tool says of itself to a workflow that uses it. */
export interface ToolContract {
  readonly name: string;
  readonly effect: "read" | "idempotent" | "external";
  readonly input: Json;
  readonly output?: Json;
  readonly undo?: ToolUndo;
}

const undoneBy = z.string().min(1).max(200);

/** `workspace`, or the call of another tool: `args` is a template of `{{args.…}}` and `{{result.…}}`. */
export const toolUndo = z.union([
  undoneBy,
  z.strictObject({ tool: undoneBy, args: (z.unknown() as unknown as z.ZodType<Json>).optional() }),
]);
export type ToolUndo = string | { readonly tool: string; readonly args?: Json | undefined };
