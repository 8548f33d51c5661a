// Token: what is asked of every travelling token once its bytes are known to be whole, and how it
// becomes a chain of the kernel.
//
//   examine(blocks, presented)           not expired, not revoked, shown by its holder, to whom it is for
//   chainOf(verified, parent, mintedAt)  its blocks on top of `parent`
//
// U1  A block's revocation id comes from its signature or tag: nobody can choose it, so no token can
//     take the counters or the fate of another's block. The kernel's id of it is `tok_` and that.
// U2  The same block, presented again or under other attenuations, is the same block: `known` finds
//     it, and its counters go on.
// U3  Who appended a block offline, and after reading what, nobody knows: its pins are not trusted.

import { attenuate, type Block } from "./block.ts";
import { type Capability, formatCapability } from "./grammar.ts";
import { type TokenBlock, TokenError, type TokenFault } from "./token-block.ts";

export interface VerifiedBlock extends TokenBlock {
  readonly revocationId: string;
}

export interface Verified {
  readonly ok: true;
  readonly version: "aos1" | "aos2";
  /** The id of the key, or the name of the issuer, that the first block is good for. */
  readonly issuer: string;
  readonly blocks: readonly VerifiedBlock[];
  /** Who may present it; null: whoever has it. */
  readonly holder: string | null;
  /** Can no block be appended any more? */
  readonly isSealed: boolean;
}

export interface TokenRefusal {
  readonly ok: false;
  readonly code: TokenFault;
  readonly why: string;
}

/** Of whom, when and where a token is shown. */
export interface Presented {
  readonly nowMs: number;
  readonly isRevoked: (revocationId: string) => boolean;
  /** Who presents it; a token that names a holder is refused to all others. */
  readonly presenter?: string | undefined;
  /** The verifier's own name; a token for an audience is refused by all others. */
  readonly audience?: string | undefined;
}

interface Shown extends VerifiedBlock {
  readonly audience?: string | null;
}

/** Throws what is wrong; returns who the holder is. */
export function examine(blocks: readonly Shown[], presented: Presented): string | null {
  const { nowMs, isRevoked, presenter, audience } = presented;
  let holder: string | null = null;
  for (const block of blocks) {
    if (block.expiresAt !== null && !(nowMs < block.expiresAt)) {
      throw new TokenError("expired", `block ${block.id} has expired`);
    }
    if (isRevoked(block.revocationId)) {
      throw new TokenError("revoked", `block ${block.id} was revoked`);
    }
    const meant = block.audience ?? null;
    if (meant !== null && meant !== audience) {
      throw new TokenError("audience", `block ${block.id} is for another audience`);
    }
    holder = block.holder ?? holder;
  }
  if (holder === null || holder === presenter) return holder;
  throw new TokenError("holder", "the token belongs to another holder");
}

/** Runs a verification; what it throws of tokens is its answer, anything else is a bug. */
export function answered(verify: () => Verified): Verified | TokenRefusal {
  try {
    return verify();
  } catch (error) {
    if (!(error instanceof TokenError)) throw error;
    return { ok: false, code: error.code, why: error.message };
  }
}

/** One block as the kernel mints it. */
export interface TokenSpec {
  readonly id: string;
  readonly holder: string;
  readonly mintedAt: number;
  readonly expiresAt?: number | undefined;
  readonly trusted: boolean;
  readonly capabilities: readonly string[];
}

/** `trusted` is said of the first block only, by who knows on whose word it was minted (U3). */
export function specsOf(
  verified: Verified,
  mintedAt: number,
  { trusted = false } = {},
): readonly TokenSpec[] {
  return verified.blocks.map(({ revocationId, holder, expiresAt, caps }, i) => ({
    id: `tok_${revocationId}`,
    holder: holder ?? `tok_${revocationId}`,
    mintedAt,
    expiresAt: expiresAt ?? undefined,
    trusted: trusted && i === 0,
    capabilities: caps.map(formatCapability),
  }));
}

export function chainOf(
  verified: Verified,
  parent: Block | null,
  mintedAt: number,
  options: {
    readonly trusted?: boolean;
    /** The kernel's block of that id, if it has it (U2). */
    readonly known?: (id: string) => Block | undefined;
  } = {},
): Block {
  const { trusted = false, known } = options;
  const specs = specsOf(verified, mintedAt, { trusted });
  let chain = parent;
  for (const [i, { caps }] of verified.blocks.entries()) {
    const spec = specs[i] as TokenSpec;
    chain = below(chain, known?.(spec.id)) ?? attenuate(chain, caps, spec);
  }
  return chain as Block;
}

/** A known block stands for itself only where it hangs below the same parent. */
function below(parent: Block | null, block: Block | undefined): Block | undefined {
  if (block === undefined || block.parent === parent) return block;
  throw new Error(`block ${block.id} hangs below ${block.parent?.id ?? null}`);
}

/** Times after now become moments, as a capability needs to travel (token-block.ts A2). */
export function fixExpiry(caps: readonly Capability[], nowMs: number): readonly Capability[] {
  return caps.map((capability) => {
    const { expires } = capability.constraints;
    if (expires === undefined || "atMs" in expires) return capability;
    const constraints = { ...capability.constraints, expires: { atMs: nowMs + expires.afterMs } };
    return { ...capability, constraints };
  });
}
