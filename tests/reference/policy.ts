// Policy, the slow way: the rules of policy.yaml as docs/policy.md tells them, read again for every call.
// Only the conditions are evaluated by the library that the kernel uses too.
//
// What is not judged here is said by a reason, and counted by whoever asks.

import type { KernelOptions } from "@aos/kernel";
import { compileCondition, type Subject, ConditionView } from "@aos/kernel/parts";
import { coversName } from "./matching.ts";
import { ratedBy, type Effect, type Rated, type Said } from "./said.ts";
import { bySecurity, type SecurityText } from "./security.ts";
import {
  coveredBy,
  gives,
  isCovered,
  listOf,
  NotJudged,
  speaksOf,
  type Covered,
} from "./selectors.ts";

export type Source = NonNullable<KernelOptions["policy"]>[number];

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
const isNamed = (names: string | string[] | undefined, name: string): boolean =>
  names === undefined || listOf(names).some((one) => coversName(one, name));

/** Does its condition hold? One that cannot be evaluated never gives power. */
function holds({ when }: RuleText, effect: Effect, subject: Subject, tools: readonly string[]) {
  if (when === undefined) return true;
  const said = compileCondition(when, { tools: new Set(tools) }).test(new ConditionView(subject));
  return typeof said === "boolean" ? said : effect !== "allow";
}

function byRules({ layer, document }: Source, subject: Subject, tools: readonly string[]): Said {
  const { rules } = document as { rules: readonly RuleText[] };
  const said: Effect[] = [];
  const parts: Covered[] = [];
  const rates: Rated[] = [];
  for (const rule of rules) {
    if (rule.shadow !== undefined) continue;
    const effect = STRONGEST.find((one) => rule[one] !== undefined)!;
    if (!isNamed(rule.agents, subject.agent) || !isNamed(rule.tenants, subject.tenant)) continue;
    if (rule.after !== undefined && !isMarked(subject, layer, rule.id)) continue;
    const selectors = listOf(rule[effect]!);
    const part = effect === "allow" ? coveredBy(selectors, subject) : undefined;
    const isAbout =
      part === undefined ? selectors.some((one) => speaksOf(one, subject)) : gives(part, subject);
    if (!isAbout || !holds(rule, effect, subject, tools)) continue;
    if (part === undefined) said.push(effect);
    else parts.push(part);
    if (rule.rate !== undefined) rates.push(ratedBy(rule.rate, layer, rule.id, subject));
  }
  const strongest = STRONGEST.find((effect) => said.includes(effect));
  return { effect: strongest ?? (isCovered(parts, subject) ? "allow" : "deny"), rates };
}

/** A mark is a tag made of layer and rule. */
const isMarked = ({ label }: Subject, layer: string, id: string): boolean => {
  if (!/^[\w-]+$/.test(layer)) throw new NotJudged("a mark of a layer with a strange name");
  return label.tags?.includes(`${layer}.${id}`) === true;
};

/** The strongest word of all layers that the process is under; one that is not loaded denies. */
export function byPolicy(
  sources: readonly Source[],
  own: readonly string[],
  subject: Subject,
  tools: readonly string[],
): Said {
  const base = sources.filter(({ layer }) => !layer.startsWith("project:"));
  const bound = own.map((name) => sources.find(({ layer }) => layer === name));
  const said = [...base, ...bound].map((source): Said => {
    if (source === undefined) return { effect: "deny", rates: [] };
    if (source.format === "policy") return byRules(source, subject, tools);
    return bySecurity(source.layer, source.document as SecurityText, subject);
  });
  return {
    effect: STRONGEST.find((effect) => said.some((one) => one.effect === effect)) ?? "deny",
    rates: said.flatMap(({ rates }) => rates),
  };
}

const ABOUT_RESOURCES =
  /"(file|http|memory|secret|shell|browser|message|agent):|\b(paths|hosts|resources)\b/;

/** Could this rule deny something because of what it touches? `layer/id`, or that nothing of a layer allows it. */
export function mayDenyResources(sources: readonly Source[], rule: string): boolean {
  const source = sources.find(({ layer }) => rule.startsWith(`${layer}/`));
  if (source === undefined) return false;
  if (source.format !== "policy") return true;
  const id = rule.slice(source.layer.length + 1);
  const { rules } = source.document as { rules: readonly RuleText[] };
  const meant = rules.filter((one) => id.startsWith("(") || id.split(" ")[0] === one.id);
  return ABOUT_RESOURCES.test(JSON.stringify(meant));
}
