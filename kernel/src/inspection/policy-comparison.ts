// Policy comparison: what another policy would have decided for recorded calls.
//
//   comparePolicies(oldPolicy, newPolicy, recordedSubjects)      counts, and every call whose verdict changes
//
// POLICY-BACKTEST-1  Both policies judge the same subjects in the same order, and each keeps its own rates and marks.
// POLICY-BACKTEST-2  Effects are compared. A person is assumed to approve.
//
// Marks of sequence rules are followed within a process, not between processes: for those, the recorded label counts
// for both policies.

import type { Label } from "@aos/protocol";
import type { Policy } from "../policy/engine.ts";
import { Rates } from "../policy/rates.ts";
import type { RuleEffect, Subject, Verdict } from "../policy/subject.ts";

export interface RecordedSubject {
  readonly subject: Subject;
  readonly layers: readonly string[];
  /** Those that would bind it under the new policy, where they are others. */
  readonly newLayers?: readonly string[];
  readonly at: { readonly pid: string; readonly seq: number };
}

export interface DecisionChange {
  readonly pid: string;
  readonly seq: number;
  readonly call: string;
  readonly tool: string | undefined;
  readonly from: RuleEffect;
  readonly to: RuleEffect;
  /** The rules that decided it, before and now. */
  readonly fromRule: string;
  readonly rule: string;
}

export interface BacktestResult {
  readonly calls: number;
  readonly same: number;
  /** By `allow → deny`. */
  readonly changed: Readonly<Record<string, number>>;
  readonly changes: readonly DecisionChange[];
}

export function comparePolicies(
  oldPolicy: Policy,
  newPolicy: Policy,
  subjects: Iterable<RecordedSubject>,
): BacktestResult {
  const comparer = new PolicyComparer(oldPolicy, newPolicy);
  for (const recorded of subjects) comparer.add(recorded);
  return comparer.result;
}

/** The same, one call after another, for histories too long to hold in memory. */
export class PolicyComparer {
  readonly #before: Run;
  readonly #now: Run;
  readonly #changed: Record<string, number> = {};
  readonly #changes: DecisionChange[] = [];
  #calls = 0;

  constructor(oldPolicy: Policy, newPolicy: Policy) {
    this.#before = new Run(oldPolicy);
    this.#now = new Run(newPolicy);
  }

  /** Returns the change, where there is one. */
  add(recorded: RecordedSubject): DecisionChange | undefined {
    this.#calls += 1;
    const was = this.#before.decide(recorded);
    const { newLayers = recorded.layers } = recorded;
    const is = this.#now.decide({ ...recorded, layers: newLayers });
    if (was.effect === is.effect) return undefined;
    const kind = `${was.effect} → ${is.effect}`;
    this.#changed[kind] = (this.#changed[kind] ?? 0) + 1;
    const { call, tool } = recorded.subject;
    const effects = { from: was.effect, to: is.effect, fromRule: ruleOf(was), rule: ruleOf(is) };
    const change = { ...recorded.at, call, tool, ...effects };
    this.#changes.push(change);
    return change;
  }

  get result(): BacktestResult {
    const [calls, changes] = [this.#calls, this.#changes];
    return { calls, same: calls - changes.length, changed: this.#changed, changes };
  }
}

const ruleOf = (verdict: Verdict): string => verdict.ask?.rule ?? verdict.rule;

/** One policy on its way through the record. */
class Run {
  readonly #policy: Policy;
  readonly #marks = new Map<string, Set<string>>();

  constructor(policy: Policy) {
    this.#policy = policy.withRates(new Rates());
  }

  decide({ subject, layers, at }: RecordedSubject): Verdict {
    const marks = this.#marks.get(at.pid) ?? new Set<string>();
    this.#marks.set(at.pid, marks);
    const label = marked(subject.label, marks);
    const verdict = this.#policy.decide({ ...subject, label }, layers);
    // A verdict that lets nothing pass has no rates and no marks.
    this.#policy.rates.charge(verdict.rates, subject.atMs);
    for (const tag of verdict.tags) marks.add(tag);
    return verdict;
  }
}

const marked = (label: Label, marks: ReadonlySet<string>): Label => ({
  ...label,
  tags: [...new Set([...(label.tags ?? []), ...marks])].toSorted(),
});
