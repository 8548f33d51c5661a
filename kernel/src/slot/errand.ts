// Errand: one request, from when it is asked for to its answer: it waits, is tried, rests, is tried
// again, goes to another model.
//
// E1  When it is called off it leaves its queue or its place at once, whatever the driver does then.
// E2  While it rests it holds no place. It comes back with the deadline that it had.
// E3  Before another try after one that failed, who asked is told, and may end it.
// E4  It is answered once. Of two tries at once the first answer counts, and the other one is stopped.
// E5  What fails for good fails as it did last: ERATE stays ERATE.
// E6  A mistake of ours in the middle fails it, and holds no place.

import { SysError } from "@aos/protocol";
import type { Platform } from "../platform/clock.ts";
import { restMs } from "./backoff.ts";
import { Chain, type Hall } from "./chain.ts";
import type { Counter } from "./counter.ts";
import type { Desk, Visitor } from "./desk.ts";
import { asFailure, isOfModel, mayPass, messageOf, tokensLost, tokensOf } from "./failure-kind.ts";
import type { Place } from "./place.ts";
import { hedgeAfterMs, queueOf, retriesOf } from "./rules.ts";
import type { Answer, Attempt, SlotWish } from "./wish.ts";

/** How long who finds a queue full is told to stay away, when nothing is known and at most. */
const USUAL_AWAY_MS = 1000;
const LONGEST_AWAY_MS = 5 * 60_000;

/** What an errand needs of those who serve it. */
export interface Premises extends Hall {
  readonly platform: Platform;
  counter(model: string): Counter;
  scrub(text: string): string;
}

interface Try {
  readonly place: Place;
  readonly stop: AbortController | undefined;
}

export class Errand<T> implements Visitor {
  rank = -1;
  readonly tenant: string;
  readonly tokens: number;
  readonly dueAt: number;
  readonly order: number;
  readonly #wish: SlotWish;
  readonly #attempt: Attempt<T>;
  readonly #at: Premises;
  readonly #chain: Chain;
  readonly #outcome = Promise.withResolvers<Answer<T>>();
  /** Those under way: one, or two where it is hedged. */
  #tries: readonly Try[] = [];
  /** How often each model was tried. */
  #triesAt: Map<string, number> | undefined;
  /** Where it waits; undefined while it does not. */
  #queue: Desk | undefined;
  #queuedAt = 0;
  /** Where it was to go last. */
  #last: Desk;
  #timer: NodeJS.Timeout | undefined;

  constructor(wish: SlotWish, attempt: Attempt<T>, order: number, premises: Premises) {
    this.#wish = wish;
    this.#attempt = attempt;
    this.#at = premises;
    this.#chain = new Chain(wish, premises);
    this.#last = premises.desk(wish.model);
    this.tenant = wish.tenant;
    this.tokens = wish.tokens;
    this.dueAt = this.#chain.dueAt;
    this.order = order;
  }

  run(): Promise<Answer<T>> {
    const { signal } = this.#wish;
    signal.addEventListener("abort", this.#callOff, { once: true });
    if (signal.aborted) this.#callOff();
    else this.#seek();
    return this.#outcome.promise;
  }

  admit(place: Place): void {
    this.#queue = undefined;
    place.desk.tally.began(Math.max(0, place.since - this.#queuedAt));
    this.#open(place);
  }

  start(): void {
    const [first] = this.#tries;
    if (first === undefined) return; // it was called off by one that started before
    const { model, tally } = first.place.desk;
    const tries = (this.#triesAt?.get(model) ?? 0) + 1;
    this.#triesAt = (this.#triesAt ?? new Map<string, number>()).set(model, tries);
    if (tries > 1) tally.retries += 1;
    this.#wish.onWait(false);
    this.#send(first);
    if (first.stop !== undefined) this.#after(this.#hedgeAfterMs(model)!, () => this.#hedge());
  }

  reconsider(): void {
    const queue = this.#queue;
    if (queue === undefined || this.#chain.serves(queue)) return;
    const desk = this.#chain.choose();
    if (desk === queue) return;
    this.#leaveQueue();
    if (desk === undefined) this.#fail(this.#chain.refusal());
    else this.#enter(desk);
  }

  // ── Where to wait ───────────────────────────────────────────────────────────────────────────────

  #seek(failed?: { readonly failure: unknown }): void {
    const desk = this.#chain.choose();
    if (desk === undefined) return this.#fail(failed?.failure ?? this.#chain.refusal());
    if (failed === undefined) return this.#enter(desk);
    if (!this.#mayRetry(failed.failure, desk)) return;
    // What the failed try cost is counted now: what might be used before it may be too dear.
    const still = this.#chain.choose();
    if (still === undefined) this.#fail(failed.failure);
    else this.#enter(still);
  }

  #enter(desk: Desk): void {
    if (desk !== this.#last) this.#last.tally.fallbacks += 1;
    this.#last = desk;
    this.#queue = desk;
    this.#queuedAt = this.#at.now();
    this.#at.counter(desk.model).enter(this, desk);
    if (this.#queue === undefined) return;
    const isFirst = this.#triesAt === undefined;
    if (isFirst && desk.waiting.size > queueOf(this.#at.rules())) this.#refuse(desk);
    else this.#wish.onWait(true);
  }

  #refuse(desk: Desk): void {
    const waiting = desk.waiting.size - 1;
    const tenthMs = desk.tally.durationMs(Math.ceil(waiting / 10), this.#at.now());
    this.#fail(
      new SysError("EAGAIN", `${waiting} requests wait for ${desk.model}, and no more may`, {
        retryAfter: Math.ceil(Math.min(tenthMs ?? USUAL_AWAY_MS, LONGEST_AWAY_MS)),
      }),
    );
  }

  #leaveQueue(): void {
    const queue = this.#queue;
    if (queue === undefined) return;
    this.#queue = undefined;
    this.#at.counter(queue.model).leave(this, queue);
  }

  // ── Tries ───────────────────────────────────────────────────────────────────────────────────────

  /** A try that may have to be stopped beside another one has a signal of its own. */
  #open(place: Place): Try {
    const isHedged = this.#hedgeAfterMs(place.desk.model) !== undefined;
    const one = { place, stop: isHedged ? new AbortController() : undefined };
    this.#tries = [...this.#tries, one];
    return one;
  }

  /** Returns whether it was under way. */
  #close(one: Try): boolean {
    const others = this.#tries.filter((other) => other !== one);
    const isUnderWay = others.length < this.#tries.length;
    this.#tries = others;
    return isUnderWay;
  }

  #send(one: Try): void {
    const signal = one.stop?.signal ?? this.#wish.signal;
    // A driver that throws at once fails as one that does so later.
    const answer = (async () => this.#attempt(one.place.desk.model, signal))();
    answer
      .then(
        (result) => this.#answered(one, result),
        (failure: unknown) => this.#failed(one, failure),
      )
      .catch((mistake: unknown) => {
        one.place.leave(); // E6
        this.#fail(mistake);
      });
  }

  #hedgeAfterMs(model: string): number | undefined {
    return this.#wish.onHedge === undefined ? undefined : hedgeAfterMs(this.#at.rules(), model);
  }

  #hedge(): void {
    const [first] = this.#tries;
    if (first === undefined) return;
    const { desk } = first.place;
    const counter = this.#at.counter(desk.model);
    if (!counter.hasSpare(this, desk)) return;
    try {
      this.#wish.onHedge?.();
    } catch {
      return; // one try goes on
    }
    desk.tally.requests += 1;
    this.#send(this.#open(counter.take(this, desk)));
  }

  #answered(one: Try, result: T): void {
    const { place } = one;
    const { desk } = place;
    const tokens = tokensOf(result);
    const isLate = !this.#close(one);
    place.used(tokens);
    if (isLate) return;
    const now = this.#at.now();
    desk.tally.answered(Math.max(0, now - place.since), tokens, now);
    desk.breaker.answered(place.isProbe);
    const isAlone = this.#tries.length === 0;
    this.#end(isAlone ? undefined : new SysError("EINTR", "another try was answered first")); // E4
    this.#outcome.resolve({ model: desk.model, result });
    place.leave(tokens);
  }

  #failed(one: Try, failure: unknown): void {
    const { place } = one;
    const { desk } = place;
    const isLate = !this.#close(one);
    place.used(tokensLost(failure));
    if (isLate) return;
    const said = this.#at.scrub(messageOf(failure));
    const isKept = desk.failed(place.isProbe, failure, said, this.#at.rules(), this.#at.now());
    place.leave();
    if (isKept) for (const waiting of desk.waiting.all()) waiting.reconsider();
    if (this.#tries.length > 0) return; // E4
    clearTimeout(this.#timer);
    this.#goOn(desk, failure);
  }

  // ── After a failure ─────────────────────────────────────────────────────────────────────────────

  #goOn(desk: Desk, failure: unknown): void {
    const tries = this.#triesAt!.get(desk.model)!;
    if (!mayPass(failure) || tries > retriesOf(this.#at.rules(), desk.model)) {
      if (!isOfModel(failure)) return this.#fail(failure);
      this.#chain.useUp(desk.model);
      return this.#seek({ failure });
    }
    if (!this.#chain.serves(desk)) return this.#seek({ failure });
    if (!this.#mayRetry(failure, desk)) return;
    this.#after(restMs(tries, this.#at.platform), () => this.#seek()); // E2
  }

  /** E3. From here on it waits: what fails now has not cost that try again. */
  #mayRetry(failure: unknown, { model }: Desk): boolean {
    try {
      this.#wish.onRetry(failure, model);
    } catch (refusal) {
      this.#fail(refusal);
      return false;
    }
    this.#wish.onWait(true);
    return true;
  }

  #after(delayMs: number, then: () => void): void {
    const guarded = () => {
      try {
        then();
      } catch (mistake) {
        this.#fail(mistake); // E6
      }
    };
    this.#timer = setTimeout(guarded, delayMs);
    this.#timer.unref();
  }

  // ── Ends ────────────────────────────────────────────────────────────────────────────────────────

  /** E5. */
  #fail(failure: unknown): void {
    this.#end(undefined);
    this.#outcome.reject(asFailure(failure));
  }

  readonly #callOff = (): void => {
    const { reason } = this.#wish.signal as { reason: unknown };
    this.#outcome.reject(reason);
    this.#end(reason); // E1
  };

  /** Nothing of it is left waiting, or at a place. */
  #end(reason: unknown): void {
    this.#wish.signal.removeEventListener("abort", this.#callOff);
    clearTimeout(this.#timer);
    const under = this.#tries;
    this.#tries = [];
    this.#leaveQueue();
    for (const { place, stop } of under) {
      place.desk.breaker.calledOff(place.isProbe);
      place.leave();
      stop?.abort(reason);
    }
  }
}
