// VerdictCache: the sorts of calls that a set of layers allows whatever else there is to such a call,
// and the verdict that all of them get. Found by judging the first of them in full; then only looked up.
//
// What a verdict can depend on, and why it is the same for every call of a settled sort:
//
//   the rules             a set never changes; another takes its place whole, with an empty list of these
//   the layers            each list of names has its own sorts
//   call, tool, effect, sinks, kinds of resources     they are the sort
//   everything else (label, marks, arguments, resource, model, edge, agent, tenant, time, cost, pins, rates, what is
//   begun)                only a rule that is not plain, or selects by resource, model or edge, looks at it
//
// VERDICT-CACHE-1  A sort is settled only where every rule of every layer that could speak of it is a plain
//     allow: without condition, rate, obligation, mark, shadow, agents, tenants or any other field that
//     this file does not know; where nothing of it arms a rule; and where no signal and no security.md
//     has a say.
// VERDICT-CACHE-2  A settled verdict is an allow, and is what decide() says of each call of the sort.
// VERDICT-CACHE-3  A call without a settled verdict is judged in full, every time.

import { KINDS } from "../capability/kinds.ts";
import { PLAIN, type Rule } from "./rule.ts";
import type { Subject, Verdict } from "./subject.ts";

/** What decides which rules could speak of a call. */
export type CallClass = Pick<Subject, "call" | "tool" | "effect" | "sinks" | "touches">;

interface SettledSort {
  readonly call: string;
  readonly effect: Subject["effect"];
  readonly sinks: Subject["sinks"];
  readonly kinds: number;
  readonly verdict: Verdict;
}

/** Of one tool; more than that are judged. */
const MAX_SORTS = 16;
/** Of one list of layers; more than that start again. */
const MAX_TOOLS = 512;

const KIND_BITS: ReadonlyMap<string, number> = new Map(
  Object.keys(KINDS).map((kind, i) => [kind, 1 << i]),
);

/** The kinds of resources that are touched. One that no rule can name has no bit. */
export function kindsOf(touches: Subject["touches"]): number {
  let kinds = 0;
  for (const { kind } of touches) kinds |= KIND_BITS.get(kind) ?? 0;
  return kinds;
}

/** VERDICT-CACHE-1. It allows what it selects, and says nothing more. */
export const isPlainAllow = (rule: Rule): boolean =>
  rule.effect === "allow" &&
  (Object.keys(PLAIN) as (keyof typeof PLAIN)[]).every((field) => rule[field] === PLAIN[field]);

export class VerdictCache {
  readonly #known = new WeakMap<readonly string[], Map<string, SettledSort[]>>();

  /** VERDICT-CACHE-2. Undefined where it is not known to be settled. */
  find({ call, tool = "", effect, sinks, touches }: CallClass, layers: readonly string[]) {
    const sorts = this.#known.get(layers)?.get(tool);
    if (sorts === undefined) return undefined;
    const kinds = kindsOf(touches);
    for (const one of sorts)
      if (
        one.call === call &&
        one.effect === effect &&
        one.kinds === kinds &&
        isSame(one.sinks, sinks)
      )
        return one.verdict;
    return undefined;
  }

  keep(
    { call, tool = "", effect, sinks, touches }: CallClass,
    layers: readonly string[],
    it: Verdict,
  ) {
    if (this.find({ call, tool, effect, sinks, touches }, layers) !== undefined) return;
    const tools = this.#known.get(layers) ?? new Map<string, SettledSort[]>();
    if (tools.size >= MAX_TOOLS) tools.clear();
    const sorts = tools.get(tool) ?? [];
    if (sorts.length >= MAX_SORTS) return;
    sorts.push({ call, effect, sinks: [...sinks], kinds: kindsOf(touches), verdict: it });
    tools.set(tool, sorts);
    this.#known.set(layers, tools);
  }
}

const isSame = (one: Subject["sinks"], two: Subject["sinks"]): boolean =>
  one === two || (one.length === two.length && one.every((sink, at) => sink === two[at]));
