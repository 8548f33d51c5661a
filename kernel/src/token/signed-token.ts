// Signed token: a capability chain for another organisation, verified with the issuer's public key only.
//
//   aos2.<block 0>.<signature 0>.….<end>
//
// Each block names the public key that the next one is signed with; block 0 is signed by the issuer.
// The end is the private key of the last block (`k…`), with which a holder appends, or a signature
// made with it (`s…`), after which nobody can.
//
//   mintSignedToken(issuer, caps, mint, seed)        `seed`: 32 fresh random bytes for the next key
//   attenuateSignedToken(token, caps, mint, seed)    offline
//   sealSignedToken(token)                           offline
//   verifySignedToken(token, issuers, presented)     its blocks, or the reason of the refusal
//
// SIGNED-TOKEN-1  A holder can append blocks and can neither change, reorder nor remove one: it has only
//     the last private key.
// SIGNED-TOKEN-2  A signature covers the one before it, so a block belongs to one place in one token.
// SIGNED-TOKEN-3  The end is verified: the private key must be that of the last block, or the seal made with it.
// SIGNED-TOKEN-4  Nothing of a block except the name of its issuer is used before its signature is verified.

import { hash } from "node:crypto";
import { isSignedBy, KEY_BYTES, publicKeyOf, signWith } from "./ed25519.ts";
import type { Capability } from "../capability/grammar.ts";
import {
  joinToken,
  newBlock,
  readBase64,
  readTokenBlock,
  splitToken,
  type TokenBlock,
  TokenError,
  type TokenMint,
} from "./token-block.ts";
import {
  verifyOrRefuse,
  checkPresented,
  type PresentedToken,
  type TokenRefusal,
  type VerifiedToken,
} from "./token.ts";

const VERSION = "aos2";

export interface Issuer {
  readonly name: string;
  readonly seed: Uint8Array;
}

export interface SignedMint extends TokenMint {
  /** The only verifier that should take it. */
  readonly audience?: string | undefined;
}

interface Signed {
  readonly bytes: Buffer;
  readonly signature: Buffer;
}

interface Opened {
  readonly signed: readonly [Signed, ...Signed[]];
  readonly end: { readonly key: Buffer } | { readonly seal: Buffer };
}

interface Content {
  readonly block: TokenBlock & { readonly audience: string | null };
  readonly nextKey: Buffer;
  /** Of the first block. */
  readonly issuer: string | undefined;
}

export function mintSignedToken(
  issuer: Issuer,
  caps: readonly Capability[],
  mint: SignedMint,
  seed: Uint8Array,
): string {
  const bytes = newBlock([], caps, mint, tailOf(mint, seed, [issuer.name]));
  return write([signedBy(issuer.seed, null, bytes)], `k${base64(seed)}`);
}

export function attenuateSignedToken(
  token: string,
  caps: readonly Capability[],
  mint: SignedMint,
  seed: Uint8Array,
): string {
  const { signed, end } = open(token);
  if ("seal" in end) throw new TokenError("signature", "the token is sealed");
  const before = signed.map(({ bytes }, i) => contentOf(bytes, i === 0).block);
  const bytes = newBlock(before, caps, mint, tailOf(mint, seed, []));
  const added = signedBy(end.key, signed.at(-1) as Signed, bytes);
  return write([...signed, added], `k${base64(seed)}`);
}

export function sealSignedToken(token: string): string {
  const { signed, end } = open(token);
  if ("seal" in end) return token;
  const seal = signWith(end.key, sealText(signed.at(-1) as Signed));
  return write(signed, `s${base64(seal)}`);
}

export function verifySignedToken(
  token: string,
  issuers: ReadonlyMap<string, Uint8Array>,
  presented: PresentedToken,
): VerifiedToken | TokenRefusal {
  return verifyOrRefuse(() => {
    const { signed, end } = open(token);
    const issuer = contentOf(signed[0].bytes, true).issuer as string;
    let key = issuers.get(issuer);
    if (key === undefined) throw new TokenError("key", "the token has an unknown issuer");
    const blocks = [];
    let before: Signed | null = null;
    for (const one of signed) {
      mustBeSigned(key, blockText(before, one.bytes), one.signature);
      const { block, nextKey } = contentOf(one.bytes, before === null);
      blocks.push({ ...block, revocationId: revocationIdOf(one.signature) });
      key = nextKey;
      before = one;
    }
    if ("seal" in end) mustBeSigned(key, sealText(before as Signed), end.seal);
    else if (!publicKeyOf(end.key).equals(key)) {
      throw new TokenError("signature", "the token ends with another key");
    }
    const holder = checkPresented(blocks, presented);
    return { ok: true, version: VERSION, issuer, blocks, holder, isSealed: "seal" in end };
  });
}

function signedBy(seed: Uint8Array, before: Signed | null, bytes: Buffer): Signed {
  return { bytes, signature: signWith(seed, blockText(before, bytes)) };
}

/** What a block of this kind says besides: its audience, the next key, and the first its issuer. */
function tailOf({ audience }: SignedMint, seed: Uint8Array, issuer: readonly string[]) {
  return [audience ?? null, base64(publicKeyOf(seed)), ...issuer];
}

function contentOf(bytes: Buffer, isFirst: boolean): Content {
  const { block, tail } = readTokenBlock(bytes);
  const [audience, nextKey, issuer] = tail;
  const isWhole =
    tail.length === (isFirst ? 3 : 2) &&
    typeof nextKey === "string" &&
    (!isFirst || typeof issuer === "string");
  if (!isWhole) throw new TokenError("format", "a block names its audience and the next key");
  const key = readBase64(nextKey);
  if (key.length !== KEY_BYTES) throw new TokenError("format", "the next key is not valid");
  return {
    block: { ...block, audience: audience as string | null },
    nextKey: key,
    issuer: issuer as string | undefined,
  };
}

/** What a signature is made of: what it is, the signature before it, and the block. */
function blockText(before: Signed | null, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from("aos2 block\0"), before?.signature ?? Buffer.alloc(0), bytes]);
}

function sealText({ signature }: Signed): Buffer {
  return Buffer.concat([Buffer.from("aos2 seal\0"), signature]);
}

function mustBeSigned(key: Uint8Array, text: Buffer, signature: Buffer): void {
  if (isSignedBy(key, text, signature)) return;
  throw new TokenError("signature", "the token was changed, or created with another key");
}

function revocationIdOf(signature: Buffer): string {
  return hash("sha256", signature, "hex").slice(0, 32);
}

function write(signed: readonly Signed[], end: string): string {
  return joinToken(VERSION, [...signed.flatMap(({ bytes, signature }) => [bytes, signature]), end]);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

function open(token: string): Opened {
  const { parts, end } = splitToken(token, VERSION, 2);
  const bytes = readBase64(end.slice(1));
  const mark = end.charAt(0);
  if (mark !== "s" && !(mark === "k" && bytes.length === KEY_BYTES)) {
    throw new TokenError("format", "a token ends with a key or a seal");
  }
  const signed = Array.from({ length: parts.length / 2 }, (_, i) => ({
    bytes: parts[2 * i] as Buffer,
    signature: parts[2 * i + 1] as Buffer,
  })) as [Signed, ...Signed[]];
  return { signed, end: mark === "s" ? { seal: bytes } : { key: bytes } };
}
