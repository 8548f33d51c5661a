// Witnesses: for each block of a chain, the capability that allows a request, if any. `aos caps why` shows it; no
// decision uses it.

import type { CapabilityBlock } from "../capability/block.ts";
import { formatCapability } from "../capability/grammar.ts";
import { isKind, kindRow } from "../capability/kinds.ts";
import { isDead, obstacle, type AccessRequest, roleOf } from "../capability/obstacle.ts";
import { readTarget } from "../capability/pattern.ts";

export interface BlockWitness {
  readonly block: string;
  readonly capability: string | null;
}

/** Outermost first. */
export function witnesses(
  chain: CapabilityBlock,
  request: AccessRequest,
  nowMs: number,
): BlockWitness[] {
  const target = isKind(request.kind)
    ? readTarget(kindRow(request.kind).shape, request.resource)
    : null;
  const found: BlockWitness[] = [];
  for (let block: CapabilityBlock | null = chain; block !== null; block = block.parent) {
    const role = roleOf(block, chain);
    const held =
      target === null || isDead(block, nowMs)
        ? undefined
        : block.byKind
            .get(request.kind)
            ?.find((one) => obstacle(one, request, target, role, nowMs) === null);
    const capability = held === undefined ? null : formatCapability(held.capability);
    found.unshift({ block: block.id, capability });
  }
  return found;
}
