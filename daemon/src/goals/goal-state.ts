// GoalState: where a goal is, read from its journal: the plan from its last checkpoint, its subtasks from its spawns and waits.

import type { RecordedRun } from "@aos/kernel";
import type { Ending, FinishedSubtask, GoalPlan, Json, JsonObject } from "@aos/protocol";

interface StartedStep {
  readonly pid: string;
  readonly role: string;
  readonly tries: number;
  readonly ending: Ending | undefined;
}

export interface GoalState {
  readonly plan: GoalPlan | null;
  readonly replans: number;
  readonly notes: readonly string[];
  /** By the last checkpoint, and by the ends of children after it. */
  readonly done: Readonly<Record<string, FinishedSubtask>>;
  readonly steps: ReadonlyMap<string, StartedStep>;
}

interface Checkpointed {
  readonly plan: GoalPlan;
  readonly done: Readonly<Record<string, FinishedSubtask>>;
  readonly replans: number;
  readonly notes: readonly string[];
}

export function goalStateOf({ records }: Pick<RecordedRun, "records">): GoalState {
  let saved: Checkpointed | undefined;
  const steps = new Map<string, StartedStep>();
  const stepOf = new Map<string, string>();
  for (const record of records) {
    if (record.kind !== "call" || record.err !== undefined) continue;
    const args = record.args as JsonObject;
    if (record.call === "checkpoint") saved = args.state as unknown as Checkpointed;
    if (record.call === "spawn" && typeof args.step === "string") {
      const pid = record.ok as string;
      const role = (args.manifest as JsonObject | undefined)?.name;
      const tries = (steps.get(args.step)?.tries ?? 0) + 1;
      stepOf.set(pid, args.step);
      steps.set(args.step, {
        pid,
        role: typeof role === "string" ? role : "",
        tries,
        ending: undefined,
      });
    }
    if (record.call !== "wait") continue;
    const step = stepOf.get(args.pid as string);
    const known = step === undefined ? undefined : steps.get(step);
    if (known?.pid === args.pid)
      steps.set(step!, { ...known!, ending: record.ok as unknown as Ending });
  }
  const done = { ...saved?.done };
  for (const [id, { pid, ending }] of steps)
    if (ending?.state === "completed" && ending.exitCode === 0)
      done[id] ??= { hash: "", pid, value: ending.output as Json, outputs: [] };
  return {
    plan: saved?.plan ?? null,
    replans: saved?.replans ?? 0,
    notes: saved?.notes ?? [],
    done,
    steps,
  };
}
