// Counter: one provider: lets in who is next at its models, as far as the limits allow.
//
//   enter(visitor, desk)   it waits at a model's desk, and is let in when it is its turn
//   spare / take           a place beside the queue, where nobody waits for it
//
// C1  Who is next is not passed by a smaller one: what needs much would wait for ever.
// C2  Whoever gives up a place, and time that passes, lets the next one in.
// C3  Rules are read again each time: what is loosened holds within a second.

import type { SlotRules } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import { Desk, type Visitor } from "./desk.ts";
import { isNext } from "./line-up.ts";
import { Occupancy } from "./occupancy.ts";
import { Place } from "./place.ts";
import { modelRule, providerRule, weightOf } from "./rules.ts";
import { Shares } from "./shares.ts";

/** C3. */
const LOOK_AGAIN_MS = 1000;

export class Counter {
  readonly #provider: string;
  readonly #rules: () => SlotRules;
  readonly #platform: Platform;
  readonly #shares = new Shares();
  readonly #occupancy = new Occupancy();
  /** Those where somebody waits. */
  readonly #busy = new Set<Desk>();
  #alarm: { readonly at: number; readonly timer: NodeJS.Timeout } | undefined;

  constructor(provider: string, rules: () => SlotRules, platform: Platform) {
    this.#provider = provider;
    this.#rules = rules;
    this.#platform = platform;
  }

  desk(model: string): Desk {
    return new Desk(model, this.#shares);
  }

  enter(visitor: Visitor, desk: Desk): void {
    desk.waiting.add(visitor);
    this.#busy.add(desk);
    this.serve();
  }

  leave(visitor: Visitor, desk: Desk): void {
    this.#remove(visitor, desk);
    this.serve(); // who was behind it may need less
  }

  /** Whether there is a place that nobody waits for. */
  hasSpare(visitor: Visitor, desk: Desk): boolean {
    const rules = this.#rules();
    const now = this.#platform.now();
    return (
      this.#busy.size === 0 &&
      desk.waitMs(visitor.tokens, rules, now) === 0 &&
      this.#waitMs(visitor.tokens, rules, now) === 0
    );
  }

  /** Its place, whether or not there is one: to be asked before. */
  take(visitor: Visitor, desk: Desk): Place {
    const rules = this.#rules();
    const now = this.#platform.now();
    const { tenant, tokens } = visitor;
    const share = this.#shares.of(tenant);
    const weight = weightOf(rules, tenant);
    const model = desk.occupancy.take(modelRule(rules, desk.model), tokens, now);
    const provider = this.#occupancy.take(providerRule(rules, this.#provider), tokens, now);
    return new Place(
      {
        desk,
        share,
        charge: this.#shares.begin(share, desk.expectedTokens(tokens), weight),
        parts: [
          [desk.occupancy, model],
          [this.#occupancy, provider],
        ],
        isProbe: desk.breaker.pass(),
        since: now,
      },
      () => this.#platform.now(),
      (held, used) => {
        this.#shares.end(held.share, held.charge, used);
        this.serve(); // C2
      },
    );
  }

  /** Lets in all that may go now. They start when the books are right again. */
  serve(): void {
    if (this.#busy.size === 0) return;
    const admitted: Visitor[] = [];
    for (;;) {
      const next = this.#next();
      if (typeof next === "number") {
        this.#ring(next);
        break;
      }
      const { visitor, desk } = next;
      this.#remove(visitor, desk);
      visitor.admit(this.take(visitor, desk));
      admitted.push(visitor);
    }
    for (const visitor of admitted) visitor.start();
  }

  #remove(visitor: Visitor, desk: Desk): void {
    desk.waiting.remove(visitor);
    if (desk.waiting.size === 0) this.#busy.delete(desk);
  }

  /** Who goes now; or how long until somebody may, Infinity where that is not a matter of time. */
  #next(): { visitor: Visitor; desk: Desk } | number {
    const rules = this.#rules();
    const now = this.#platform.now();
    let soonestMs = Infinity;
    let next: Desk | undefined;
    for (const desk of this.#busy) {
      const first = desk.waiting.first!;
      const waitMs = desk.waitMs(first.tickets.first!.tokens, rules, now); // C1
      if (waitMs > 0) soonestMs = Math.min(soonestMs, waitMs);
      else if (next === undefined || isNext(first, next.waiting.first!)) next = desk;
    }
    if (next === undefined) return soonestMs;
    const visitor = next.waiting.first!.tickets.first!;
    const waitMs = this.#waitMs(visitor.tokens, rules, now);
    return waitMs > 0 ? Math.min(waitMs, soonestMs) : { visitor, desk: next };
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
