// Block: one link of a process's chain of capabilities, with what was used of each.
//
//   attenuate(parent, caps, {id, mintedAt})     one more block; the parent is untouched
//   charge(charges, nowMs)                      count a use on every block that decide() named
//   spend(charges, {usd, bytes})                count (or, negative, give back) money and bytes
//   blockState / restoreBlock                   to plain JSON and back, counters included
//
// B1  Append only. A child's block can only shrink what the chain allows, whatever it says.
// B2  Counters belong to a block, so children share their parent's: `max:5` is five for the tree.
// B3  A clock that steps back neither refills a rate nor drains it.
// B4  charge() runs in the same turn as the decide() whose charges it takes: no await between.

import { type Capability, formatCapability, parseCapability } from "./grammar.ts";
import type { Kind } from "./kinds.ts";

const MAX_DEPTH = 64;
const MAX_CAPABILITIES = 1024;

/** What was used of one capability of one block. */
export interface Usage {
  uses: number;
  /** Uses left in the rate's bucket at `tokensAt`. */
  tokens: number;
  tokensAt: number;
  microUsd: number;
  bytes: number;
}

export interface Held {
  readonly capability: Capability;
  readonly usage: Usage;
  /** Absolute; Infinity when it never ends. */
  readonly expiresAt: number;
}

export interface Block {
  readonly id: string;
  /** Whose power this block is; its own id unless said. A holder's own blocks need `use`, the
   *  others above it need `grant` (obstacle.ts). */
  readonly holder: string;
  readonly parent: Block | null;
  readonly depth: number;
  readonly caps: readonly Capability[];
  readonly mintedAt: number;
  readonly expiresAt?: number | undefined;
  /** Set by revoke(), never cleared: the block and all below it are dead. */
  revoked: boolean;
  /** In the order of `caps`. */
  readonly held: readonly Held[];
  /** By kind; those with pins first, so that a call that fits a pin is charged to the pin. */
  readonly byKind: ReadonlyMap<Kind, readonly Held[]>;
}

export interface Mint {
  readonly id: string;
  readonly mintedAt: number;
  readonly holder?: string | undefined;
  readonly expiresAt?: number | undefined;
}

/** A capability of a block whose counters a use must be charged to. */
export interface Charge {
  readonly block: Block;
  readonly held: Held;
}

export function attenuate(parent: Block | null, caps: readonly Capability[], mint: Mint): Block {
  return link(
    parent,
    caps,
    mint,
    caps.map((capability) => freshUsage(capability, mint.mintedAt)),
  );
}

export function revoke(block: Block): void {
  block.revoked = true;
}

export function charge(charges: readonly Charge[], nowMs: number): void {
  for (const { held } of charges) {
    const { usage, capability } = held;
    usage.uses += 1;
    if (capability.constraints.rate === undefined) continue;
    usage.tokens = tokensLeft(held, nowMs) - 1;
    usage.tokensAt = Math.max(usage.tokensAt, nowMs);
  }
}

export function spend(
  charges: readonly Charge[],
  amount: { readonly usd?: number; readonly bytes?: number },
): void {
  for (const { held } of charges) {
    held.usage.microUsd = Math.max(0, held.usage.microUsd + toMicroUsd(amount.usd ?? 0));
    held.usage.bytes = Math.max(0, held.usage.bytes + Math.ceil(amount.bytes ?? 0));
  }
}

/** Rounded up to the next millionth; the last bits of a double do not count. */
export function toMicroUsd(usd: number): number {
  return Math.ceil(usd * 1e6 - 1e-4);
}

/** The most bytes that the result of a use so charged may have; Infinity where no grant says. */
export function bytesLeft(charges: readonly Charge[]): number {
  let left = Infinity;
  for (const { held } of charges)
    left = Math.min(left, (held.capability.constraints.bytes ?? Infinity) - held.usage.bytes);
  return left;
}

/** Uses that are left of it now, by number and by rate. */
export function usesLeft(held: Held, nowMs: number): number {
  const { max = Infinity } = held.capability.constraints;
  return Math.min(max - held.usage.uses, tokensLeft(held, nowMs));
}

/** Uses that the rate leaves now; Infinity without a rate. */
export function tokensLeft({ usage, capability }: Held, nowMs: number): number {
  const { rate } = capability.constraints;
  if (rate === undefined) return Infinity;
  const elapsedMs = Math.max(0, nowMs - usage.tokensAt);
  return Math.min(rate.count, usage.tokens + (elapsedMs * rate.count) / rate.perMs);
}

export interface BlockState {
  readonly id: string;
  readonly holder: string;
  readonly parentId: string | null;
  readonly mintedAt: number;
  readonly expiresAt: number | null;
  readonly revoked: boolean;
  readonly caps: readonly { readonly text: string; readonly usage: Usage }[];
}

export function blockState(block: Block): BlockState {
  return {
    id: block.id,
    holder: block.holder,
    parentId: block.parent?.id ?? null,
    mintedAt: block.mintedAt,
    expiresAt: block.expiresAt ?? null,
    revoked: block.revoked,
    caps: block.held.map(({ capability, usage }) => ({
      text: formatCapability(capability),
      usage: { ...usage },
    })),
  };
}

/** `parent` is the restored block whose id is `state.parentId`: siblings must share one object. */
export function restoreBlock(state: BlockState, parent: Block | null): Block {
  if ((parent?.id ?? null) !== state.parentId) {
    throw new Error(`block ${state.id} hangs below ${state.parentId}, not ${parent?.id ?? null}`);
  }
  const caps = state.caps.map(({ text }) => parseCapability(text));
  const { id, holder, mintedAt, expiresAt } = state;
  const mint = { id, holder, mintedAt, expiresAt: expiresAt ?? undefined };
  const block = link(
    parent,
    caps,
    mint,
    state.caps.map(({ usage }) => ({ ...usage })),
  );
  block.revoked = state.revoked;
  return block;
}

function freshUsage({ constraints }: Capability, mintedAt: number): Usage {
  const tokens = constraints.rate?.count ?? 0;
  return { uses: 0, tokens, tokensAt: mintedAt, microUsd: 0, bytes: 0 };
}

function link(
  parent: Block | null,
  caps: readonly Capability[],
  mint: Mint,
  usages: readonly Usage[],
): Block {
  const depth = parent === null ? 1 : parent.depth + 1;
  if (depth > MAX_DEPTH) throw new Error(`more than ${MAX_DEPTH} blocks in a chain`);
  if (caps.length > MAX_CAPABILITIES) throw new Error(`more than ${MAX_CAPABILITIES} capabilities`);
  const held = caps.map((capability, i) => hold(capability, usages[i] as Usage, mint.mintedAt));
  return {
    id: mint.id,
    holder: mint.holder ?? mint.id,
    parent,
    depth,
    caps: [...caps],
    mintedAt: mint.mintedAt,
    expiresAt: mint.expiresAt,
    revoked: false,
    held,
    byKind: index(held),
  };
}

function hold(capability: Capability, usage: Usage, mintedAt: number): Held {
  const { expires } = capability.constraints;
  if (expires === undefined) return { capability, usage, expiresAt: Infinity };
  return {
    capability,
    usage,
    expiresAt: "atMs" in expires ? expires.atMs : mintedAt + expires.afterMs,
  };
}

function index(held: readonly Held[]): ReadonlyMap<Kind, readonly Held[]> {
  const pinned = held.filter(({ capability }) => capability.constraints.pins !== undefined);
  const free = held.filter(({ capability }) => capability.constraints.pins === undefined);
  return Map.groupBy([...pinned, ...free], ({ capability }) => capability.kind);
}
