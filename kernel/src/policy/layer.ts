// Layer: the rules of one text (the kernel's, the organisation's, a project's), and how they judge.
//
// LAYER-1  Kill over deny over ask over allow, in any order; without a matching rule, deny.
// LAYER-2  A condition that cannot be evaluated never gives power: an allow rule then does not apply, every other
//     rule does, and the verdict says so.
// LAYER-3  A shadow rule changes nothing.
// LAYER-4  A violation is a denial in policy.yaml, ends the process in security.md's strict mode, and is a note in
//     its permissive and audit modes.
// LAYER-5  Only rules that can match a class of calls are evaluated (candidates); they are found once per class.

import type { Json, SignalName } from "@aos/protocol";
import { matches, type Pattern } from "../capability/pattern.ts";
import type { ConditionFailure } from "./condition.ts";
import { LayerCoverage } from "./coverage.ts";
import type { PolicyDecision } from "./policy-decision.ts";
import { ratePrefix, rateUse } from "./rates.ts";
import type { AfterCondition, Rule, SourceLabel } from "./rule.ts";
import { couldCoverName, type Selector, speaksOf, type TouchedResource } from "./selectors.ts";
import { isPlainAllow, kindsOf, type CallClass } from "./verdict-cache.ts";
import { STRENGTH, type Subject } from "./subject.ts";
import { isWriting } from "./writing.ts";

/** What becomes of a violation. `enforce` is for policy.yaml, the others are security.md's. */
export type Mode = "enforce" | "strict" | "permissive" | "audit";

export interface LayerText {
  readonly name: string;
  /** The file it was read from, for people. */
  readonly origin: string;
  readonly mode: Mode;
  readonly rules: readonly Rule[];
  readonly labels: readonly SourceLabel[];
  /** Undefined: all of them. */
  readonly signals: ReadonlySet<SignalName> | undefined;
  /** Calls that need no rule to be allowed. */
  readonly isFree: (subject: Subject) => boolean;
}

/** A rule that could speak of a sort of call. */
interface Candidate {
  readonly rule: Rule;
  /** Those of its selectors that could. */
  readonly selectors: readonly Selector[];
  /** One of them does, whatever else there is to such a call. */
  readonly isSure: boolean;
}

interface Candidates {
  readonly rules: readonly Candidate[];
  /** What such a call may arm. */
  readonly arming: readonly AfterCondition[];
  /** Of every call of this sort the layer says the same (verdict-cache.ts). */
  readonly isSettled: boolean;
}

const NOTHING_TOUCHED: readonly TouchedResource[] = [];

/** Sorts of calls that are remembered; more than that start again. */
const MAX_SORTS = 512;

export class Layer {
  readonly #text: LayerText;
  readonly #candidates = new Map<string, Candidates>();

  constructor(text: LayerText) {
    if (text.rules.length === 0) throw new Error(`the policy ${text.name} has no rules`);
    this.#text = text;
  }

  get name(): string {
    return this.#text.name;
  }

  get labels(): readonly SourceLabel[] {
    return this.#text.labels;
  }

  /** Sorts of calls that are remembered now. */
  get sorts(): number {
    return this.#candidates.size;
  }

  /** LAYER-4. */
  allowsSignal(signal: string): boolean {
    const { signals, mode } = this.#text;
    if (mode === "permissive" || mode === "audit") return true;
    return signals?.has(signal as SignalName) ?? true;
  }

  speaksOf(kind: string): boolean {
    return this.#text.rules.some(({ selectors, when }) =>
      selectors.some(
        (selector) =>
          (selector.by === "resource" && selector.kind === kind) ||
          (selector.by === "all" && when !== undefined),
      ),
    );
  }

  judge(decision: PolicyDecision): void {
    const { subject } = decision;
    const { rules, arming, isSettled } = this.#candidatesFor(subject);
    decision.isSettled &&= isSettled;
    const trial = new Trial(this.#text, decision);
    for (const candidate of rules) trial.hear(candidate);
    if (subject.call === "signal") trial.hearSignal();
    trial.close();
    for (const after of arming) if (isArmedBy(after, decision)) decision.mark(after.tag);
  }

  describe(): Json {
    const { name, origin, mode, rules, labels, signals } = this.#text;
    const gives = rules.some(
      ({ effect, isShadow }) => !isShadow && STRENGTH[effect] < STRENGTH.deny,
    );
    return {
      name,
      origin,
      mode,
      rules: rules.map(({ id, effect, isShadow, after, written }) => ({
        id,
        effect: isShadow ? `shadow ${effect}` : effect,
        ...(after === undefined ? {} : { tag: after.tag }),
        written,
      })),
      labels: labels.map(({ written }) => written),
      ...(signals === undefined ? {} : { signals: [...signals] }),
      ...(gives ? {} : { warning: "no rule of this layer allows anything" }),
    };
  }

  #candidatesFor(subject: CallClass): Candidates {
    // The tool's name is last: whatever it holds, no two sorts are written the same.
    const { call, tool = "", effect, sinks, touches } = subject;
    const sort = `${call} ${effect} ${sinks.join()} ${kindsOf(touches)} ${tool}`;
    const known = this.#candidates.get(sort);
    if (known !== undefined) return known;
    const rules = this.#text.rules
      .map((rule) => candidateOf(rule, subject))
      .filter(({ selectors }) => selectors.length > 0);
    const arming = this.#text.rules
      .flatMap(({ after }) => after ?? [])
      .filter(({ selectors }) => selectors.some((one) => couldSpeakOf(one, subject)));
    const isSettled =
      this.#text.mode === "enforce" &&
      call !== "signal" &&
      arming.length === 0 &&
      rules.every(isSettledBy);
    const found: Candidates = { rules, arming, isSettled };
    if (this.#candidates.size >= MAX_SORTS) this.#candidates.clear();
    this.#candidates.set(sort, found);
    return found;
  }
}

/** What it selects by is the same for all calls of a sort: no resource, model or edge of a pipe. */
const isOfSort = ({ by }: Selector): boolean => !["resource", "model", "pipe"].includes(by);

/** For all calls of the same sort: only the resource, the model and the edge may still say no. */
function couldSpeakOf(selector: Selector, subject: CallClass): boolean {
  if (selector.by === "model" || selector.by === "pipe") return true;
  if (selector.by !== "resource") return speaksOf(selector, subject, NOTHING_TOUCHED);
  return subject.touches.some(({ kind }) => kind === selector.kind);
}

/** What decides other selectors than these is all in the sort of a call. */
function candidateOf(rule: Rule, subject: CallClass): Candidate {
  const selectors = rule.selectors.filter((one) => couldSpeakOf(one, subject));
  const isSure = selectors.some(isOfSort);
  return { rule, selectors, isSure };
}

/** VERDICT-CACHE-1. Nothing that it looks at differs between two calls of one sort. */
const isSettledBy = ({ rule, selectors }: Candidate): boolean =>
  isPlainAllow(rule) && selectors.every(isOfSort);

/** A mark is put on whoever does it: whom the rule is for is asked when it applies. */
function isArmedBy({ selectors, when }: AfterCondition, decision: PolicyDecision): boolean {
  const { subject, touched } = decision;
  if (!selectors.some((one) => speaksOf(one, subject, touched))) return false;
  return when?.test(decision.view) !== false;
}

/** One layer's part of a hearing. */
class Trial {
  readonly #text: LayerText;
  readonly #decision: PolicyDecision;
  readonly #coverage: LayerCoverage;
  #isAsked = false;
  #isNoted = false;
  /** The first rule that allows it, and what failed of those that might have. */
  #allowedBy: string | undefined;
  #failed = "";

  constructor(text: LayerText, decision: PolicyDecision) {
    this.#text = text;
    this.#decision = decision;
    this.#coverage = new LayerCoverage(decision.subject, decision.touched);
  }

  hear({ rule, selectors, isSure }: Candidate): void {
    const { subject, touched } = this.#decision;
    if (!isFor(rule, subject)) return;
    if (rule.after !== undefined && !subject.label.tags?.includes(rule.after.tag)) return;
    if (!isSure && !selectors.some((selector) => speaksOf(selector, subject, touched))) return;
    if (rule.ofWrites !== undefined && rule.ofWrites !== isWriting(subject)) return;
    const holds = rule.when === undefined ? true : rule.when.test(this.#decision.view);
    if (holds === false) return;
    const name = `${this.#text.name}/${rule.id}`;
    const failed = holds === true ? "" : ` (its condition failed: ${holds.failed})`;

    if (rule.isShadow) return this.#decision.shadow(`${name} would ${rule.effect}${failed}`);
    if (rule.effect === "allow") return this.#allow(rule, name, holds);
    if (rule.effect === "ask") return this.#ask(rule, name, failed);
    this.#violate(rule.effect, name + failed, { say: rule.say?.(subject, name) });
  }

  /** What security.md's list of signals says. */
  hearSignal(): void {
    const signal = (this.#decision.subject.args as { readonly signal?: unknown } | null)?.signal;
    const { signals, name } = this.#text;
    if (signals === undefined || signals.has(signal as SignalName)) return;
    this.#violate("deny", `${name}/signals`);
  }

  /** What is left when every rule was heard. Where one took power away, this adds nothing (POLICY-DECISION-1). */
  close(): void {
    const { name, mode, isFree } = this.#text;
    // policy.yaml: to ask is to allow what a person allows. security.md: an approval is one condition
    // of an action that is allowed, and the rest of the call has to be allowed as well.
    if (this.#isAsked && mode === "enforce") return;
    const isAllowed = this.#coverage.isComplete || isFree(this.#decision.subject);
    if (!isAllowed && !this.#isNoted)
      this.#violate("deny", `${name}/(nothing allows it${this.#failed})`);
    this.#decision.find("allow", this.#allowedBy ?? `${name}/(no action)`);
  }

  #allow(rule: Rule, name: string, holds: true | ConditionFailure): void {
    if (holds !== true) {
      this.#failed += `; the condition of ${rule.id} failed: ${holds.failed}`;
      return;
    }
    if (!this.#coverage.add(rule.selectors)) return;
    this.#allowedBy ??= name;
    this.#oblige(rule, name);
  }

  #ask(rule: Rule, name: string, failed: string): void {
    if (rule.question === undefined) throw new Error(`${name} asks nothing`);
    this.#oblige(rule, name);
    if (this.#text.mode === "audit") return this.#decision.note(`${name} would ask${failed}`);
    this.#isAsked = true;
    this.#decision.ask(name + failed, rule.question);
    this.#decision.find("ask", name + failed, { say: rule.say?.(this.#decision.subject, name) });
  }

  /** What goes with a call that a rule lets pass: limits, a rate, a line in the record. */
  #oblige(rule: Rule, name: string): void {
    const { subject, rates } = this.#decision;
    if (rule.log) this.#decision.log(`${name} was used`);
    const breach = rule.breach?.(subject);
    if (breach !== undefined) this.#violate("deny", `${name} (${breach})`);
    if (this.#text.mode !== "audit")
      this.#decision.oblige(rule.timeoutMs, rule.maxBytes, rule.dryRun);
    if (rule.rate === undefined || subject.isBegun === true) return;
    const prefix = ratePrefix(this.#text.name, rule.id);
    const use = rateUse(prefix, rule.rate, subject.tenant, subject.agent);
    if (rates.left(use, subject.atMs) >= 1) return this.#decision.use(use);
    const retryAfterMs = rates.waitMs(use, subject.atMs);
    this.#violate("deny", `${name} (its rate is used up)`, { retryAfterMs });
  }

  #violate(
    effect: "deny" | "kill",
    rule: string,
    more: { readonly say?: string | undefined; readonly retryAfterMs?: number | undefined } = {},
  ): void {
    const { mode } = this.#text;
    if (mode === "permissive" || mode === "audit") {
      this.#isNoted = true;
      return this.#decision.note(`${rule} would ${effect}`);
    }
    this.#decision.find(mode === "strict" ? "kill" : effect, rule, more);
  }
}

function isFor(rule: Rule, { agent, tenant }: Subject): boolean {
  const fits = rule.effect === "allow" ? matches : couldCoverName;
  return isOneOf(rule.agents, agent, fits) && isOneOf(rule.tenants, tenant, fits);
}

const isOneOf = (
  patterns: readonly Pattern[] | undefined,
  name: string,
  fits: (pattern: Pattern, name: string) => boolean,
): boolean => patterns === undefined || patterns.some((pattern) => fits(pattern, name));
