// CapabilityBlock: one link of a process's capability chain, with the usage of each capability.
//
//   attenuateBlock(parent, caps, {id, mintedAt})     one more block; the parent is untouched
//   charge(charges, nowMs)                      count a use on every block that decide() named
//   spendCharges(charges, {usd, bytes})                count (or, negative, give back) money and bytes
//   holdMoney(charges, microUsd)                count the worst case, and no less than before
//   settleCharges(charges, cost)                what it really cost takes its place
//
// BLOCK-1  Append only. A child's block can only narrow what the chain allows.
// BLOCK-2  Counters belong to a block, and children share their parent's: `max:5` is five for the tree.
// BLOCK-3  A clock that steps back neither refills a rate nor drains it.
// BLOCK-4  charge() runs in the same turn as the decide() whose charges it takes: no await between.
// BLOCK-5  The final charge of a call is never negative: no settlement frees more than its reservation took.

import { limitMicroUsd, toMicroUsd } from "@aos/protocol";
import { isPinning } from "./constraints.ts";
import type { Capability } from "./grammar.ts";
import type { CapabilityKind } from "./kinds.ts";

const MAX_DEPTH = 64;
const MAX_CAPABILITIES = 1024;

/** What was used of one capability of one block. */
export interface CapabilityUsage {
  uses: number;
  /** Uses left in the rate's bucket at `tokensAt`. */
  tokens: number;
  tokensAt: number;
  microUsd: number;
  bytes: number;
}

export interface HeldCapability {
  readonly capability: Capability;
  readonly usage: CapabilityUsage;
  /** Absolute; Infinity when it never ends. */
  readonly expiresAt: number;
}

export interface CapabilityBlock {
  readonly id: string;
  /** Holder of the block; default its own id. A holder's own blocks need `use`, the
   *  others above it need `grant` (obstacle.ts). */
  readonly holder: string;
  /** The next one outwards. Of an outermost block it is the tenant's ceiling, which the operator may
   *  change: then, and only then, it is set anew. */
  parent: CapabilityBlock | null;
  readonly depth: number;
  readonly caps: readonly Capability[];
  readonly mintedAt: number;
  readonly expiresAt?: number | undefined;
  /** Minted by the operator, or by someone who had read nothing untrusted: only then do its pins
   *  stand for what was asked. */
  readonly trusted: boolean;
  /** The rule to which a person answered "always", when that is why it exists. */
  readonly standing?: string | undefined;
  /** The digest of what would have run then: "always" is for that. */
  readonly runs?: string | undefined;
  /** The tenant whose ceiling it is, when it is one (ceiling.ts). */
  readonly ceilingOf?: string | undefined;
  /** It, or one above it, can make a call pinned or standing. */
  readonly isMarked: boolean;
  /** Set by revoke(), never cleared: the block and all below it are dead. */
  revoked: boolean;
  /** In the order of `caps`. */
  readonly held: readonly HeldCapability[];
  /** By kind; those with pins first, so that a call that fits a pin is charged to the pin. */
  readonly byKind: ReadonlyMap<CapabilityKind, readonly HeldCapability[]>;
}

export interface BlockOrigin {
  readonly id: string;
  readonly mintedAt: number;
  readonly holder?: string | undefined;
  readonly expiresAt?: number | undefined;
  /** Default: true. */
  readonly trusted?: boolean | undefined;
  readonly standing?: string | undefined;
  readonly runs?: string | undefined;
}

/** A capability whose counters a use must be charged to, and the block whose state keeps them. */
export interface CapabilityCharge {
  readonly block: CapabilityBlock;
  readonly held: HeldCapability;
  /** Micro-dollars that are counted on it for the worst case, until settleCharges(). */
  taken?: number;
}

export function attenuateBlock(
  parent: CapabilityBlock | null,
  caps: readonly Capability[],
  mint: BlockOrigin,
): CapabilityBlock {
  const { mintedAt } = mint;
  return linkBlock(
    parent,
    caps.map((capability) => hold(capability, freshUsage(capability, mintedAt), mintedAt)),
    mint,
  );
}

export function revokeBlock(block: CapabilityBlock): void {
  block.revoked = true;
}

/** Does the chain stand on that block? Then revoking it stops the chain. */
export function isWithin(chain: CapabilityBlock, id: string): boolean {
  for (let block: CapabilityBlock | null = chain; block !== null; block = block.parent) {
    if (block.id === id) return true;
  }
  return false;
}

export function charge(charges: readonly CapabilityCharge[], nowMs: number): void {
  for (const { held } of charges) {
    const { usage, capability } = held;
    usage.uses += 1;
    if (capability.constraints.rate === undefined) continue;
    usage.tokens = tokensLeft(held, nowMs) - 1;
    usage.tokensAt = Math.max(usage.tokensAt, nowMs);
  }
}

export function spendCharges(
  charges: readonly CapabilityCharge[],
  amount: { readonly usd?: number; readonly bytes?: number },
): void {
  for (const { held } of charges) {
    held.usage.microUsd = Math.max(0, held.usage.microUsd + toMicroUsd(amount.usd ?? 0));
    held.usage.bytes = Math.max(0, held.usage.bytes + Math.ceil(amount.bytes ?? 0));
  }
}

/** Counts the worst case on every charge that has less; what a charge has it keeps. */
export function holdMoney(charges: readonly CapabilityCharge[], microUsd: number): void {
  for (const charge of charges) {
    const { taken = 0 } = charge;
    charge.held.usage.microUsd += Math.max(0, microUsd - taken);
    charge.taken = Math.max(microUsd, taken);
  }
}

/** The first grant that has no room for this worst case, with what the charges have already. */
export function lacksMoney(
  charges: readonly CapabilityCharge[],
  microUsd: number,
): HeldCapability | undefined {
  return charges.find(({ held, taken = 0 }) => {
    const { usd } = held.capability.constraints;
    const more = Math.max(0, microUsd - taken);
    return usd !== undefined && held.usage.microUsd + more > limitMicroUsd(usd);
  })?.held;
}

/** BLOCK-5. What it cost takes the place of what was taken; `worst` is what a life before this one took. */
export function settleCharges(
  charges: readonly CapabilityCharge[],
  cost: { readonly microUsd: number; readonly worst: number; readonly bytes: number },
): void {
  for (const { held, taken = cost.worst } of charges) {
    held.usage.microUsd = Math.max(0, held.usage.microUsd - taken + cost.microUsd);
    held.usage.bytes += cost.bytes;
  }
}

/** The most bytes that the result of a use so charged may have; Infinity where no grant says. */
export function bytesLeft(charges: readonly CapabilityCharge[]): number {
  let left = Infinity;
  for (const { held } of charges)
    left = Math.min(left, (held.capability.constraints.bytes ?? Infinity) - held.usage.bytes);
  return left;
}

/** Uses that are left of it now, by number and by rate. */
export function usesLeft(held: HeldCapability, nowMs: number): number {
  const { max = Infinity } = held.capability.constraints;
  return Math.min(max - held.usage.uses, tokensLeft(held, nowMs));
}

/** Uses that the rate leaves now; Infinity without a rate. */
export function tokensLeft({ usage, capability }: HeldCapability, nowMs: number): number {
  const { rate } = capability.constraints;
  if (rate === undefined) return Infinity;
  const elapsedMs = Math.max(0, nowMs - usage.tokensAt);
  return Math.min(rate.count, usage.tokens + (elapsedMs * rate.count) / rate.perMs);
}

function freshUsage({ constraints }: Capability, mintedAt: number): CapabilityUsage {
  const tokens = constraints.rate?.count ?? 0;
  return { uses: 0, tokens, tokensAt: mintedAt, microUsd: 0, bytes: 0 };
}

export function linkBlock(
  parent: CapabilityBlock | null,
  held: readonly HeldCapability[],
  mint: BlockOrigin,
): CapabilityBlock {
  const depth = parent === null ? 1 : parent.depth + 1;
  if (depth > MAX_DEPTH) throw new Error(`more than ${MAX_DEPTH} blocks in a chain`);
  if (held.length > MAX_CAPABILITIES) throw new Error(`more than ${MAX_CAPABILITIES} capabilities`);
  const { id, holder = id, mintedAt, expiresAt, trusted = true, standing, runs } = mint;
  const pins = trusted && held.some(({ capability }) => isPinning(capability.constraints));
  return {
    id,
    holder,
    parent,
    depth,
    caps: held.map(({ capability }) => capability),
    mintedAt,
    expiresAt,
    trusted,
    standing,
    runs,
    isMarked: pins || standing !== undefined || parent?.isMarked === true,
    revoked: false,
    held,
    byKind: index(held),
  };
}

export function hold(
  capability: Capability,
  usage: CapabilityUsage,
  mintedAt: number,
): HeldCapability {
  const { expires } = capability.constraints;
  if (expires === undefined) return { capability, usage, expiresAt: Infinity };
  return {
    capability,
    usage,
    expiresAt: "atMs" in expires ? expires.atMs : mintedAt + expires.afterMs,
  };
}

function index(
  held: readonly HeldCapability[],
): ReadonlyMap<CapabilityKind, readonly HeldCapability[]> {
  const pinned = held.filter(({ capability }) => isPinning(capability.constraints));
  const free = held.filter(({ capability }) => !isPinning(capability.constraints));
  return Map.groupBy([...pinned, ...free], ({ capability }) => capability.kind);
}
