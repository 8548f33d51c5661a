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
  type Json,
  type Sys,
  SysError,
} from "@aos/protocol";
import type { CheckedPlan, PlanStep } from "./check-plan.ts";
import { inputFor, manifestFor } from "./expand.ts";
import { filesPresent } from "./planner.ts";

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
  const running = new Map<string, Promise<Outcome>>();
  const isReady = (id: string) =>
    steps.get(id)!.subtask.depends_on.every((other) => done.has(other));
  const start = (id: string) => {
    const run = new SubtaskRun(sys, steps.get(id)!, hashesOf(walk).get(id)!).run(done);
    run.catch(() => {}); // the race throws the first; those after it are nobody's
    running.set(id, run);
    open.delete(id);
  };
  for (;;) {
    passOver(walk, { open, done, isReady });
    for (const id of open) if (running.size < parallel && isReady(id)) start(id);
    if (running.size === 0) return { done, failed };
    const outcome = await Promise.race(running.values());
    running.delete(outcome.id);
    if ("finished" in outcome) done.set(outcome.id, outcome.finished);
    else failed.push(outcome.failed);
  }
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

/** FNV-1a, 2 × 32 bits, with the length: tells steps of one goal apart; no secret depends on it. */
function fingerprint(text: string): string {
  const round = (seed: number): string => {
    let hash = seed;
    for (let at = 0; at < text.length; at++)
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
    return hash.toString(16).padStart(8, "0");
  };
  return `${round(0x811c9dc5)}${round(0x9747b28c)}-${text.length.toString(16)}`;
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
      const pid = await this.#spawn(manifest, input);
      return await this.#check(await this.#sys.wait(pid));
    } catch (error) {
      if (!(error instanceof SysError) || !isOfSubtask(error)) throw error;
      return this.#failure(null, error.code, error.message);
    }
  }

  /** Where the tree is full, it waits until there is room. */
  async #spawn(manifest: Parameters<typeof manifestOf>[0], input: Json): Promise<string> {
    for (;;) {
      try {
        return await this.#sys.spawn(manifestOf(manifest), input, { step: this.#step.subtask.id });
      } catch (error) {
        if (!(error instanceof SysError) || error.code !== "EAGAIN") throw error;
        await this.#sys.sleep((await this.#sys.now()) + (error.retryAfter ?? 1000));
      }
    }
  }

  /** EXECUTOR-2. */
  async #check({ pid, state, exitCode, output, error }: Ending) {
    if (state !== "completed" || exitCode !== 0) {
      const isExit = error === null || (error.code === "EPROGRAM" && (exitCode ?? 1) > 1);
      const code = isExit ? `exit ${exitCode ?? state}` : error.code;
      return this.#failure(pid, code, error?.message ?? `${state} with exit code ${exitCode}`);
    }
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

const manifestOf = (manifest: ReturnType<typeof manifestFor>) => ({ manifest });

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
