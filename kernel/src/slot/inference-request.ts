// InferenceRequest: one request from its start to its answer: it waits, is tried, backs off, is retried, and
// falls back to another model.
//
// INFERENCE-REQUEST-1  A cancelled request leaves its queue or releases its slot at once, whatever the
//     driver does then.
// INFERENCE-REQUEST-2  A request that backs off holds no slot. It returns with its original deadline.
// INFERENCE-REQUEST-3  Before a retry the caller is told, and may end the request.
// INFERENCE-REQUEST-4  It is answered once. Of two tries at once the first answer counts, and the other
//     one is stopped.
// INFERENCE-REQUEST-5  What fails for good fails as it did last: ERATE stays ERATE.
// INFERENCE-REQUEST-6  An internal error fails the request and leaves no slot held.

import { SysError } from "@aos/protocol";
import type { Platform } from "../platform/clock.ts";
import { backoffMs } from "./backoff.ts";
import { FallbackChain, type QueueContext } from "./fallback-chain.ts";
import type { ProviderScheduler } from "./provider-scheduler.ts";
import type { ModelQueue, WaitingRequest } from "./model-queue.ts";
import { asFailure, isModelFault, isRetryable, failureMessage } from "./failure-kind.ts";
import { tokensLost, tokensOf, type SlotLease } from "./slot-lease.ts";
import { hedgeAfterMs, queueOf, retriesOf } from "./rules.ts";
import type { SlotResult, Attempt, SlotRequest } from "./slot-request.ts";

/** `retryAfter` of a full queue: without an estimate, and at most. */
const USUAL_AWAY_MS = 1000;
const LONGEST_AWAY_MS = 5 * 60_000;

/** What a request needs from the scheduler. */
export interface SlotContext extends QueueContext {
  readonly platform: Platform;
  scheduler(model: string): ProviderScheduler;
  scrub(text: string): string;
}

interface Try {
  readonly place: SlotLease;
  readonly stop: AbortController | undefined;
}

export class InferenceRequest<T> implements WaitingRequest {
  rank = -1;
  readonly tenant: string;
  readonly tokens: number;
  readonly dueAt: number;
  readonly order: number;
  readonly #request: SlotRequest;
  readonly #attempt: Attempt<T>;
  readonly #at: SlotContext;
  readonly #chain: FallbackChain;
  readonly #outcome = Promise.withResolvers<SlotResult<T>>();
  /** Those under way: one, or two where it is hedged. */
  #tries: readonly Try[] = [];
  /** How often each model was tried. */
  #triesAt: Map<string, number> | undefined;
  /** Where it waits; undefined while it does not. */
  #queue: ModelQueue | undefined;
  #queuedAt = 0;
  /** The model that it was sent to last. */
  #last: ModelQueue;
  #timer: NodeJS.Timeout | undefined;

  constructor(request: SlotRequest, attempt: Attempt<T>, order: number, context: SlotContext) {
    this.#request = request;
    this.#attempt = attempt;
    this.#at = context;
    this.#chain = new FallbackChain(request, context);
    this.#last = context.queue(request.model);
    this.tenant = request.tenant;
    this.tokens = request.tokens;
    this.dueAt = this.#chain.dueAt;
    this.order = order;
  }

  run(): Promise<SlotResult<T>> {
    const { signal } = this.#request;
    signal.addEventListener("abort", this.#callOff, { once: true });
    if (signal.aborted) this.#callOff();
    else this.#seek();
    return this.#outcome.promise;
  }

  admit(place: SlotLease): void {
    this.#queue = undefined;
    place.queue.tally.began(Math.max(0, place.since - this.#queuedAt));
    this.#open(place);
  }

  start(): void {
    const [first] = this.#tries;
    if (first === undefined) return; // it was called off by one that started before
    const { model, tally } = first.place.queue;
    const tries = (this.#triesAt?.get(model) ?? 0) + 1;
    this.#triesAt = (this.#triesAt ?? new Map<string, number>()).set(model, tries);
    if (tries > 1) tally.retries += 1;
    this.#request.onWait(false);
    this.#send(first);
    if (first.stop !== undefined) this.#after(this.#hedgeAfterMs(model)!, () => this.#hedge());
  }

  reconsider(): void {
    const queue = this.#queue;
    if (queue === undefined || this.#chain.serves(queue)) return;
    const next = this.#chain.choose();
    if (next === queue) return;
    this.#leaveQueue();
    if (next === undefined) this.#fail(this.#chain.refusal());
    else this.#enter(next);
  }

  // ── Where to wait ───────────────────────────────────────────────────────────────────────────────

  #seek(failed?: { readonly failure: unknown }): void {
    const queue = this.#chain.choose();
    if (queue === undefined) return this.#fail(failed?.failure ?? this.#chain.refusal());
    if (failed === undefined) return this.#enter(queue);
    if (!this.#mayRetry(failed.failure, queue)) return;
    // The cost of the failed attempt is counted first: the budget may not cover the next model.
    const still = this.#chain.choose();
    if (still === undefined) this.#fail(failed.failure);
    else this.#enter(still);
  }

  #enter(queue: ModelQueue): void {
    if (queue !== this.#last) this.#last.tally.fallbacks += 1;
    this.#last = queue;
    this.#queue = queue;
    this.#queuedAt = this.#at.now();
    this.#at.scheduler(queue.model).enter(this, queue);
    if (this.#queue === undefined) return;
    const isFirst = this.#triesAt === undefined;
    if (isFirst && queue.waiting.size > queueOf(this.#at.rules())) this.#refuse(queue);
    else this.#request.onWait(true);
  }

  #refuse(queue: ModelQueue): void {
    const waiting = queue.waiting.size - 1;
    const tenthMs = queue.tally.durationMs(Math.ceil(waiting / 10), this.#at.now());
    this.#fail(
      new SysError("EAGAIN", `the queue of ${queue.model} is full: ${waiting} requests wait`, {
        retryAfter: Math.ceil(Math.min(tenthMs ?? USUAL_AWAY_MS, LONGEST_AWAY_MS)),
      }),
    );
  }

  #leaveQueue(): void {
    const queue = this.#queue;
    if (queue === undefined) return;
    this.#queue = undefined;
    this.#at.scheduler(queue.model).leave(this, queue);
  }

  // ── Tries ───────────────────────────────────────────────────────────────────────────────────────

  /** A try that may have to be stopped beside another one has a signal of its own. */
  #open(place: SlotLease): Try {
    const isHedged = this.#hedgeAfterMs(place.queue.model) !== undefined;
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
    const signal = one.stop?.signal ?? this.#request.signal;
    // A driver that throws at once fails as one that does so later.
    const answer = (async () => this.#attempt(one.place.queue.model, signal))();
    answer
      .then(
        (result) => this.#answered(one, result),
        (failure: unknown) => this.#failed(one, failure),
      )
      .catch((mistake: unknown) => {
        one.place.leave(); // INFERENCE-REQUEST-6
        this.#fail(mistake);
      });
  }

  #hedgeAfterMs(model: string): number | undefined {
    return this.#request.onHedge === undefined ? undefined : hedgeAfterMs(this.#at.rules(), model);
  }

  #hedge(): void {
    const [first] = this.#tries;
    if (first === undefined) return;
    const { queue } = first.place;
    const scheduler = this.#at.scheduler(queue.model);
    if (!scheduler.hasSpare(this, queue)) return;
    try {
      this.#request.onHedge?.();
    } catch {
      return; // one try goes on
    }
    queue.tally.requests += 1;
    this.#send(this.#open(scheduler.take(this, queue)));
  }

  #answered(one: Try, result: T): void {
    const { place } = one;
    const { queue } = place;
    const tokens = tokensOf(result);
    const isLate = !this.#close(one);
    place.used(tokens);
    if (isLate) return;
    const now = this.#at.now();
    queue.tally.answered(Math.max(0, now - place.since), tokens, now);
    queue.breaker.answered(place.isProbe);
    const isAlone = this.#tries.length === 0;
    this.#end(isAlone ? undefined : new SysError("EINTR", "another attempt was answered first")); // INFERENCE-REQUEST-4
    this.#outcome.resolve({ model: queue.model, result });
    place.leave(tokens);
  }

  #failed(one: Try, failure: unknown): void {
    const { place } = one;
    const { queue } = place;
    const isLate = !this.#close(one);
    place.used(tokensLost(failure));
    if (isLate) return;
    const said = this.#at.scrub(failureMessage(failure));
    const isKept = queue.failed(place.isProbe, failure, said, this.#at.rules(), this.#at.now());
    place.leave();
    if (isKept) for (const waiting of queue.waiting.all()) waiting.reconsider();
    if (this.#tries.length > 0) return; // INFERENCE-REQUEST-4
    clearTimeout(this.#timer);
    this.#goOn(queue, failure);
  }

  // ── After a failure ─────────────────────────────────────────────────────────────────────────────

  #goOn(queue: ModelQueue, failure: unknown): void {
    const tries = this.#triesAt!.get(queue.model)!;
    if (!isRetryable(failure) || tries > retriesOf(this.#at.rules(), queue.model)) {
      if (!isModelFault(failure)) return this.#fail(failure);
      this.#chain.useUp(queue.model);
      return this.#seek({ failure });
    }
    if (!this.#chain.serves(queue)) return this.#seek({ failure });
    if (!this.#mayRetry(failure, queue)) return;
    this.#after(backoffMs(tries, this.#at.platform), () => this.#seek()); // INFERENCE-REQUEST-2
  }

  /** INFERENCE-REQUEST-3. From here on it waits: what fails now has not cost that try again. */
  #mayRetry(failure: unknown, { model }: ModelQueue): boolean {
    try {
      this.#request.onRetry(failure, model);
    } catch (refusal) {
      this.#fail(refusal);
      return false;
    }
    this.#request.onWait(true);
    return true;
  }

  #after(delayMs: number, then: () => void): void {
    const guarded = () => {
      try {
        then();
      } catch (mistake) {
        this.#fail(mistake); // INFERENCE-REQUEST-6
      }
    };
    this.#timer = setTimeout(guarded, delayMs);
    this.#timer.unref();
  }

  // ── Ends ────────────────────────────────────────────────────────────────────────────────────────

  /** INFERENCE-REQUEST-5. */
  #fail(failure: unknown): void {
    this.#end(undefined);
    this.#outcome.reject(asFailure(failure));
  }

  readonly #callOff = (): void => {
    const { reason } = this.#request.signal as { reason: unknown };
    this.#outcome.reject(reason);
    this.#end(reason); // INFERENCE-REQUEST-1
  };

  /** Nothing of it is left in a queue or in a slot. */
  #end(reason: unknown): void {
    this.#request.signal.removeEventListener("abort", this.#callOff);
    clearTimeout(this.#timer);
    const under = this.#tries;
    this.#tries = [];
    this.#leaveQueue();
    for (const { place, stop } of under) {
      place.queue.breaker.calledOff(place.isProbe);
      place.leave();
      stop?.abort(reason);
    }
  }
}
