// Token: the checks of every token after its bytes are verified, and the blocks that the kernel mints from it.
//
//   checkPresented(blocks, presented)     a chain, not expired, not revoked, with the right holder and audience
//   specsOf(verified, mintedAt)    its blocks as the kernel mints them, outermost first
//
// TOKEN-1  The revocation id of a block comes from its signature or tag: nobody can choose it, so no token can share
//     the counters or the revocation of another's block. The kernel's id is `tok_` and the revocation id.
// TOKEN-2  A block that is presented again, or under other attenuations, has the same id: its counters continue.
// TOKEN-3  The author of a block appended offline, and what it had read, are unknown: its pins are not trusted.

import { type Capability, formatCapability } from "../capability/grammar.ts";
import { mustBeChain, type TokenBlock, TokenError, type TokenFault } from "./token-block.ts";

export interface VerifiedBlock extends TokenBlock {
  readonly revocationId: string;
}

export interface VerifiedToken {
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
export interface PresentedToken {
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
export function checkPresented(blocks: readonly Shown[], presented: PresentedToken): string | null {
  mustBeChain(blocks);
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
export function verifyOrRefuse(verify: () => VerifiedToken): VerifiedToken | TokenRefusal {
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

/** `trusted` is said of the first block only, by who knows on whose word it was minted (TOKEN-3). */
export function specsOf(
  verified: VerifiedToken,
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

/** Times after now become moments, as a capability needs to travel (token-block.ts TOKEN-BLOCK-2). */
export function fixExpiry(caps: readonly Capability[], nowMs: number): readonly Capability[] {
  return caps.map((capability) => {
    const { expires } = capability.constraints;
    if (expires === undefined || "atMs" in expires) return capability;
    const constraints = { ...capability.constraints, expires: { atMs: nowMs + expires.afterMs } };
    return { ...capability, constraints };
  });
}
