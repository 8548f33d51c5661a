// Chain: does a process hold what a request needs? Every block from its own up to the root must
// hold at least one capability that allows it. No pattern is ever compared with another.
//
//   decide(chain, {kind, resource, verb, args}, nowMs)     allow with charges, or a Refusal
//
// D1  All blocks allow, or the answer is no: power only shrinks on the way down.
// D2  decide() changes nothing. A refusal costs nothing; a use is counted by charge(), in the same
//     turn, on every block of the chain that counts.
// D3  `timeoutMs` is the shortest of the chain. `limits` are what is left to spend, the least of
//     the chain, with the block that sets it; the budget step reserves with spend(charges, …).
// D4  An unknown kind or verb, or a resource that is not canonical, is refused.

import type { Block, Charge, Held } from "./block.ts";
import { isKind, rowOf } from "./kinds.ts";
import { isDead, obstacle, type Request, roleOf } from "./obstacle.ts";
import { readTarget, type Target } from "./pattern.ts";
import { explain, type Refusal } from "./refusal.ts";

export interface Limit {
  readonly left: number;
  readonly blockId: string;
}

export interface Allowed {
  readonly allow: true;
  /** Pass to charge() and, for money and bytes, to spend(). */
  readonly charges: readonly Charge[];
  readonly timeoutMs?: number | undefined;
  readonly limits: { readonly usd?: Limit | undefined; readonly bytes?: Limit | undefined };
  /** The block nearest the root that fixed arguments of this call. Who minted it, and after
   *  reading what, is for the policy to judge. */
  readonly pinnedBy?: string | undefined;
}

export type Decision = Allowed | { readonly allow: false; readonly reason: Refusal };

const NO_CHARGES: readonly Charge[] = Object.freeze([]);
const NO_LIMITS: Allowed["limits"] = Object.freeze({});

export function decide(chain: Block, request: Request, nowMs: number): Decision {
  const target = readRequest(request);
  if (target === null) return { allow: false, reason: explain(chain, request, null, nowMs) };
  let charges: Charge[] | undefined;
  let timeoutMs: number | undefined;
  let usd: Limit | undefined;
  let bytes: Limit | undefined;
  let pinnedBy: string | undefined;
  for (let block: Block | null = chain; block !== null; block = block.parent) {
    const held = firstThatAllows(block, chain, request, target, nowMs);
    if (held === null) return { allow: false, reason: explain(chain, request, target, nowMs) };
    const { constraints } = held.capability;
    if (isCounted(held)) (charges ??= []).push({ block, held });
    if (constraints.timeoutMs !== undefined) {
      timeoutMs = Math.min(timeoutMs ?? Infinity, constraints.timeoutMs);
    }
    if (constraints.usd !== undefined) {
      usd = least(usd, constraints.usd - held.usage.microUsd / 1e6, block);
    }
    if (constraints.bytes !== undefined) {
      bytes = least(bytes, constraints.bytes - held.usage.bytes, block);
    }
    if (constraints.pins !== undefined) pinnedBy = block.id;
  }
  const limits = usd === undefined && bytes === undefined ? NO_LIMITS : { usd, bytes };
  return { allow: true, charges: charges ?? NO_CHARGES, timeoutMs, limits, pinnedBy };
}

function readRequest({ kind, verb, resource }: Request): Target | null {
  if (!isKind(kind) || !rowOf(kind).verbs.includes(verb)) return null;
  return readTarget(rowOf(kind).shape, resource);
}

function firstThatAllows(
  block: Block,
  chain: Block,
  request: Request,
  target: Target,
  nowMs: number,
): Held | null {
  if (isDead(block, nowMs)) return null;
  const candidates = block.byKind.get(request.kind);
  if (candidates === undefined) return null;
  const role = roleOf(block, chain);
  for (const held of candidates) {
    if (obstacle(held, request, target, role, nowMs) === null) return held;
  }
  return null;
}

function isCounted({ capability }: Held): boolean {
  const { rate, max, usd, bytes } = capability.constraints;
  return rate !== undefined || max !== undefined || usd !== undefined || bytes !== undefined;
}

function least(limit: Limit | undefined, left: number, block: Block): Limit {
  return limit !== undefined && limit.left <= left ? limit : { left, blockId: block.id };
}
