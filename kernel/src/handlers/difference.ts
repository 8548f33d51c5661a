// Difference: what a proposal would add to the power of a process, in one line for a person.
//
// DIFFERENCE-1  When in doubt, something counts as new: a person may see too much, never too little.

import type { CapabilityBlock, Capability } from "../capability/index.ts";
import { formatCapability } from "../capability/index.ts";
import { covers, type Pattern, readTarget } from "../capability/pattern.ts";
import { kindRow } from "../capability/kinds.ts";
import { isDead } from "../capability/obstacle.ts";

export function difference(
  wanted: readonly Capability[],
  chains: Iterable<{ readonly block: CapabilityBlock }>,
  nowMs: number,
): string[] {
  const blocks = [...chains].map(({ block }) => block);
  const isHeld = (capability: Capability) =>
    blocks.some((block) => holds(block, capability, nowMs));
  return wanted.filter((capability) => !isHeld(capability)).map(formatCapability);
}

/** Every block of the chain must have it, as it is or with nothing to limit it. */
function holds(chain: CapabilityBlock, wanted: Capability, nowMs: number): boolean {
  for (let block: CapabilityBlock | null = chain; block !== null; block = block.parent) {
    if (isDead(block, nowMs) || block.expiresAt !== undefined) return false;
    if (!block.caps.some((held) => isWithin(wanted, held))) return false;
  }
  return true;
}

function isWithin(wanted: Capability, held: Capability): boolean {
  if (formatCapability(wanted) === formatCapability(held)) return !isUsedUp(held);
  if (wanted.kind !== held.kind || Object.keys(held.constraints).length > 0) return false;
  if (!wanted.verbs.every((verb) => held.verbs.includes(verb))) return false;
  if (wanted.pattern.text === held.pattern.text) return true;
  if (wanted.pattern.text.includes("*") || wanted.pattern.text.includes(","))
    return isPlainlyWithin(wanted.pattern, held.pattern);
  const target = readTarget(kindRow(wanted.kind).shape, wanted.pattern.text);
  return target !== null && covers(held.pattern, target);
}

/** Whether one pattern covers all of another, said only where it is plain (DIFFERENCE-1). */
function isPlainlyWithin({ shape, text }: Pattern, outer: Pattern): boolean {
  const rest = shape === "name" ? "*" : "/**";
  const isCovered = (resource: string): boolean => {
    const target = readTarget(shape, resource);
    return target !== null && covers(outer, target);
  };
  return text.split(",").every((inner) => {
    if (!inner.includes("*")) return isCovered(inner);
    if (!outer.text.endsWith(rest)) return false;
    const own = inner.endsWith(rest) ? inner.slice(0, -rest.length) : inner;
    if (own === "" || own.includes("*")) return inner === outer.text;
    // What is below the one is below the other where the last part of that is everything.
    const below = shape === "name" ? [`${own}-`, `${own}.-.-`] : ["", "/-", "/-/-"];
    const samples = shape === "name" ? below : below.map((more) => own + more);
    return samples.every(isCovered);
  });
}

/** What is counted or ends may be gone already: the same words again are more. */
const isUsedUp = ({ constraints: { max, rate, usd, bytes, expires } }: Capability): boolean =>
  [max, rate, usd, bytes, expires].some((limit) => limit !== undefined);
