// Block state: a block as JSON, and back, with its usage.
//
//   blockState(block)              what the store keeps
//   restoreBlock(state, parent)    the same block again
//
// BLOCK-STATE-1  A restored chain continues with the same counters, revocation, expiry and trust.
// BLOCK-STATE-3  The state has only the usage of a block; its caller supplies the capabilities.
// BLOCK-STATE-2  A state of an earlier version, without trust and standing answers, reads as trusted and without one.
// BLOCK-STATE-4  A tenant's ceiling is not in the state: the caller supplies the parent of an outermost block.

import { type CapabilityBlock, hold, linkBlock, type CapabilityUsage } from "./block.ts";
import { formatCapability, parseCapability } from "./grammar.ts";

export interface BlockState {
  readonly id: string;
  readonly holder: string;
  readonly parentId: string | null;
  readonly mintedAt: number;
  readonly expiresAt: number | null;
  readonly revoked: boolean;
  readonly trusted?: boolean;
  readonly standing?: string | null;
  readonly runs?: string;
  readonly caps: readonly { readonly text: string; readonly usage: CapabilityUsage }[];
}

export function blockState(block: CapabilityBlock): BlockState {
  return {
    id: block.id,
    holder: block.holder,
    parentId: keptParent(block.parent),
    mintedAt: block.mintedAt,
    expiresAt: block.expiresAt ?? null,
    revoked: block.revoked,
    trusted: block.trusted,
    standing: block.standing ?? null,
    ...(block.runs === undefined ? {} : { runs: block.runs }),
    caps: block.held.map(({ capability, usage }) => ({
      text: formatCapability(capability),
      usage: { ...usage },
    })),
  };
}

/** What a block gives, by who keeps it: the state says only what was used of it. */
export interface BlockGrant {
  readonly capabilities: readonly string[];
  readonly mintedAt: number;
  readonly holder: string;
  readonly expiresAt?: number | undefined;
  readonly trusted?: boolean | undefined;
  readonly standing?: string | undefined;
  readonly runs?: string | undefined;
}

/**
 * BLOCK-STATE-3. What was used of a block, put on what it gives: a row that names other capabilities is not believed.
 */
export function usedBlock(
  grant: BlockGrant,
  state: BlockState,
  parent: CapabilityBlock | null,
): CapabilityBlock {
  const texts = grant.capabilities.map((text) => formatCapability(parseCapability(text)));
  const isSame =
    texts.length === state.caps.length && texts.every((t, n) => t === state.caps[n]!.text);
  if (!isSame) throw new Error(`the stored state of block ${state.id} gives other capabilities`);
  const { holder, mintedAt, expiresAt, trusted, standing, runs } = grant;
  return relink(state, parent, { holder, mintedAt, expiresAt, trusted, standing, runs });
}

/** BLOCK-STATE-4. */
const keptParent = (parent: CapabilityBlock | null): string | null =>
  parent === null || parent.ceilingOf !== undefined ? null : parent.id;

/** `parent` is the restored block whose id is `state.parentId`: siblings must share one object. */
export function restoreBlock(state: BlockState, parent: CapabilityBlock | null): CapabilityBlock {
  const { holder, mintedAt, expiresAt, trusted, standing, runs } = state;
  return relink(state, parent, {
    holder,
    mintedAt,
    expiresAt: expiresAt ?? undefined,
    trusted,
    standing: standing ?? undefined,
    runs,
  });
}

function relink(
  { id, parentId, revoked, caps }: BlockState,
  parent: CapabilityBlock | null,
  mint: Omit<BlockGrant, "capabilities">,
): CapabilityBlock {
  if (keptParent(parent) !== parentId)
    throw new Error(`block ${id} hangs below ${parentId}, not ${parent?.id ?? null}`);
  const held = caps.map(({ text, usage }) =>
    hold(parseCapability(text), { ...usage }, mint.mintedAt),
  );
  const block = linkBlock(parent, held, { ...mint, id });
  block.revoked = revoked;
  return block;
}
