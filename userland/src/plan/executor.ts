// Executor: walks a checked plan. A subtask starts as soon as what it depends on is done; each is a child with an
// inline manifest of its own.
//
// EXECUTOR-1  It is deterministic: what it does next depends on the plan and on the order of the ends of its children,
//     which the journal keeps. After a crash it goes on with the children that it has.
// EXECUTOR-2  A subtask is done when its child completed and the files that it was to write are there.
// EXECUTOR-3  When one fails, those that do not depend on it still run, so that as little as possible is left to do.
// EXECUTOR-4  A step that is done, by the hash of role, parameters and dependencies, is not done again.

import {
  canonicalText,
  type Ending,
  type FailedSubtask,
  type FinishedSubtask,
  type Sys,
  SysError,
} from "@aos/protocol";
import type { CheckedPlan, PlanStep } from "./check-plan.ts";
import { inputFor, manifestFor } from "./expand.ts";
import { filesPresent } from "./planner.ts";
import { failureOfEnding, spawnWhenRoom } from "../workflow/child-run.ts";
import { fingerprint } from "../workflow/fingerprint.ts";
import { walkGraph } from "../workflow/walk-graph.ts";

export interface PlanProgress {
  readonly done: Map<string, FinishedSubtask>;
  readonly failed: FailedSubtask[];
}

type Outcome =
  | { readonly id: string; readonly finished: FinishedSubtask }
  | { readonly id: string; readonly failed: FailedSubtask };

interface Walk extends CheckedPlan {
  readonly done: ReadonlyMap<string, FinishedSubtask>;
  readonly skip: ReadonlySet<string>;
  readonly parallel: number;
}

/** Everything that can be done of the plan. */
export async function execute(sys: Sys, walk: Walk): Promise<PlanProgress> {
  const { plan, steps, parallel } = walk;
  const done = keptOf(walk);
  const failed: FailedSubtask[] = [];
  const open = new Set(plan.subtasks.map(({ id }) => id).filter((id) => !done.has(id)));
  const isReady = (id: string) =>
    steps.get(id)!.subtask.depends_on.every((other) => done.has(other));
  await walkGraph<Outcome>({
    open,
    parallel,
    isReady,
    passOver: () => passOver(walk, { open, done, isReady }),
    start: (id) => new SubtaskRun(sys, steps.get(id)!, hashesOf(walk).get(id)!).run(done),
    ended: (outcome) => {
      if ("finished" in outcome) done.set(outcome.id, outcome.finished);
      else failed.push(outcome.failed);
    },
  });
  return { done, failed };
}

/** What is skipped may make others ready that are skipped as well. */
function passOver(
  walk: Walk,
  at: {
    readonly open: Set<string>;
    readonly done: Map<string, FinishedSubtask>;
    readonly isReady: (id: string) => boolean;
  },
): void {
  for (;;) {
    const id = [...walk.skip].find((one) => at.open.has(one) && at.isReady(one));
    if (id === undefined) return;
    at.done.set(id, skipped(walk, id));
    at.open.delete(id);
  }
}

const skipped = (walk: Walk, id: string): FinishedSubtask => ({
  hash: hashesOf(walk).get(id)!,
  pid: null,
  value: null,
  outputs: [],
  isSkipped: true,
});

/** EXECUTOR-4. */
function keptOf(walk: Walk): Map<string, FinishedSubtask> {
  const hashes = hashesOf(walk);
  const kept = [...walk.done].filter(([id, { hash }]) => hashes.get(id) === hash);
  return new Map(kept);
}

const known = new WeakMap<CheckedPlan["steps"], ReadonlyMap<string, string>>();

/** Of role, parameters and all that it depends on: equal work has an equal hash. */
export function hashesOf({ plan, steps }: CheckedPlan): ReadonlyMap<string, string> {
  const before = known.get(steps);
  if (before !== undefined) return before;
  const hashes = new Map<string, string>();
  const hashOf = (id: string): string => {
    const found = hashes.get(id);
    if (found !== undefined) return found;
    const { role, params, outputs, subtask } = steps.get(id)!;
    const above = subtask.depends_on.toSorted().map((other) => [other, hashOf(other)]);
    const text = canonicalText({ role: role.name, params, outputs: [...outputs], above });
    const hash = fingerprint(text);
    hashes.set(id, hash);
    return hash;
  };
  for (const { id } of plan.subtasks) hashOf(id);
  known.set(steps, hashes);
  return hashes;
}

/** One subtask: its child, and another where its role wants a failure tried again. */
class SubtaskRun {
  readonly #sys: Sys;
  readonly #step: PlanStep;
  readonly #hash: string;

  constructor(sys: Sys, step: PlanStep, hash: string) {
    this.#sys = sys;
    this.#step = step;
    this.#hash = hash;
  }

  async run(done: ReadonlyMap<string, FinishedSubtask>): Promise<Outcome> {
    const { role, subtask, ladder } = this.#step;
    const { id } = subtask;
    let failed: FailedSubtask | undefined;
    for (let attempt = 0; attempt < role.retry.max; attempt++) {
      const models = role.escalate_on.includes("replan") ? climbed(ladder, attempt) : ladder;
      const outcome = await this.#try(done, models);
      if (!("code" in outcome)) return { id, finished: outcome };
      failed = outcome;
      if (!isRetried(outcome.code, role.retry.on)) break;
    }
    return { id, failed: failed! };
  }

  async #try(
    done: ReadonlyMap<string, FinishedSubtask>,
    ladder: readonly string[],
  ): Promise<FinishedSubtask | FailedSubtask> {
    const { role, subtask, params, fixed, expanded, outputs } = this.#step;
    const earlier = subtask.depends_on.flatMap((id) => {
      const { value, outputs: files, isSkipped } = done.get(id)!;
      return isSkipped === true || (files.length > 0 && role.program === undefined)
        ? []
        : [{ id, value }];
    });
    const capabilities = [...expanded, ...fixed];
    const manifest = manifestFor({ role, subtask, params, capabilities, ladder });
    const input = inputFor({ role, subtask, params }, outputs, earlier);
    try {
      const pid = await spawnWhenRoom(this.#sys, { manifest }, input, { step: subtask.id });
      return await this.#check(await this.#sys.wait(pid));
    } catch (error) {
      if (!(error instanceof SysError) || !isOfSubtask(error)) throw error;
      return this.#failure(null, error.code, error.message);
    }
  }

  /** EXECUTOR-2. */
  async #check(ending: Ending) {
    const { pid, output } = ending;
    const failed = failureOfEnding(ending);
    if (failed !== undefined) return this.#failure(pid, failed.code, failed.message);
    const { outputs } = this.#step;
    const missing = outputs.length === 0 ? [] : await this.#missing(outputs);
    if (missing.length > 0)
      return this.#failure(pid, "ENOENT", `it did not write ${missing.join(", ")}`);
    return { hash: this.#hash, pid, value: output, outputs: [...outputs] };
  }

  async #missing(outputs: readonly string[]): Promise<string[]> {
    const present = await filesPresent(this.#sys);
    return outputs.filter((path) => present?.has(path) !== true);
  }

  #failure(pid: string | null, code: string, message: string): FailedSubtask {
    const { subtask, role } = this.#step;
    return { id: subtask.id, role: role.name, pid, code, message };
  }
}

const climbed = (ladder: readonly string[], rungs: number): readonly string[] =>
  ladder.slice(Math.min(rungs, Math.max(0, ladder.length - 1)));

const reasonsOf: Readonly<Record<string, string>> = {
  ETIMEDOUT: "timeout",
  "exit 66": "timeout",
  EUPSTREAM: "upstream",
  ERATE: "rate_limit",
  EAGAIN: "rate_limit",
  EPROGRAM: "crash",
};

const isRetried = (code: string, on: readonly string[]): boolean =>
  on.includes("any") || on.includes(reasonsOf[code] ?? "");

/** What fails the subtask, and not the goal. */
const isOfSubtask = ({ code }: SysError): boolean =>
  [
    "EACCES",
    "EPOLICY",
    "EDENIED",
    "EBUDGET",
    "EINVAL",
    "ENOENT",
    "ETIMEDOUT",
    "EUPSTREAM",
    "EVELOCITY",
  ].includes(code);
