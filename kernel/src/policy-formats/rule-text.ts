// From a rule of policy.yaml to a Rule, with every problem at its place.
//
// RULE-TEXT-1  A rule has exactly one effect, and no key that its effect has no use for.

import type { Json } from "@aos/protocol";
import { CapabilityError } from "../capability/error.ts";
import { compile, type Pattern } from "../capability/pattern.ts";
import { readDuration, readRate, readSize } from "../capability/units.ts";
import { readLabel } from "../label/label.ts";
import type { Condition } from "../policy/condition.ts";
import { compileCondition } from "./conditions.ts";
import type { PolicyFile, RuleText } from "./policy-file.ts";
import { type DocumentPath, PolicyError } from "../policy/problem.ts";
import { PLAIN, type Rule, type SourceLabel, ruleTag } from "../policy/rule.ts";
import type { KnownNames, Selector } from "../policy/selectors.ts";
import { nearestHint, type ProblemList } from "./problem-list.ts";
import { readRuleMessage } from "./rule-message.ts";
import { checkAgents, readSelector, splitSelectors } from "./selector-text.ts";

/** setTimeout takes no longer delay. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

const EFFECTS = ["allow", "deny", "ask", "kill", "shadow"] as const;

/** Keys that only some effects have a use for. */
const ONLY_FOR: readonly (readonly [keyof RuleText, readonly (typeof EFFECTS)[number][]])[] = [
  ["of", ["shadow"]],
  ["channel", ["ask"]],
  ["quorum", ["ask"]],
  ["expires", ["ask"]],
  ["everyTime", ["ask"]],
  ["rate", ["allow", "ask"]],
  ["constraints", ["allow", "ask"]],
  ["say", ["deny", "ask", "kill"]],
  // What was read before must not give power: a mark comes with anything that is read.
  ["after", ["deny", "ask", "kill", "shadow"]],
];

export class RuleReader {
  readonly #layer: string;
  readonly #known: KnownNames;
  readonly #problems: ProblemList;

  constructor(layer: string, known: KnownNames, problems: ProblemList) {
    this.#layer = layer;
    this.#known = known;
    this.#problems = problems;
  }

  rules(file: PolicyFile): readonly Rule[] {
    const ids = new Set<string>();
    return file.rules.flatMap((text, i) => {
      if (ids.has(text.id))
        this.#problems.at(["rules", i, "id"], `two rules are called ${text.id}`);
      ids.add(text.id);
      return this.#rule(text, ["rules", i]) ?? [];
    });
  }

  labels(file: PolicyFile): readonly SourceLabel[] {
    return (file.labels ?? []).flatMap((written, i) => {
      const { of, label } = written;
      const path = ["labels", i];
      const selectors = this.selectors(of, [...path, "of"]);
      if (!selectors.every(({ by }) => by === "tool" || by === "resource"))
        this.#problems.at([...path, "of"], "a source is a tool or a resource, like file:/work/**");
      const read = this.#problems.try([...path, "label"], () => readLabelText(label));
      return read === undefined ? [] : [{ selectors, label: read, written }];
    });
  }

  selectors(written: string | readonly string[], path: DocumentPath): readonly Selector[] {
    return splitSelectors(written).flatMap((text, i) => {
      const at = typeof written === "string" ? path : [...path, i];
      return this.#problems.try(at, () => readSelector(text, this.#known)) ?? [];
    });
  }

  #rule(text: RuleText, path: DocumentPath): Rule | undefined {
    const named = EFFECTS.filter((effect) => text[effect] !== undefined);
    const [effect] = named;
    if (effect === undefined || named.length > 1) {
      const found = effect === undefined ? "none" : named.join(" and ");
      this.#problems.at(path, `a rule has one of ${EFFECTS.join(", ")}; ${text.id} has ${found}`);
      return undefined;
    }
    for (const [key, effects] of ONLY_FOR) {
      if (text[key] !== undefined && !effects.includes(effect))
        this.#problems.at(
          [...path, key],
          `"${key}" needs the effect ${effects.join(" or ")}, not ${effect}`,
        );
    }
    if (effect === "shadow" && text.of === undefined)
      this.#problems.at(path, 'a shadow rule needs "of"');

    const subjectKey = effect === "shadow" ? "of" : effect;
    return {
      ...PLAIN,
      id: text.id,
      effect: text.shadow ?? (effect as Rule["effect"]),
      isShadow: effect === "shadow",
      selectors: this.selectors(text[subjectKey] ?? [], [...path, subjectKey]),
      agents: this.#names(text.agents, [...path, "agents"], this.#known.agents),
      tenants: this.#names(text.tenants, [...path, "tenants"]),
      when: this.#condition(text.when, [...path, "when"]),
      after: this.#after(text, [...path, "after"]),
      say: this.#optional(text.say, [...path, "say"], readRuleMessage),
      question: effect === "ask" ? this.#question(text, path) : undefined,
      rate: this.#optional(text.rate, [...path, "rate"], readRate),
      ...this.#obligations(text, [...path, "constraints"]),
      written: text as unknown as Json,
    };
  }

  #question(text: RuleText, path: DocumentPath): Rule["question"] {
    const { channels } = this.#known;
    if (text.channel !== undefined && !channels.has(text.channel)) {
      const hint = nearestHint(text.channel, channels);
      this.#problems.at([...path, "channel"], `unknown channel "${text.channel}"${hint}`);
    }
    return {
      channel: text.channel,
      quorum: text.quorum ?? 1,
      expiresMs: this.#optional(text.expires, [...path, "expires"], readDuration),
      everyTime: text.everyTime === true,
    };
  }

  #after({ id, after }: RuleText, path: DocumentPath): Rule["after"] {
    if (after === undefined) return undefined;
    const tag = ruleTag(this.#layer, id);
    if (typeof after === "string" || Array.isArray(after))
      return { tag, selectors: this.selectors(after, path), when: undefined };
    return {
      tag,
      selectors: this.selectors(after.match, [...path, "match"]),
      when: this.#condition(after.when, [...path, "when"]),
    };
  }

  #obligations({ constraints }: RuleText, path: DocumentPath): Partial<Rule> {
    return {
      timeoutMs: this.#optional(constraints?.timeout, [...path, "timeout"], readTimeout),
      maxBytes: this.#optional(constraints?.maxBytes, [...path, "maxBytes"], (bytes) =>
        readSize(String(bytes)),
      ),
      dryRun: constraints?.dryRun === true,
      log: constraints?.log === true,
    };
  }

  #condition(text: string | undefined, path: DocumentPath): Condition | undefined {
    return this.#optional(text, path, (written) => compileCondition(written, this.#known));
  }

  #names(
    written: readonly string[] | undefined,
    path: DocumentPath,
    isAgent?: KnownNames["agents"],
  ): Rule["agents"] {
    return written?.flatMap((text, i): Pattern[] => {
      const pattern = this.#optional(text, [...path, i], (one) => compile("agent", one));
      if (pattern === undefined) return [];
      this.#problems.try([...path, i], () => checkAgents(pattern, isAgent));
      return [pattern];
    });
  }

  #optional<T, R>(value: T | undefined, path: DocumentPath, read: (value: T) => R): R | undefined {
    return value === undefined ? undefined : this.#problems.try(path, () => read(value));
  }
}

export function readTimeout(text: string): number {
  const ms = readDuration(text);
  if (ms > LONGEST_TIMEOUT_MS) throw new CapabilityError("longer than 24 days", text, 0);
  return ms;
}

function readLabelText(text: string): SourceLabel["label"] {
  try {
    return readLabel(text);
  } catch {
    throw new PolicyError([], `"${text}" is not a label; write one like untrusted/confidential`);
  }
}
