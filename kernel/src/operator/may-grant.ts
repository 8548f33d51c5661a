// Granting: whether the holder of a chain may hand a capability on.
//
//   mayGrant(chain, cap, nowMs)     refused if a block holds it for use only, or no longer
//
// GRANT-1  `hold:use` is not grantable; `hold:grant` is grantable and not usable.
// GRANT-2  A dead block, an expired capability and one without uses left cannot be granted.
//
// It refuses early and with a reason: every use of what was granted is decided by the whole chain, which enforces the
// same (OBSTACLE, CHAIN). A grant may therefore be wider than what is held. Only what needs no comparison of patterns is
// checked here: kind, verbs, and the resource of a plain pattern.

import type { CapabilityBlock, HeldCapability } from "../capability/block.ts";
import { nameOfBlock } from "../refusal/explain.ts";
import type { Capability } from "../capability/grammar.ts";
import { isDead } from "../capability/obstacle.ts";
import { covers, type Pattern, readTarget } from "../capability/pattern.ts";

/** What is missing, from the farthest miss to the nearest. */
type Lack = "dead" | "kind" | "verb" | "resource" | "hold";

export interface GrantRefusal {
  readonly allow: false;
  readonly blockId: string;
  readonly code: Lack;
  readonly why: string;
}

export type GrantDecision = { readonly allow: true } | GrantRefusal;

export function mayGrant(
  chain: CapabilityBlock,
  capability: Capability,
  nowMs: number,
): GrantDecision {
  for (let block: CapabilityBlock | null = chain; block !== null; block = block.parent) {
    const { id } = block;
    if (isDead(block, nowMs))
      return refusal(id, "dead", `the grant ${id} was revoked or has expired`);
    const name = nameOfBlock(block, chain);
    const lack = lacks(block, name, capability, (held) => isGrantable(held, nowMs));
    if (lack === null) continue;
    const isHeld = lacks(block, name, capability, () => true) === null;
    return refusal(id, isHeld ? "hold" : lack.code, `${lack.why} that may be granted`);
  }
  return { allow: true };
}

function isGrantable({ capability, expiresAt, usage }: HeldCapability, nowMs: number): boolean {
  const { hold, max = Infinity } = capability.constraints;
  return hold !== "use" && nowMs < expiresAt && usage.uses < max;
}

/** What the block plainly does not hold of the capability, or null. */
function lacks(
  block: CapabilityBlock,
  name: string,
  wanted: Capability,
  counts: (held: HeldCapability) => boolean,
) {
  const { kind, verbs, pattern } = wanted;
  const none = `${name} holds no \`${kind}:\` capability`;
  const held = (block.byKind.get(kind) ?? []).filter((one) => counts(one));
  if (held.length === 0) return { code: "kind", why: none } as const;
  const target = literalOf(pattern);
  for (const verb of verbs) {
    const able = held.filter((one) => one.capability.verbs.includes(verb));
    if (able.length === 0)
      return { code: "verb", why: `${none} with the verb \`${verb}\`` } as const;
    if (target === null || able.some((one) => covers(one.capability.pattern, target))) continue;
    return {
      code: "resource",
      why: `${none} with the verb \`${verb}\` that covers ${pattern.text}`,
    } as const;
  }
  return null;
}

function refusal(blockId: string, code: Lack, why: string): GrantRefusal {
  return { allow: false, blockId, code, why };
}

/** A pattern without stars or alternatives is one resource. */
function literalOf({ shape, text }: Pattern) {
  if (text.includes("*") || (shape !== "path" && text.includes(","))) return null;
  return readTarget(shape, text);
}
