// FallbackChain: the models that may answer one request, and which of them it waits for now.
//
// FALLBACK-CHAIN-1  The first that serves is taken; where none does, the first that will in time.
// FALLBACK-CHAIN-2  A fallback is used only if the process may use it and its queue has room. The right is
//     checked last, when it would be used.
// FALLBACK-CHAIN-3  A model whose attempts are used up is not asked again.
// FALLBACK-CHAIN-4  A model that fails is waited for until the deadline, the lane's where there is no
//     other. A provider that said when to come back is waited for until then, for 15 minutes at most
//     unless the deadline says.

import { laneDeadlineMs, SysError } from "@aos/protocol";
import type { SlotRules } from "../options.ts";
import type { ModelQueue } from "./model-queue.ts";
import { candidatesOf, queueOf } from "./rules.ts";
import type { SlotRequest } from "./slot-request.ts";

/** FALLBACK-CHAIN-4. */
const PATIENCE_MS = 15 * 60_000;

const NONE: ReadonlySet<string> = new Set();

export interface QueueContext {
  rules(): SlotRules;
  now(): number;
  queue(model: string): ModelQueue;
}

export class FallbackChain {
  /** When it should be served. */
  readonly dueAt: number;
  readonly #request: SlotRequest;
  readonly #context: QueueContext;
  /** How long it waits for a provider that asked for a pause. */
  readonly #patientUntil: number;
  #usedUp: ReadonlySet<string> = NONE;

  constructor(request: SlotRequest, context: QueueContext) {
    const now = context.now();
    this.#request = request;
    this.#context = context;
    this.dueAt = request.deadlineAt ?? now + laneDeadlineMs[request.lane];
    this.#patientUntil = request.deadlineAt ?? now + PATIENCE_MS;
  }

  /** FALLBACK-CHAIN-3. */
  useUp(model: string): void {
    this.#usedUp = new Set([...this.#usedUp, model]);
  }

  /** FALLBACK-CHAIN-1. */
  choose(): ModelQueue | undefined {
    const rules = this.#context.rules();
    const now = this.#context.now();
    const { model: first } = this.#request;
    if (!this.#usedUp.has(first) && this.#serves(this.#context.queue(first), now))
      return this.#context.queue(first);
    const queues = candidatesOf(rules, this.#request.model)
      .filter((model) => !this.#usedUp.has(model))
      .map((model) => this.#context.queue(model));
    const may = (queue: ModelQueue) => this.#mayUse(queue, rules);
    return (
      queues.find((queue) => this.#serves(queue, now) && may(queue)) ??
      queues.find((queue) => this.#willServe(queue, now) && may(queue))
    );
  }

  serves(queue: ModelQueue): boolean {
    return this.#serves(queue, this.#context.now());
  }

  /** Why nothing can be tried. */
  refusal(): SysError {
    const { model } = this.#request;
    const now = this.#context.now();
    const { breaker, pause } = this.#context.queue(model);
    if (breaker.mayPass(now))
      return new SysError(
        "ERATE",
        `the provider of ${model} asks to wait longer than the request may`,
        {
          retryAfter: pause.leftMs(now),
        },
      );
    return new SysError(
      "EUPSTREAM",
      `${model} failed ${breaker.failures} times in a row; its circuit breaker is open`,
      {
        hint: "name a fallback model that the process may use",
        retryAfter: Math.max(breaker.coolsInMs(now), 1000),
      },
    );
  }

  /** FALLBACK-CHAIN-4. */
  #serves(queue: ModelQueue, now: number): boolean {
    return queue.breaker.mayPass(now) && this.#bears(queue, now);
  }

  #willServe(queue: ModelQueue, now: number): boolean {
    return queue.breaker.coolsInMs(now) <= this.dueAt - now && this.#bears(queue, now);
  }

  /** A request that is late is still served if it need not wait. */
  #bears({ pause }: ModelQueue, now: number): boolean {
    const leftMs = pause.leftMs(now);
    return leftMs === 0 || leftMs <= this.#patientUntil - now;
  }

  /** FALLBACK-CHAIN-2. */
  #mayUse({ model, waiting }: ModelQueue, rules: SlotRules): boolean {
    if (model === this.#request.model) return true;
    return waiting.size < queueOf(rules) && this.#request.mayUse(model);
  }
}
