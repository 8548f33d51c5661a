// Policy, the slow way: the rules of policy.yaml as docs/policy.md tells them, read again for every call.
// Only the conditions are evaluated by the library that the kernel uses too.
//
// What is not judged here is said by a reason, and counted by whoever asks.

import type { KernelOptions } from "@aos/kernel";
import { compileCondition } from "../../kernel/src/policy/conditions.ts";
import type { Subject } from "../../kernel/src/policy/subject.ts";
import { View } from "../../kernel/src/policy/view.ts";
import { covers, coversName } from "./matching.ts";
import { parseCapability } from "@aos/kernel";

export type Source = NonNullable<KernelOptions["policy"]>[number];
export type Effect = "allow" | "ask" | "deny" | "kill";

interface RuleText {
  readonly id: string;
  readonly allow?: string | string[];
  readonly deny?: string | string[];
  readonly ask?: string | string[];
  readonly kill?: string | string[];
  readonly shadow?: string;
  readonly agents?: string | string[];
  readonly tenants?: string | string[];
  readonly when?: string;
  readonly after?: unknown;
  readonly rate?: string;
}

const STRONGEST: readonly Effect[] = ["kill", "deny", "ask", "allow"];
const CALL = /^[a-z]+$/;

const listOf = (written: string | readonly string[]): string[] =>
  (typeof written === "string" ? written.split(/,\s+/) : [...written]).map((one) => one.trim());

/** Thrown for what this reference does not judge. */
export class NotJudged extends Error {}

function speaksOf(selector: string, subject: Subject): boolean {
  if (selector === "*" || selector === subject.call) return true;
  if (CALL.test(selector)) return false;
  const [word, rest] = [
    selector.slice(0, selector.indexOf(":")),
    selector.slice(selector.indexOf(":") + 1),
  ];
  if (word === "tool") return subject.tool !== undefined && coversName(rest, subject.tool);
  if (word === "model") return subject.model !== undefined && coversName(rest, subject.model);
  if (word === "sink") return subject.sinks.includes(rest as never);
  if (word === "effect") return subject.effect === rest;
  return subject.touches.some((touch) => {
    if (touch.kind !== word) return false;
    if (rest === "*" || rest === "**" || rest === "/**") return true;
    const { pattern, verbs } = resourceOf(selector);
    return verbs.includes(touch.verb) && covers(word, pattern, touch);
  });
}

/** Kind and pattern, with verbs or without. */
function resourceOf(selector: string): { pattern: string; verbs: readonly string[] } {
  for (const text of [selector, `${selector}:*`])
    try {
      const { pattern, verbs } = parseCapability(text);
      return { pattern: pattern.text, verbs };
    } catch {
      continue;
    }
  throw new NotJudged(`the selector ${selector}`);
}

const isNamed = (names: string | string[] | undefined, name: string): boolean =>
  names === undefined || listOf(names).some((one) => coversName(one, name));

/** Does its condition hold? One that cannot be evaluated never gives power. */
function holds({ when }: RuleText, effect: Effect, subject: Subject, tools: readonly string[]) {
  if (when === undefined) return true;
  if (/\b(time|spent|cost)\b/.test(when)) throw new NotJudged("a condition on time or money");
  const said = compileCondition(when, { tools: new Set(tools) }).test(new View(subject));
  return typeof said === "boolean" ? said : effect !== "allow";
}

function byLayer({ layer, document }: Source, subject: Subject, tools: readonly string[]): Effect {
  const { rules } = document as { rules: readonly RuleText[] };
  const said: Effect[] = [];
  for (const rule of rules) {
    if (rule.shadow !== undefined) continue;
    const effect = STRONGEST.find((one) => rule[one] !== undefined)!;
    if (!isNamed(rule.agents, subject.agent) || !isNamed(rule.tenants, subject.tenant)) continue;
    if (rule.after !== undefined && !isMarked(subject, layer, rule.id)) continue;
    const selectors = listOf(rule[effect]!);
    if (effect === "allow" && !selectors.every((one) => one === "*" || CALL.test(one)))
      throw new NotJudged("an allow rule for parts of a call");
    if (!selectors.some((one) => speaksOf(one, subject))) continue;
    if (!holds(rule, effect, subject, tools)) continue;
    if (rule.rate !== undefined) throw new NotJudged("a rule with a rate");
    said.push(effect);
  }
  return STRONGEST.find((effect) => said.includes(effect)) ?? "deny";
}

/** A mark is a tag made of layer and rule. */
const isMarked = ({ label }: Subject, layer: string, id: string): boolean => {
  if (!/^[\w-]+$/.test(layer)) throw new NotJudged("a mark of a layer with a strange name");
  return label.tags?.includes(`${layer}.${id}`) === true;
};

/** The strongest word of all layers. */
export function byPolicy(
  sources: readonly Source[],
  subject: Subject,
  tools: readonly string[],
): Effect {
  if (sources.some(({ format }) => format !== "policy")) throw new NotJudged("a security.md");
  const said = new Set(sources.map((source) => byLayer(source, subject, tools)));
  return STRONGEST.find((effect) => said.has(effect)) ?? "deny";
}
