// Rule: one compiled rule of a policy. Both formats (policy.yaml and security.md) become these.
//
// RULE-1  Everything in a rule is enforced or was refused when loaded: every field is read in layer.ts, and every key
//     of the two formats ends up in a field.

import type { Json, Label } from "@aos/protocol";
import type { Pattern } from "../capability/pattern.ts";
import type { Rate } from "../capability/units.ts";
import type { Condition } from "./condition.ts";
import type { Selector } from "./selectors.ts";
import type { RuleEffect, Subject } from "./subject.ts";

export interface RuleQuestion {
  readonly channel: string | undefined;
  readonly quorum: number;
  readonly expiresMs: number | undefined;
  readonly everyTime: boolean;
}

/** What arms a sequence rule, and the mark by which it is known to be armed. */
export interface AfterCondition {
  readonly tag: string;
  readonly selectors: readonly Selector[];
  readonly when: Condition | undefined;
}

export interface Rule {
  readonly id: string;
  readonly effect: RuleEffect;
  /** It changes nothing, and says what it would have done. */
  readonly isShadow: boolean;
  readonly selectors: readonly Selector[];
  /** Undefined: all of them. */
  readonly agents: readonly Pattern[] | undefined;
  readonly tenants: readonly Pattern[] | undefined;
  /** It speaks only of calls that write, or only of those that do not. */
  readonly ofWrites: boolean | undefined;
  readonly when: Condition | undefined;
  readonly after: AfterCondition | undefined;
  readonly say: RuleMessage | undefined;
  readonly question: RuleQuestion | undefined;
  readonly rate: Rate | undefined;
  readonly timeoutMs: number | undefined;
  readonly maxBytes: number | undefined;
  readonly dryRun: boolean;
  readonly log: boolean;
  /** What an allowed call must keep to besides: why it does not, or undefined. */
  readonly breach: ((subject: Subject) => string | undefined) | undefined;
  /** As it was written, for people. */
  readonly written: Json;
}

/** A rule with nothing but an effect and selectors. */
export const PLAIN = {
  isShadow: false,
  agents: undefined,
  tenants: undefined,
  ofWrites: undefined,
  when: undefined,
  after: undefined,
  say: undefined,
  question: undefined,
  rate: undefined,
  timeoutMs: undefined,
  maxBytes: undefined,
  dryRun: false,
  log: false,
  breach: undefined,
} as const satisfies Partial<Rule>;

export interface SourceLabel {
  readonly selectors: readonly Selector[];
  readonly label: Label;
  readonly written: Json;
}

export type RuleMessage = (subject: Subject, rule: string) => string;

/** A mark for the rule's layer and id, which no other rule has, in the letters of a label's tags. */
export const ruleTag = (layer: string, id: string): string => `${escaped(layer)}.${id}`;

/** Letters, digits and `-` stay; all else becomes its number, so that no two names meet. */
const escaped = (layer: string): string =>
  layer.replace(/[^A-Za-z0-9-]/gu, (one) => `_${one.codePointAt(0)!.toString(16)}_`);
