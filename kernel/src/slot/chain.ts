// Chain: the models that one request may end up at, and which of them is the one to wait for now.
//
// H1  The first that serves is taken; where none does, the first that will in time.
// H2  A fallback is used only by who may use it, and has room in its queue. Who may is asked last, when
//     it would be used.
// H3  A model whose tries are used up is not gone back to.
// H4  A model that fails is waited for until the deadline, the lane's where there is no other. A
//     provider that said when to come back is waited for until then, for 15 minutes at most unless the
//     deadline says.

import { laneDeadlineMs, SysError } from "@aos/protocol";
import type { SlotRules } from "../options.ts";
import type { Desk } from "./desk.ts";
import { candidatesOf, queueOf } from "./rules.ts";
import type { SlotWish } from "./wish.ts";

/** H4. */
const PATIENCE_MS = 15 * 60_000;

const NONE: ReadonlySet<string> = new Set();

export interface Hall {
  rules(): SlotRules;
  now(): number;
  desk(model: string): Desk;
}

export class Chain {
  /** When it should be served. */
  readonly dueAt: number;
  readonly #wish: SlotWish;
  readonly #hall: Hall;
  /** How long it bears with a provider that wants to be left alone. */
  readonly #patientUntil: number;
  #usedUp: ReadonlySet<string> = NONE;

  constructor(wish: SlotWish, hall: Hall) {
    const now = hall.now();
    this.#wish = wish;
    this.#hall = hall;
    this.dueAt = wish.deadlineAt ?? now + laneDeadlineMs[wish.lane];
    this.#patientUntil = wish.deadlineAt ?? now + PATIENCE_MS;
  }

  /** H3. */
  useUp(model: string): void {
    this.#usedUp = new Set([...this.#usedUp, model]);
  }

  /** H1. */
  choose(): Desk | undefined {
    const rules = this.#hall.rules();
    const now = this.#hall.now();
    const { model: first } = this.#wish;
    if (!this.#usedUp.has(first) && this.#serves(this.#hall.desk(first), now))
      return this.#hall.desk(first);
    const desks = candidatesOf(rules, this.#wish.model)
      .filter((model) => !this.#usedUp.has(model))
      .map((model) => this.#hall.desk(model));
    const may = (desk: Desk) => this.#mayUse(desk, rules);
    return (
      desks.find((desk) => this.#serves(desk, now) && may(desk)) ??
      desks.find((desk) => this.#willServe(desk, now) && may(desk))
    );
  }

  serves(desk: Desk): boolean {
    return this.#serves(desk, this.#hall.now());
  }

  /** Why nothing can be tried. */
  refusal(): SysError {
    const { model } = this.#wish;
    const now = this.#hall.now();
    const { breaker, pause } = this.#hall.desk(model);
    if (breaker.mayPass(now))
      return new SysError("ERATE", `the provider of ${model} wants to be left alone for longer`, {
        retryAfter: pause.leftMs(now),
      });
    return new SysError(
      "EUPSTREAM",
      `${model} failed ${breaker.failures} times in a row, and is left alone for a while`,
      {
        hint: "a fallback that the process may use would have been asked in its place",
        retryAfter: Math.max(breaker.coolsInMs(now), 1000),
      },
    );
  }

  /** H4. */
  #serves(desk: Desk, now: number): boolean {
    return desk.breaker.mayPass(now) && this.#bears(desk, now);
  }

  #willServe(desk: Desk, now: number): boolean {
    return desk.breaker.coolsInMs(now) <= this.dueAt - now && this.#bears(desk, now);
  }

  /** What is late already is served all the same, where there is nothing to wait for. */
  #bears({ pause }: Desk, now: number): boolean {
    const leftMs = pause.leftMs(now);
    return leftMs === 0 || leftMs <= this.#patientUntil - now;
  }

  /** H2. */
  #mayUse({ model, waiting }: Desk, rules: SlotRules): boolean {
    if (model === this.#wish.model) return true;
    return waiting.size < queueOf(rules) && this.#wish.mayUse(model);
  }
}
