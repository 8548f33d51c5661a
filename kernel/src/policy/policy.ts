// Policy: the operator's word, above any capability.
//
// P1  Kill over deny over ask over allow; what no rule speaks of is denied.
// P2  A shadow rule changes nothing: it says what it would have done.
// P3  A rule that names what does not exist is an error when it is loaded, not a rule that never fits.
// P4  A set without rules does not exist: the kernel does not start with one.

import { isSyscallName, SysError } from "@aos/protocol";

/** What a rule is asked about. */
export interface Subject {
  readonly call: string;
  readonly agent: string;
  readonly tenant: string;
  readonly tool: string | undefined;
}

export interface Rule {
  readonly id: string;
  readonly effect: "allow" | "deny" | "ask" | "kill" | "shadow";
  /** System calls by name; all when absent. */
  readonly calls?: readonly string[];
  readonly agents?: readonly string[];
  readonly tools?: readonly string[];
}

export interface Verdict {
  readonly effect: "allow" | "deny" | "ask" | "kill";
  readonly rule: string;
}

const STRENGTH = { allow: 0, ask: 1, deny: 2, kill: 3 } as const;
const NO_SHADOWS: readonly string[] = [];
const NOTHING_SAID: Verdict = { effect: "deny", rule: "nothing allows it" };

/** What ships: capabilities decide, and nothing is taken away from what they grant. */
export const defaultRules: readonly Rule[] = [{ id: "capabilities-decide", effect: "allow" }];

export class Policy {
  readonly #rules: readonly { readonly rule: Rule; readonly verdict: Verdict }[];
  readonly #shadows: readonly Rule[];

  constructor(rules: readonly Rule[]) {
    if (rules.length === 0)
      throw new SysError("EINVAL", "the policy has no rules, and nothing runs without one");
    const ids = new Set<string>();
    for (const rule of rules) {
      if (ids.has(rule.id)) throw new SysError("EINVAL", `two policy rules are called ${rule.id}`);
      ids.add(rule.id);
      if (!Object.hasOwn(STRENGTH, rule.effect) && rule.effect !== "shadow")
        throw new SysError("EINVAL", `the policy rule ${rule.id} has no effect ${rule.effect}`);
      const unknown = rule.calls?.find((call) => !isSyscallName(call));
      if (unknown !== undefined)
        throw new SysError("EINVAL", `the policy rule ${rule.id}: no system call is ${unknown}`);
    }
    this.#rules = rules.flatMap((rule) =>
      rule.effect === "shadow" ? [] : [{ rule, verdict: { effect: rule.effect, rule: rule.id } }],
    );
    this.#shadows = rules.filter((rule) => rule.effect === "shadow");
  }

  decide(subject: Subject): Verdict {
    let strongest: Verdict | undefined;
    for (const { rule, verdict } of this.#rules) {
      if (!speaksOf(rule, subject)) continue;
      if (strongest === undefined || STRENGTH[verdict.effect] > STRENGTH[strongest.effect])
        strongest = verdict;
    }
    return strongest ?? NOTHING_SAID;
  }

  /** The shadow rules that speak of this, for the record. */
  shadows(subject: Subject): readonly string[] {
    if (this.#shadows.length === 0) return NO_SHADOWS;
    return this.#shadows.filter((rule) => speaksOf(rule, subject)).map((rule) => rule.id);
  }
}

function speaksOf(rule: Rule, subject: Subject): boolean {
  if (rule.calls !== undefined && !rule.calls.includes(subject.call)) return false;
  if (rule.agents !== undefined && !rule.agents.includes(subject.agent)) return false;
  if (
    rule.tools !== undefined &&
    (subject.tool === undefined || !rule.tools.includes(subject.tool))
  )
    return false;
  return true;
}
