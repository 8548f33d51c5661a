// NotificationSweep: finds what people are to be told, and puts it into the outbox: open questions, and runs that ended.
//
// NOTIFICATION-SWEEP-1  What is found is added by an id of its own, once, on one node or many, whatever is killed when.
// NOTIFICATION-SWEEP-2  A target is told of runs that ended after the target was first there; what ended while no
//     daemon ran is found by the mark in the store.
// NOTIFICATION-SWEEP-3  More than `perHour` is held, with one line an hour that says so.

import { createHash } from "node:crypto";
import type { Kernel } from "@aos/kernel";
import { openQuestion } from "./notice-of.ts";
import type { NotifyEvent, NotifyTarget } from "./notify-config.ts";

type SweepKernel = Pick<
  Kernel,
  | "openQuestionIds"
  | "questions"
  | "show"
  | "addPost"
  | "countPosts"
  | "postMark"
  | "setPostMark"
  | "endedRuns"
>;
type EndedRun = Awaited<ReturnType<SweepKernel["endedRuns"]>>[number];

const HOUR_MS = 3_600_000;
/** A run may be stored a moment after it ended, and the clocks of nodes differ. */
const OVERLAP_MS = 15_000;
const PAGE = 200;
const GOAL_PROGRAM = "plan";

export class NotificationSweep {
  readonly #kernel: SweepKernel;
  readonly #targets: readonly NotifyTarget[];
  /** Open questions that every target was told of. */
  #known = new Set<string>();
  /** Runs within the overlap, by pid, with when they ended. */
  readonly #ended = new Map<string, number>();
  readonly #marks = new Map<NotifyTarget, number>();
  #since: number | undefined;

  constructor(kernel: SweepKernel, targets: readonly NotifyTarget[]) {
    this.#kernel = kernel;
    this.#targets = targets;
  }

  async sweep(): Promise<void> {
    await this.#questions();
    await this.#endings();
  }

  async #questions(): Promise<void> {
    const asked = this.#targets.filter(({ events }) => events.includes("approval"));
    const open = new Set<string>();
    for (const tenant of new Set(asked.map((target) => target.tenant)))
      for (const id of await this.#kernel.openQuestionIds(tenant)) {
        open.add(id);
        if (!this.#known.has(id)) await this.#question(id, tenant, asked);
      }
    this.#known = open;
  }

  async #question(id: string, tenant: string, asked: readonly NotifyTarget[]): Promise<void> {
    const question = await openQuestion(this.#kernel, id, tenant);
    if (question === undefined) return;
    const { agent } = await this.#kernel.show(question.pid);
    for (const target of asked) {
      const { person } = target;
      const mayAnswer =
        person === undefined || question.people === null || question.people.includes(person);
      if (target.tenant === tenant && wants(target, agent) && mayAnswer)
        await this.#add(target, "approval", id);
    }
  }

  /** NOTIFICATION-SWEEP-2. */
  async #endings(): Promise<void> {
    const told = this.#targets.filter(({ events }) => events.some((one) => one !== "approval"));
    if (told.length === 0) return;
    for (const target of told)
      if (!this.#marks.has(target))
        this.#marks.set(
          target,
          await this.#kernel.postMark({ tenant: target.tenant, target: target.name }),
        );
    let sinceMs = this.#since ?? Math.min(...this.#marks.values());
    let after = 0;
    for (;;) {
      const runs = await this.#kernel.endedRuns({ sinceMs, after, limit: PAGE });
      for (const run of runs) await this.#ending(run, told);
      const last = runs.at(-1);
      if (last === undefined || runs.length < PAGE) break;
      sinceMs = last.endedAt;
      after = last.key;
    }
    await this.#moveOn(told);
  }

  async #ending(run: EndedRun, told: readonly NotifyTarget[]): Promise<void> {
    if (this.#ended.has(run.pid)) return;
    for (const target of told) {
      if (target.tenant !== run.tenant || run.endedAt < this.#marks.get(target)!) continue;
      const event = eventOf(run, target.events);
      if (event !== undefined && wants(target, run.agent)) await this.#add(target, event, run.pid);
    }
    this.#ended.set(run.pid, run.endedAt);
  }

  async #moveOn(told: readonly NotifyTarget[]): Promise<void> {
    const newest = Math.max(0, ...this.#ended.values());
    const from = newest - OVERLAP_MS;
    for (const [pid, at] of this.#ended) if (at < from) this.#ended.delete(pid);
    if (from <= (this.#since ?? 0)) return;
    this.#since = from;
    for (const { tenant, name } of told)
      await this.#kernel.setPostMark({ tenant, target: name, at: from });
  }

  /** NOTIFICATION-SWEEP-1. */
  async #add(target: NotifyTarget, kind: NotifyEvent, subject: string): Promise<void> {
    const { tenant, name, perHour } = target;
    const sinceMs = Date.now() - HOUR_MS;
    const sent = await this.#kernel.countPosts({ tenant, target: name, sinceMs });
    const post = { tenant, box: "out", target: name, kind, subject } as const;
    const id = postId(target, kind === "approval" ? kind : "ended", subject);
    if (sent < perHour) {
      await this.#kernel.addPost({ ...post, id });
      return;
    }
    const error = `more than ${perHour} in an hour`;
    if (!(await this.#kernel.addPost({ ...post, id, state: "held", error }))) return;
    const hour = String(Math.floor(Date.now() / HOUR_MS));
    await this.#kernel.addPost({
      ...post,
      id: postId(target, "more", hour),
      kind: "more",
      subject: hour,
    }); // NOTIFICATION-SWEEP-3
  }
}

const postId = ({ tenant, name }: NotifyTarget, kind: string, subject: string): string =>
  `ntf_${createHash("sha256")
    .update(JSON.stringify([tenant, name, kind, subject]))
    .digest("hex")
    .slice(0, 32)}`;

const wants = ({ agents }: NotifyTarget, agent: string): boolean =>
  agents === undefined || agents.includes(agent);

/** The first of them that it is. */
function eventOf(
  { state, program, code }: EndedRun,
  events: readonly NotifyEvent[],
): NotifyEvent | undefined {
  const is: Readonly<Record<NotifyEvent, boolean>> = {
    approval: false,
    budget: code === "EBUDGET",
    goal: program === GOAL_PROGRAM,
    failure: state === "failed",
    finished: state === "completed",
  };
  return (["budget", "goal", "failure", "finished"] as const).find(
    (event) => is[event] && events.includes(event),
  );
}
