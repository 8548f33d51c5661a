// Witnesses: for a request, every block of a chain and the capability of it that allows it, or none. What
// `aos caps why` shows; no decision is made by it.

import type { Block } from "./block.ts";
import { formatCapability } from "./grammar.ts";
import { isKind, rowOf } from "./kinds.ts";
import { isDead, obstacle, type Request, roleOf } from "./obstacle.ts";
import { readTarget } from "./pattern.ts";

export interface Witness {
  readonly block: string;
  readonly capability: string | null;
}

/** Outermost first. */
export function witnesses(chain: Block, request: Request, nowMs: number): Witness[] {
  const target = isKind(request.kind)
    ? readTarget(rowOf(request.kind).shape, request.resource)
    : null;
  const found: Witness[] = [];
  for (let block: Block | null = chain; block !== null; block = block.parent) {
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
