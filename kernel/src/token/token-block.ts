// Token block: one block of a capability token that travels outside the kernel, as bytes. Both
// kinds of token (mac-token.ts, signed-token.ts) are chains of these.
//
//   [id, holder, [capability, …], expiresAt, …]     canonical JSON; what follows is the token's own
//
// TOKEN-BLOCK-1  A block has one encoding: other bytes with the same meaning are refused.
// TOKEN-BLOCK-2  `expires` of a token's capabilities is a time, never a duration, which would restart with each
//     presentation.
// TOKEN-BLOCK-3  `hold` refers to holders: from a capability with `hold` on, every block names its holder.
// TOKEN-BLOCK-4  A token is at most 32 KiB and 16 blocks; a block holds 1 to 128 capabilities.
// TOKEN-BLOCK-5  Every name in a block, and each addition of its token, has 1 to 256 visible characters.

import { flawIn } from "../capability/characters.ts";
import { CapabilityError } from "../capability/error.ts";
import { type Capability, formatCapability, parseCapability } from "../capability/grammar.ts";
import { writeJson } from "../capability/json.ts";

const MAX_TOKEN = 32_768;
const MAX_BLOCKS = 16;
const MAX_CAPABILITIES = 128;
const MAX_NAME = 256;

export interface TokenBlock {
  /** A name its author chose. The kernel knows the block by its revocation id. */
  readonly id: string;
  /** Who alone may present it, as long as no later block names another. */
  readonly holder: string | null;
  readonly caps: readonly Capability[];
  /** Milliseconds since 1970; the first at which it is over. */
  readonly expiresAt: number | null;
}

/** What an author says of a new block besides its capabilities. */
export interface TokenMint {
  readonly id: string;
  readonly holder?: string | undefined;
  readonly expiresAt?: number | undefined;
}

export type TokenFault =
  | "format"
  | "version"
  | "key"
  | "signature"
  | "expired"
  | "revoked"
  | "holder"
  | "audience";

/** A token that is not one, or a block that no token can carry. */
export class TokenError extends Error {
  override readonly name = "TokenError";
  readonly code: TokenFault;

  constructor(code: TokenFault, problem: string) {
    super(problem);
    this.code = code;
  }
}

export interface EncodedBlock {
  readonly block: TokenBlock;
  /** What the kind of token adds. */
  readonly tail: readonly (string | null)[];
}

/** The bytes of a block that goes below those before it. */
export function newBlock(
  before: readonly TokenBlock[],
  caps: readonly Capability[],
  { id, holder, expiresAt }: TokenMint,
  tail: EncodedBlock["tail"],
): Buffer {
  const block = { id, holder: holder ?? null, caps, expiresAt: expiresAt ?? null };
  mustBeChain([...before, block]);
  return writeBlock({ block, tail });
}

function writeBlock({ block, tail }: EncodedBlock): Buffer {
  const { id, holder, caps, expiresAt } = block;
  for (const name of [id, holder, ...tail]) if (name !== null) mustBeName(name);
  if (expiresAt !== null && !(Number.isSafeInteger(expiresAt) && expiresAt >= 0)) {
    throw new TokenError("format", "expiresAt is whole milliseconds since 1970");
  }
  if (caps.length === 0 || caps.length > MAX_CAPABILITIES) {
    throw new TokenError("format", `a block holds 1 to ${MAX_CAPABILITIES} capabilities`);
  }
  for (const { constraints } of caps) {
    if (constraints.expires === undefined || "atMs" in constraints.expires) continue;
    throw new TokenError("format", "a capability that travels expires at a moment");
  }
  return Buffer.from(writeJson([id, holder, caps.map(formatCapability), expiresAt, ...tail]));
}

/** Anybody may have written the bytes. What writeBlock does not ask is asked here. */
export function readTokenBlock(bytes: Buffer): EncodedBlock {
  const [id, holder, caps, expiresAt, ...tail] = listIn(bytes);
  const isBlock =
    typeof id === "string" &&
    isNameOrNull(holder) &&
    Array.isArray(caps) &&
    caps.every((cap) => typeof cap === "string") &&
    tail.every(isNameOrNull);
  if (!isBlock) throw new TokenError("format", "a block is [id, holder, capabilities, expiresAt]");
  const block = { id, holder, caps: caps.map(capability), expiresAt: expiresAt as number | null };
  const written = { block, tail };
  if (writeBlock(written).equals(bytes)) return written;
  throw new TokenError("format", "a block that is not in its canonical form");
}

function listIn(bytes: Buffer): unknown[] {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    if (Array.isArray(value)) return value;
  } catch {
    // not JSON, hence no list
  }
  throw new TokenError("format", "a block is a list");
}

function isNameOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function capability(text: string): Capability {
  try {
    return parseCapability(text);
  } catch (error) {
    throw error instanceof CapabilityError ? new TokenError("format", error.message) : error;
  }
}

function mustBeName(name: string): void {
  if (name !== "" && name.length <= MAX_NAME && flawIn(name) === null) return;
  throw new TokenError("format", `a name has 1 to ${MAX_NAME} visible characters`);
}

/** What is true of the blocks of one token together (TOKEN-BLOCK-3, TOKEN-BLOCK-4, and no id twice). */
export function mustBeChain(blocks: readonly TokenBlock[]): void {
  mustBeFew(blocks.length);
  if (new Set(blocks.map(({ id }) => id)).size < blocks.length) {
    throw new TokenError("format", "two blocks have the same id");
  }
  let needsHolder = false;
  for (const { caps, holder } of blocks) {
    needsHolder ||= caps.some(({ constraints }) => constraints.hold !== undefined);
    if (needsHolder && holder === null) {
      throw new TokenError("format", "a token with hold names the holder of each block");
    }
  }
}

/** The bytes of a token's blocks, each in so many parts, and its end as it is written. */
export function splitToken(
  token: string,
  version: string,
  partsOfBlock: number,
): { readonly parts: readonly Buffer[]; readonly end: string } {
  mustBeShort(token);
  const [first, ...texts] = token.split(".");
  if (first !== version) throw new TokenError("version", `this is not an ${version} token`);
  const end = texts.pop() as string; // without an end there is no block either
  const count = texts.length / partsOfBlock;
  if (count === 0 || !Number.isInteger(count)) {
    throw new TokenError("format", "a token is whole blocks and an end");
  }
  mustBeFew(count);
  return { parts: texts.map(readBase64), end };
}

function mustBeShort(token: string): void {
  if (token.length <= MAX_TOKEN) return;
  throw new TokenError("format", `a token is at most ${MAX_TOKEN} characters`);
}

function mustBeFew(blocks: number): void {
  if (blocks > MAX_BLOCKS) throw new TokenError("format", `more than ${MAX_BLOCKS} blocks`);
}

/** Base64url without padding, and only the one spelling of the bytes. */
export function readBase64(text: string): Buffer {
  const bytes = Buffer.from(text, "base64url");
  if (text !== "" && bytes.toString("base64url") === text) return bytes;
  throw new TokenError("format", "not base64url in its canonical form");
}

export function joinToken(version: string, parts: readonly (Uint8Array | string)[]): string {
  const texts = parts.map((part) =>
    typeof part === "string" ? part : Buffer.from(part).toString("base64url"),
  );
  const token = [version, ...texts].join(".");
  mustBeShort(token);
  return token;
}
