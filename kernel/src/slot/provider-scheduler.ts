// ProviderScheduler: admits the next request to the models of one provider, within its limits.
//
//   enter(waiting, queue)   the request waits in the model's queue and is admitted in its turn
//   spare / take            a slot outside the queue, when no request waits for one
//
// PROVIDER-SCHEDULER-1  A smaller request never overtakes the next one: a large request would wait for
//     ever.
// PROVIDER-SCHEDULER-2  A released slot, or the passing of time, admits the next request.
// PROVIDER-SCHEDULER-3  Rules are read on every round: a loosened limit takes effect within a second.

import type { SlotRules } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import { ModelQueue, type WaitingRequest } from "./model-queue.ts";
import { isNext } from "./fair-queue.ts";
import { Occupancy } from "./occupancy.ts";
import { SlotLease } from "./slot-lease.ts";
import { modelRule, providerRule, weightOf } from "./rules.ts";
import { Shares } from "./shares.ts";

/** PROVIDER-SCHEDULER-3. */
const LOOK_AGAIN_MS = 1000;

export class ProviderScheduler {
  readonly #provider: string;
  readonly #rules: () => SlotRules;
  readonly #platform: Platform;
  readonly #shares = new Shares();
  readonly #occupancy = new Occupancy();
  /** Those where somebody waits. */
  readonly #busy = new Set<ModelQueue>();
  #alarm: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined;

  constructor(provider: string, rules: () => SlotRules, platform: Platform) {
    this.#provider = provider;
    this.#rules = rules;
    this.#platform = platform;
  }

  queue(model: string): ModelQueue {
    return new ModelQueue(model, this.#shares);
  }

  enter(waiting: WaitingRequest, queue: ModelQueue): void {
    queue.waiting.add(waiting);
    this.#busy.add(queue);
    this.serve();
  }

  leave(waiting: WaitingRequest, queue: ModelQueue): void {
    this.#remove(waiting, queue);
    this.serve(); // who was behind it may need less
  }

  /** Whether there is a slot that no request waits for. */
  hasSpare(waiting: WaitingRequest, queue: ModelQueue): boolean {
    const rules = this.#rules();
    const now = this.#platform.now();
    return (
      this.#busy.size === 0 &&
      queue.waitMs(waiting.tokens, rules, now) === 0 &&
      this.#waitMs(waiting.tokens, rules, now) === 0
    );
  }

  /** A slot for it, without asking whether one is free: call hasSpare() first. */
  take(waiting: WaitingRequest, queue: ModelQueue): SlotLease {
    const rules = this.#rules();
    const now = this.#platform.now();
    const { tenant, tokens } = waiting;
    const share = this.#shares.of(tenant);
    const weight = weightOf(rules, tenant);
    const model = queue.occupancy.take(modelRule(rules, queue.model), tokens, now);
    const provider = this.#occupancy.take(providerRule(rules, this.#provider), tokens, now);
    return new SlotLease(
      {
        queue,
        share,
        charge: this.#shares.begin(share, queue.expectedTokens(tokens), weight),
        parts: [
          [queue.occupancy, model],
          [this.#occupancy, provider],
        ],
        isProbe: queue.breaker.pass(),
        since: now,
      },
      () => this.#platform.now(),
      (held, used) => {
        this.#shares.end(held.share, held.charge, used);
        this.serve(); // PROVIDER-SCHEDULER-2
      },
    );
  }

  /** Admits every request that may start now. They start once all accounts are updated. */
  serve(): void {
    if (this.#busy.size === 0) return;
    const admitted: WaitingRequest[] = [];
    for (;;) {
      const next = this.#next();
      if (typeof next === "number") {
        this.#ring(next);
        break;
      }
      const { waiting, queue } = next;
      this.#remove(waiting, queue);
      waiting.admit(this.take(waiting, queue));
      admitted.push(waiting);
    }
    for (const waiting of admitted) waiting.start();
  }

  #remove(waiting: WaitingRequest, queue: ModelQueue): void {
    queue.waiting.remove(waiting);
    if (queue.waiting.size === 0) this.#busy.delete(queue);
  }

  /** The next request; or how long until one may start, Infinity if another has to end first. */
  #next(): { waiting: WaitingRequest; queue: ModelQueue } | number {
    const rules = this.#rules();
    const now = this.#platform.now();
    let soonestMs = Infinity;
    let next: ModelQueue | undefined;
    for (const queue of this.#busy) {
      const first = queue.waiting.first!;
      const waitMs = queue.waitMs(first.tickets.first!.tokens, rules, now); // PROVIDER-SCHEDULER-1
      if (waitMs > 0) soonestMs = Math.min(soonestMs, waitMs);
      else if (next === undefined || isNext(first, next.waiting.first!)) next = queue;
    }
    if (next === undefined) return soonestMs;
    const waiting = next.waiting.first!.tickets.first!;
    const waitMs = this.#waitMs(waiting.tokens, rules, now);
    return waitMs > 0 ? Math.min(waitMs, soonestMs) : { waiting, queue: next };
  }

  #waitMs(tokens: number, rules: SlotRules, now: number): number {
    return this.#occupancy.waitMs(providerRule(rules, this.#provider), tokens, now);
  }

  #ring(inMs: number): void {
    if (this.#busy.size === 0) return;
    const delayMs = Math.ceil(Math.min(inMs, LOOK_AGAIN_MS));
    const at = this.#platform.now() + delayMs;
    if (this.#alarm !== undefined && this.#alarm.at <= at) return;
    clearTimeout(this.#alarm?.timer);
    const timer = setTimeout(() => {
      this.#alarm = undefined;
      this.serve();
    }, delayMs);
    timer.unref();
    this.#alarm = { at, timer };
  }
}
