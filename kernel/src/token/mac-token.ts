// MAC token: a capability chain that leaves the process and returns to the same kernel.
//
//   aos1.<block 0>.<block 1>.….<tag>      each part base64url
//   tag 0 = HMAC-SHA256(root key, block 0)     tag i = HMAC-SHA256(tag i-1, block i)
//
//   mintMacToken(key, caps, mint)               with the root key
//   attenuateMacToken(token, caps, mint)        by any holder, offline, without it
//   verifyMacToken(token, keys, presented)      with the keys: its blocks, or the reason of the refusal
//
// MAC-TOKEN-1  A holder can append blocks and can neither change, reorder nor remove one: the tag of a
//     shorter chain cannot be had from that of a longer one.
// MAC-TOKEN-2  Block 0 names its key. After a key rotation the old keys must be kept as long as their tokens.
// MAC-TOKEN-3  Nothing of a block except the name of its key is used before the tag is verified.

import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { Capability } from "../capability/grammar.ts";
import {
  joinToken,
  newBlock,
  readBase64,
  readTokenBlock,
  splitToken,
  TokenError,
  type TokenMint,
  type EncodedBlock,
} from "./token-block.ts";
import {
  verifyOrRefuse,
  checkPresented,
  type PresentedToken,
  type TokenRefusal,
  type VerifiedToken,
} from "./token.ts";

const VERSION = "aos1";
const TAG_BYTES = 32;
const MIN_KEY_BYTES = 32;

export interface MacKey {
  readonly id: string;
  readonly key: Uint8Array;
}

export function mintMacToken(root: MacKey, caps: readonly Capability[], mint: TokenMint): string {
  mustBeKey(root.key);
  const bytes = newBlock([], caps, mint, [root.id]);
  return joinToken(VERSION, [bytes, tagOf(root.key, bytes)]);
}

export function attenuateMacToken(
  token: string,
  caps: readonly Capability[],
  mint: TokenMint,
): string {
  const { parts, tag } = open(token);
  const before = readAll(parts).map(({ block }) => block);
  const bytes = newBlock(before, caps, mint, []);
  return joinToken(VERSION, [...parts, bytes, tagOf(tag, bytes)]);
}

export function verifyMacToken(
  token: string,
  keys: ReadonlyMap<string, Uint8Array>,
  presented: PresentedToken,
): VerifiedToken | TokenRefusal {
  return verifyOrRefuse(() => {
    const { parts, tag } = open(token);
    const issuer = keyIdOf(readTokenBlock(parts[0]));
    const key = keys.get(issuer);
    if (key === undefined) throw new TokenError("key", "the token was created with an unknown key");
    mustBeKey(key);
    const tags = tagsOf(key, parts);
    if (!timingSafeEqual(tags.at(-1) as Buffer, tag)) {
      throw new TokenError("signature", "the token was changed, or created with another key");
    }
    const blocks = readAll(parts).map(({ block }, i) => ({
      ...block,
      revocationId: revocationIdOf(tags[i] as Buffer),
    }));
    const holder = checkPresented(blocks, presented);
    return { ok: true, version: VERSION, issuer, blocks, holder, isSealed: false };
  });
}

type Parts = readonly [Buffer, ...Buffer[]];

function open(token: string): { parts: Parts; tag: Buffer } {
  const { parts, end } = splitToken(token, VERSION, 1);
  const tag = readBase64(end);
  if (tag.length !== TAG_BYTES) throw new TokenError("format", "a token ends with its tag");
  return { parts: parts as Parts, tag };
}

function readAll([first, ...rest]: Parts): EncodedBlock[] {
  const written = readTokenBlock(first);
  keyIdOf(written);
  return [written, ...rest.map(readLater)];
}

function readLater(bytes: Buffer): EncodedBlock {
  const written = readTokenBlock(bytes);
  if (written.tail.length === 0) return written;
  throw new TokenError("format", "only the first block names a key");
}

function keyIdOf({ tail }: EncodedBlock): string {
  const [id] = tail;
  if (tail.length !== 1 || typeof id !== "string") {
    throw new TokenError("format", "the first block names its key");
  }
  return id;
}

function tagsOf(key: Uint8Array, parts: Parts): readonly Buffer[] {
  const tags: Buffer[] = [];
  for (const part of parts) tags.push(tagOf(tags.at(-1) ?? key, part));
  return tags;
}

function tagOf(key: Uint8Array, block: Uint8Array): Buffer {
  return createHmac("sha256", key).update(block).digest();
}

/** One way: knowing it does not help to append below the block. */
function revocationIdOf(tag: Buffer): string {
  return hash("sha256", Buffer.concat([Buffer.from("aos1 revocation\0"), tag]), "hex").slice(0, 32);
}

function mustBeKey(key: Uint8Array): void {
  if (key.length < MIN_KEY_BYTES) {
    throw new TokenError("key", `a root key has at least ${MIN_KEY_BYTES} bytes`);
  }
}
