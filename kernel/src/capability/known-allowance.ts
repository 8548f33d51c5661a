// Known allowances: requests that the initial chain of a process was found to allow, so that the next one of the same
// kind is not matched against every pattern again. Everything that can change is checked each time.
//
// What an allowance can depend on, and how it is handled:
//
//   which chains are held         a list of these is of one set of holdings, and is emptied when that changes
//   a chain that goes first       nothing is known where any held chain is marked: pins and "always" are asked
//   the blocks of the chain       that they still hang together as they did is looked at, link by link: the
//                                 operator may change a tenant's ceiling
//   revoked                       looked at, block by block
//   expired                       looked at: the first end of all blocks and grants of it
//   counters, money, bytes        nothing is known of a grant that counts, or of one that comes after one
//                                 that might: what was used up may come back
//   arguments                     nothing is known of a grant that pins, or of one that comes after one
//   patterns, verbs, holder       never change in a block
//
// KNOWN-ALLOWANCE-1  A known allowance has no charges, pins, limits or standing answers and comes from the initial
//     chain.
// KNOWN-ALLOWANCE-2  A known allowance equals the result of decideAny() at every time; a test compares the two.
// KNOWN-ALLOWANCE-3  Only allowances are cached. A refusal is computed anew, with its reasons.

import type { CapabilityBlock, HeldCapability } from "./block.ts";
import type { ChainPermission } from "./chain.ts";
import { isCounted } from "./chain.ts";
import { isPinning } from "./constraints.ts";
import { obstacle, type Obstacle, type AccessRequest, roleOf } from "./obstacle.ts";
import type { PatternTarget } from "./pattern.ts";

/** So many resources are remembered for a process; more than that start again. */
const MAX_KNOWN = 64;

interface Known<T> {
  readonly allowed: T;
  /** From the process's own to the outermost. */
  readonly blocks: readonly CapabilityBlock[];
  /** When the first part of it expires; Infinity when none does. */
  readonly expiresAt: number;
}

export class KnownAllowances<T extends ChainPermission> {
  readonly #byResource = new Map<string, Known<T>>();

  find({ kind, resource, verb }: AccessRequest, nowMs: number): T | undefined {
    const known = this.#byResource.get(resource);
    if (known === undefined || kind !== "tool" || verb !== "call") return undefined;
    return isStillSo(known, nowMs) ? known.allowed : undefined;
  }

  /** `target` is the request's resource; the chain has just allowed it. */
  keep(
    chain: CapabilityBlock,
    request: AccessRequest,
    target: PatternTarget,
    nowMs: number,
    allowed: T,
  ): void {
    if (request.kind !== "tool") return;
    const blocks: CapabilityBlock[] = [];
    for (let block: CapabilityBlock | null = chain; block !== null; block = block.parent) {
      if (!isSettled(block, chain, request, target, nowMs)) return;
      blocks.push(block);
    }
    if (this.#byResource.size >= MAX_KNOWN) this.#byResource.clear();
    const expiresAt = allowed.expiresAt ?? Infinity;
    this.#byResource.set(request.resource, { allowed, blocks, expiresAt });
  }
}

/** Revocation, expiry and the ceiling are of this moment. */
function isStillSo({ blocks, expiresAt }: Known<unknown>, nowMs: number): boolean {
  if (!(nowMs < expiresAt)) return false;
  for (let at = 0; at < blocks.length; at++) {
    const block = blocks[at]!;
    if (block.revoked || block.parent !== (blocks[at + 1] ?? null)) return false;
  }
  return true;
}

/** Whether the grant of a block that allows it will be the same as long as none expires. */
function isSettled(
  block: CapabilityBlock,
  chain: CapabilityBlock,
  request: AccessRequest,
  target: PatternTarget,
  nowMs: number,
): boolean {
  const role = roleOf(block, chain);
  for (const held of block.byKind.get(request.kind) ?? []) {
    const found = obstacle(held, request, target, role, nowMs);
    if (found !== null && NEVER.has(found)) continue;
    return found === null && isPlain(held);
  }
  return false;
}

/** Obstacles that never go away: the grant speaks of something else. */
const NEVER: ReadonlySet<Obstacle> = new Set(["resource", "verb", "hold"]);

const isPlain = (held: HeldCapability): boolean =>
  !isCounted(held) && !isPinning(held.capability.constraints);
