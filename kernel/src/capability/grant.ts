// Granting: may the holder of a chain hand a capability on, and would the child get anything?
//
//   mayGrant(chain, cap, nowMs)     refused when a block holds it to use only, or no more
//   uncovered(parent, cap)          a friendly warning, or null; never a guard
//
// A child's capability may be written wider than its parent's: decide() asks the whole chain, so
// it is harmless. These two look only at what can be said without comparing patterns: kind, verbs,
// and the resource when the pattern is a plain one.

import type { Block, Held } from "./block.ts";
import { type Capability, formatCapability } from "./grammar.ts";
import { isDead } from "./obstacle.ts";
import { covers, type Pattern, readTarget } from "./pattern.ts";

export type GrantDecision =
  | { readonly allow: true }
  | { readonly allow: false; readonly blockId: string; readonly why: string };

export function mayGrant(chain: Block, capability: Capability, nowMs: number): GrantDecision {
  for (let block: Block | null = chain; block !== null; block = block.parent) {
    if (isDead(block, nowMs)) {
      return { allow: false, blockId: block.id, why: `block ${block.id} is no longer valid` };
    }
    const why = lacks(block, capability, (held) => isGrantable(held, nowMs));
    if (why !== null) return { allow: false, blockId: block.id, why: `${why} that may be granted` };
  }
  return { allow: true };
}

export function uncovered(parent: Block, capability: Capability): string | null {
  for (let block: Block | null = parent; block !== null; block = block.parent) {
    const why = lacks(block, capability, () => true);
    if (why !== null) return `${formatCapability(capability)} will allow nothing: ${why}`;
  }
  return null;
}

function isGrantable({ capability, expiresAt }: Held, nowMs: number): boolean {
  return capability.constraints.hold !== "use" && nowMs < expiresAt;
}

/** What the block plainly does not hold of the capability, or null. */
function lacks(block: Block, wanted: Capability, counts: (held: Held) => boolean): string | null {
  const { kind, verbs, pattern } = wanted;
  const held = (block.byKind.get(kind) ?? []).filter((one) => counts(one));
  const verb = verbs.find((verb) => !held.some((one) => one.capability.verbs.includes(verb)));
  if (held.length === 0) return `block ${block.id} holds no ${kind} capability`;
  if (verb !== undefined) return `block ${block.id} holds no ${kind} capability for ${verb}`;
  const target = literalOf(pattern);
  if (target === null || held.some((one) => covers(one.capability.pattern, target))) return null;
  return `block ${block.id} holds no ${kind} capability for ${pattern.text}`;
}

/** A pattern without stars or alternatives is one resource. */
function literalOf({ shape, text }: Pattern) {
  if (text.includes("*") || (shape !== "path" && text.includes(","))) return null;
  return readTarget(shape, text);
}
