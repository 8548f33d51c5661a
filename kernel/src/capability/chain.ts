// Chain: decides whether a process holds what a request needs. Every block from its own up to the root must hold at
// least one capability that allows the request. Patterns are never compared with each other.
//
//   allowance(chain, {kind, resource, verb, args}, target, nowMs)     the permission with its charges, or null
//
// CHAIN-1  All blocks allow, or the request is refused: power only shrinks on the way down.
// CHAIN-2  allowance() changes nothing. A refusal costs nothing; a use is counted by charge(), in the same
//     turn, on every block of the chain that counts.
// CHAIN-3  `timeoutMs` is the shortest of the chain. `limits` is the least that is left to spend in the chain, with
//     its block; the budget step reserves with spend(charges, …).
// CHAIN-4  Only pins of trusted blocks make a call `pinned`: a process that has read untrusted data may narrow with a
//     pin and gains nothing by it.
// CHAIN-5  An unknown kind or verb, or a resource that is not canonical, is refused.
// CHAIN-6  An "always" answers the rules that asked then; its pins make no call `pinned`.

import { limitMicroUsd, usdOf } from "@aos/protocol";
import type { CapabilityBlock, CapabilityCharge, HeldCapability } from "./block.ts";
import { isPinning } from "./constraints.ts";
import { isKind, kindRow } from "./kinds.ts";
import { isDead, obstacle, type AccessRequest, roleOf } from "./obstacle.ts";
import { readTarget, type PatternTarget } from "./pattern.ts";

export interface RemainingLimit {
  readonly left: number;
  readonly blockId: string;
}

export interface ChainPermission {
  readonly allow: true;
  /** Pass to charge() and, for money and bytes, to spend(). */
  readonly charges: readonly CapabilityCharge[];
  readonly timeoutMs?: number | undefined;
  /** When the first part of it expires, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  readonly limits: {
    readonly usd?: RemainingLimit | undefined;
    readonly bytes?: RemainingLimit | undefined;
  };
  /** The block nearest the root that fixed arguments of this call, trusted or not. */
  readonly pinnedBy?: string | undefined;
  /** A trusted block fixed arguments of this call. */
  readonly pinned: boolean;
  /** Names of the pinned arguments; the others are free. */
  readonly pinnedArgs: readonly string[];
  /** The blocks of it that are there because a person has said "always". */
  readonly standing: readonly CapabilityBlock[];
}

const NO_CHARGES: readonly CapabilityCharge[] = Object.freeze([]);
const NO_NAMES: readonly string[] = Object.freeze([]);
const NO_BLOCKS: readonly CapabilityBlock[] = Object.freeze([]);
const NO_LIMITS: ChainPermission["limits"] = Object.freeze({});

/** Null when the chain does not allow it. To explain costs many times more: see kernel/src/refusal. */
export function allowance(
  chain: CapabilityBlock,
  request: AccessRequest,
  target: PatternTarget | null,
  nowMs: number,
): ChainPermission | null {
  if (target === null) return null;
  let charges: CapabilityCharge[] | undefined;
  let timeoutMs: number | undefined;
  let expiresAt = Infinity;
  let usd: RemainingLimit | undefined;
  let bytes: RemainingLimit | undefined;
  let pinnedBy: string | undefined;
  let pinnedArgs: Set<string> | undefined;
  let standing: CapabilityBlock[] | undefined;
  for (let block: CapabilityBlock | null = chain; block !== null; block = block.parent) {
    const held = firstThatAllows(block, chain, request, target, nowMs);
    if (held === null) return null;
    const { constraints } = held.capability;
    expiresAt = Math.min(expiresAt, held.expiresAt, block.expiresAt ?? Infinity);
    if (isCounted(held)) (charges ??= []).push({ block, held });
    if (constraints.timeoutMs !== undefined) {
      timeoutMs = Math.min(timeoutMs ?? Infinity, constraints.timeoutMs);
    }
    if (constraints.usd !== undefined) {
      usd = least(usd, usdOf(limitMicroUsd(constraints.usd) - held.usage.microUsd), block);
    }
    if (constraints.bytes !== undefined) {
      bytes = least(bytes, constraints.bytes - held.usage.bytes, block);
    }
    if (block.standing !== undefined) (standing ??= []).push(block);
    if (!isPinning(constraints)) continue;
    pinnedBy = block.id;
    if (!block.trusted || block.standing !== undefined) continue; // CHAIN-6
    pinnedArgs ??= new Set();
    for (const { name } of constraints.pins ?? []) pinnedArgs.add(name);
  }
  const limits = usd === undefined && bytes === undefined ? NO_LIMITS : { usd, bytes };
  return {
    allow: true,
    charges: charges ?? NO_CHARGES,
    timeoutMs,
    expiresAt: expiresAt === Infinity ? undefined : expiresAt,
    limits,
    pinnedBy,
    pinned: pinnedArgs !== undefined,
    pinnedArgs: pinnedArgs === undefined ? NO_NAMES : [...pinnedArgs],
    standing: standing ?? NO_BLOCKS,
  };
}

/**
 * Whether one block alone holds it, whatever its pins say of arguments: what can be said of a call that is
 * under way, and of a file that is only looked for.
 */
export function isCoveredBy(
  block: CapabilityBlock,
  request: AccessRequest,
  nowMs: number,
): boolean {
  const target = requestTarget(request);
  if (target === null || isDead(block, nowMs)) return false;
  return (block.byKind.get(request.kind) ?? []).some((held) => {
    const what = obstacle(held, { ...request, isBegun: true }, target, "grant", nowMs);
    return what === null || what === "pin";
  });
}

/** What the request is about, or null when no capability can be about it. */
export function requestTarget({ kind, verb, resource }: AccessRequest): PatternTarget | null {
  if (!isKind(kind) || !kindRow(kind).verbs.includes(verb)) return null;
  return readTarget(kindRow(kind).shape, resource);
}

function firstThatAllows(
  block: CapabilityBlock,
  chain: CapabilityBlock,
  request: AccessRequest,
  target: PatternTarget,
  nowMs: number,
): HeldCapability | null {
  if (isDead(block, nowMs)) return null;
  const candidates = block.byKind.get(request.kind);
  if (candidates === undefined) return null;
  const role = roleOf(block, chain);
  for (const held of candidates) {
    if (obstacle(held, request, target, role, nowMs) === null) return held;
  }
  return null;
}

export function isCounted({ capability }: HeldCapability): boolean {
  const { rate, max, usd, bytes } = capability.constraints;
  return rate !== undefined || max !== undefined || usd !== undefined || bytes !== undefined;
}

function least(
  limit: RemainingLimit | undefined,
  left: number,
  block: CapabilityBlock,
): RemainingLimit {
  return limit !== undefined && limit.left <= left ? limit : { left, blockId: block.id };
}
