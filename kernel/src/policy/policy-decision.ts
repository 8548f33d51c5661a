// PolicyDecision: one decision in progress. Every layer adds its verdict; the strongest counts.
//
// POLICY-DECISION-1  Kill over deny over ask over allow: a layer can only restrict what the others allow.
// POLICY-DECISION-2  A verdict that refuses has no obligations, rates or marks.

import type { Rates } from "./rates.ts";
import type { RuleQuestion } from "./rule.ts";
import { touchedBy, type TouchedResource } from "./selectors.ts";
import {
  STRENGTH,
  type ApprovalDemand,
  type RuleEffect,
  type RateUse,
  type Subject,
  type Verdict,
} from "./subject.ts";
import { ConditionView } from "./condition-view.ts";

const NONE: readonly never[] = [];

interface Finding {
  readonly effect: RuleEffect;
  readonly rule: string;
  readonly say: string | undefined;
  readonly retryAfterMs: number | undefined;
}

interface AskedRule extends RuleQuestion {
  readonly rule: string;
}

export class PolicyDecision {
  readonly subject: Subject;
  readonly rates: Rates;
  readonly touched: readonly TouchedResource[];
  /** So far every layer says the same of all calls of this sort (verdict-cache.ts). */
  isSettled = true;
  #view: ConditionView | undefined;
  #strongest: Finding | undefined;
  readonly #asks: AskedRule[] = [];
  #shadows: string[] | undefined;
  #notes: string[] | undefined;
  #logs: string[] | undefined;
  #tags: Set<string> | undefined;
  #uses: RateUse[] | undefined;
  #timeoutMs: number | undefined;
  #maxBytes: number | undefined;
  #dryRun = false;

  constructor(subject: Subject, rates: Rates) {
    this.subject = subject;
    this.rates = rates;
    this.touched = touchedBy(subject.touches);
  }

  /** Built when the first condition asks. */
  get view(): ConditionView {
    return (this.#view ??= new ConditionView(this.subject));
  }

  find(
    effect: RuleEffect,
    rule: string,
    more: { readonly say?: string | undefined; readonly retryAfterMs?: number | undefined } = {},
  ): void {
    const strongest = this.#strongest;
    if (strongest !== undefined && STRENGTH[effect] <= STRENGTH[strongest.effect]) return;
    this.#strongest = { effect, rule, say: more.say, retryAfterMs: more.retryAfterMs };
  }

  ask(rule: string, question: RuleQuestion): void {
    this.#asks.push({ rule, ...question });
  }

  shadow(text: string): void {
    (this.#shadows ??= []).push(text);
  }

  note(text: string): void {
    (this.#notes ??= []).push(text);
  }

  /** A note that is only true when the call passes. */
  log(text: string): void {
    (this.#logs ??= []).push(text);
  }

  mark(tag: string): void {
    (this.#tags ??= new Set()).add(tag);
  }

  use(rate: RateUse): void {
    (this.#uses ??= []).push(rate);
  }

  oblige(timeoutMs: number | undefined, maxBytes: number | undefined, dryRun: boolean): void {
    this.#timeoutMs = least(this.#timeoutMs, timeoutMs);
    this.#maxBytes = least(this.#maxBytes, maxBytes);
    this.#dryRun ||= dryRun;
  }

  verdict(): Verdict {
    const found = this.#strongest;
    if (found === undefined) throw new Error("no layer was asked");
    const passes = found.effect === "allow" || found.effect === "ask";
    return {
      effect: found.effect,
      rule: found.rule,
      say: found.say,
      ask: found.effect === "ask" ? together(this.#asks) : undefined,
      shadows: this.#shadows ?? NONE,
      notes:
        passes && this.#logs !== undefined
          ? [...(this.#notes ?? NONE), ...this.#logs]
          : (this.#notes ?? NONE),
      tags: passes && this.#tags !== undefined ? [...this.#tags].toSorted() : NONE,
      timeoutMs: passes ? this.#timeoutMs : undefined,
      maxBytes: passes ? this.#maxBytes : undefined,
      dryRun: passes && this.#dryRun,
      rates: passes ? (this.#uses ?? NONE) : NONE,
      retryAfterMs: found.retryAfterMs,
    };
  }
}

/** Several rules that ask are one question that satisfies each of them. */
function together(asks: readonly AskedRule[]): ApprovalDemand {
  const channels = new Set(asks.flatMap(({ channel }) => channel ?? []));
  return {
    rule: asks.map(({ rule }) => rule).join(", "),
    channels: [...channels].toSorted(),
    quorum: Math.max(1, ...asks.map(({ quorum }) => quorum)),
    expiresMs: asks.reduce<number | undefined>(
      (ms, { expiresMs }) => least(ms, expiresMs),
      undefined,
    ),
    everyTime: asks.some(({ everyTime }) => everyTime),
  };
}

const least = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b);
