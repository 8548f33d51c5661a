// ModelQueue: the requests that wait for one model, its limits, and its statistics.
//
// ModelStatistics: calls, failures and durations of a model since the kernel started. Kept in memory, for people and
// for estimates of how long a queue takes; the journal is authoritative.

import type { SlotReport } from "@aos/protocol";
import type { SlotRules } from "../options.ts";
import { Breaker, Cooldown } from "./breaker.ts";
import { isRetryable } from "./failure-kind.ts";
import { FairQueue, type QueueEntry } from "./fair-queue.ts";
import { Occupancy } from "./occupancy.ts";
import { breakerOf, limitsOf, modelRule } from "./rules.ts";
import type { Shares } from "./shares.ts";
import type { SlotLease } from "./slot-lease.ts";

/** What a request is expected to use before any is known. */
const FIRST_GUESS = 1000;

/** A request as its scheduler sees it. */
export interface WaitingRequest extends QueueEntry {
  /** The most tokens that it can use. */
  readonly tokens: number;
  /** It holds a slot from now on. It starts once every request admitted in this round holds its own. */
  admit(place: SlotLease): void;
  start(): void;
  /** What it waits for may take too long for it now. */
  reconsider(): void;
}

export class ModelQueue {
  readonly model: string;
  readonly waiting: FairQueue<WaitingRequest>;
  readonly occupancy = new Occupancy();
  readonly breaker = new Breaker();
  /** The provider said when to come back. */
  readonly pause = new Cooldown();
  readonly tally = new ModelStatistics();

  constructor(model: string, shares: Shares) {
    this.model = model;
    this.waiting = new FairQueue(shares);
  }

  /** How long until a request may be sent; Infinity where it waits for another one to end. */
  waitMs(tokens: number, rules: SlotRules, now: number): number {
    const pauseMs = this.pause.leftMs(now);
    const limitMs = this.occupancy.waitMs(modelRule(rules, this.model), tokens, now);
    if (this.breaker.mayPass(now)) return Math.max(pauseMs, limitMs);
    return Math.max(pauseMs, limitMs, this.breaker.coolsInMs(now) || Infinity);
  }

  /** What a request will use, going by those before it. */
  expectedTokens(most: number): number {
    const usual = this.tally.usualTokens ?? FIRST_GUESS;
    return Math.max(1, most > 0 ? Math.min(most, usual) : usual);
  }

  /** What a failure says of the model. Returns whether waiting requests may have to use a fallback now. */
  failed(
    isProbe: boolean,
    failure: unknown,
    message: string,
    rules: SlotRules,
    now: number,
  ): boolean {
    this.tally.failed(message, now);
    const awayMs = isRetryable(failure) ? failure.retryAfter : undefined;
    if (awayMs !== undefined) this.pause.begin(awayMs, now);
    // Who says when to come back is not out of order.
    const isWell = !isRetryable(failure) || (failure.code === "ERATE" && awayMs !== undefined);
    if (isWell) this.breaker.answered(isProbe);
    const isOpen = !isWell && this.breaker.failed(isProbe, breakerOf(rules, this.model), now);
    return awayMs !== undefined || isOpen;
  }

  /** Nothing would be lost with it but its figures. */
  isIdle(now: number): boolean {
    return (
      this.waiting.size === 0 &&
      this.occupancy.running === 0 &&
      this.breaker.state(now) === "closed" &&
      this.pause.leftMs(now) === 0
    );
  }

  report(rules: SlotRules, now: number): SlotReport {
    const { requests, failures, retries, fallbacks, lastFailure } = this.tally;
    return {
      model: this.model,
      limits: limitsOf(rules, this.model),
      running: this.occupancy.running,
      queued: this.waiting.size,
      breaker: this.breaker.state(now),
      requests,
      failures,
      retries,
      fallbacks,
      ...this.tally.times(),
      lastFailure,
    };
  }
}

/** The last so many answers and waits are kept. */
const KEPT = 500;

/** How much the last answer weighs in what is usual. */
const NEWEST = 0.1;

class Ring {
  readonly #values: number[] = [];
  #count = 0;

  add(value: number): void {
    this.#values[this.#count % KEPT] = value;
    this.#count += 1;
  }

  get size(): number {
    return this.#values.length;
  }

  get oldest(): number | undefined {
    return this.#values[this.#count < KEPT ? 0 : this.#count % KEPT];
  }

  /** Of no values, null. */
  quantiles(): { p50: number | null; p95: number | null } {
    const sorted = this.#values.toSorted((one, other) => one - other);
    const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? null;
    return { p50: at(0.5), p95: at(0.95) };
  }
}

export class ModelStatistics {
  requests = 0;
  failures = 0;
  retries = 0;
  fallbacks = 0;
  lastFailure: { readonly at: number; readonly message: string } | null = null;
  readonly #answers = new Ring();
  readonly #waits = new Ring();
  readonly #ends = new Ring();
  #usualTokens: number | undefined;

  began(waitedMs: number): void {
    this.requests += 1;
    this.#waits.add(waitedMs);
  }

  answered(tookMs: number, tokens: number | undefined, now: number): void {
    this.#answers.add(tookMs);
    this.#ends.add(now);
    if (tokens === undefined) return;
    this.#usualTokens ??= tokens;
    this.#usualTokens += NEWEST * (tokens - this.#usualTokens);
  }

  failed(message: string, now: number): void {
    this.failures += 1;
    this.#ends.add(now);
    this.lastFailure = { at: now, message };
  }

  /** What a request uses, going by the last ones; undefined before the first. */
  get usualTokens(): number | undefined {
    return this.#usualTokens;
  }

  /** How long so many requests take, going by the last ones; undefined before there were some. */
  durationMs(requests: number, now: number): number | undefined {
    const { size, oldest } = this.#ends;
    if (oldest === undefined || now <= oldest) return undefined;
    return (requests * (now - oldest)) / size;
  }

  times() {
    const { p50, p95 } = this.#answers.quantiles();
    const waits = this.#waits.quantiles();
    return { p50Ms: p50, p95Ms: p95, waitP50Ms: waits.p50, waitP95Ms: waits.p95 };
  }
}
