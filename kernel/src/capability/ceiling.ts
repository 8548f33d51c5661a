// Ceiling: the block that the operator puts above every chain of a tenant. It is checked like any other block of the
// chain, so it can only narrow: no manifest, token, grant or approval exceeds it.
//
//   ceilingBlock("acme", texts, nowMs)     the parent of every outermost block of acme's
//   ceilingAbove(chain)                    the ceiling that a chain hangs below, if any
//
// CEILING-1  Every chain of a tenant that has a ceiling ends in it, at its outermost end.
// CEILING-3  A ceiling's pins only narrow. They replace no person.
//
// The list that ships, and what people write: policy-formats/ceiling-list.ts.

import type { ProgramConfinement } from "@aos/protocol";
import { attenuateBlock, type CapabilityBlock } from "./block.ts";
import { isCoveredBy } from "./chain.ts";
import { parseCapability } from "./grammar.ts";

export function ceilingBlock(
  tenant: string,
  texts: readonly string[],
  mintedAt: number,
): CapabilityBlock {
  const id = `ceiling:${tenant}`;
  const caps = texts.map((text) => parseCapability(text));
  return { ...attenuateBlock(null, caps, { id, mintedAt, trusted: false }), ceilingOf: tenant }; // CEILING-3
}

/** CEILING-1. */
export function ceilingAbove(chain: CapabilityBlock): CapabilityBlock | null {
  let block = chain;
  while (block.parent !== null) block = block.parent;
  return block.ceilingOf === undefined ? null : block;
}

/** What a ceiling says of programs; undefined where there is none. */
export function confinementBy(
  ceiling: CapabilityBlock | null,
  clock: { now(): number },
): ProgramConfinement | undefined {
  if (ceiling?.ceilingOf === undefined) return undefined;
  return {
    tenant: ceiling.ceilingOf,
    mayRead: (resource) =>
      isCoveredBy(ceiling, { kind: "file", resource, verb: "read" }, clock.now()),
  };
}
