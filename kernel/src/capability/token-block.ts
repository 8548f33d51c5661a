// Token block: one block of a capability token that travels outside the kernel, as bytes. Both
// kinds of token (mac-token.ts, signed-token.ts) are chains of these.
//
//   [id, holder, [capability, …], expiresAt, …]     canonical JSON; what follows is the token's own
//
// A1  One block has one text: other bytes that would mean the same are refused.
// A2  A token has no clock of its own: `expires` of its capabilities is a moment, never a time
//     after something, or presenting it again would begin it again.
// A3  `hold` speaks of holders: from a capability that has it on, every block names its holder.
// A4  A token is at most 32 KiB and 16 blocks; a block holds 1 to 128 capabilities.

import { flawIn } from "./characters.ts";
import { CapabilityError } from "./error.ts";
import { type Capability, formatCapability, parseCapability } from "./grammar.ts";
import { type Json, writeJson } from "./json.ts";

const MAX_TOKEN = 32_768;
export const MAX_BLOCKS = 16;
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

export interface Written {
  readonly block: TokenBlock;
  /** What the kind of token adds. */
  readonly tail: readonly Json[];
}

export function newBlock(caps: readonly Capability[], mint: TokenMint): TokenBlock {
  return { id: mint.id, holder: mint.holder ?? null, caps, expiresAt: mint.expiresAt ?? null };
}

export function writeBlock({ block, tail }: Written): Buffer {
  const { id, holder, caps, expiresAt } = block;
  mustBeName(id, "id");
  if (holder !== null) mustBeName(holder, "holder");
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

export function readBlock(bytes: Uint8Array): Written {
  const value = parsed(bytes);
  if (!Array.isArray(value)) throw new TokenError("format", "a block is a list");
  const [id, holder, caps, expiresAt, ...tail] = value as Json[];
  const isBlock =
    typeof id === "string" &&
    (holder === null || typeof holder === "string") &&
    Array.isArray(caps) &&
    (expiresAt === null || typeof expiresAt === "number");
  if (!isBlock) throw new TokenError("format", "a block is [id, holder, capabilities, expiresAt]");
  const written = { block: { id, holder, caps: caps.map(capability), expiresAt }, tail };
  if (writeBlock(written).equals(bytes)) return written;
  throw new TokenError("format", "a block that is not in its canonical form");
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new TokenError("format", "a block that is not JSON");
  }
}

function capability(text: unknown): Capability {
  try {
    return parseCapability(String(text));
  } catch (error) {
    if (error instanceof CapabilityError) throw new TokenError("format", error.message);
    throw error;
  }
}

export function mustBeName(name: string, what: string): void {
  if (name !== "" && name.length <= MAX_NAME && flawIn(name) === null) return;
  throw new TokenError("format", `${what}: 1 to ${MAX_NAME} visible characters`);
}

/** What is true of the blocks of one token together (A3, A4, and no id twice). */
export function mustBeChain(blocks: readonly TokenBlock[]): void {
  if (blocks.length > MAX_BLOCKS) throw new TokenError("format", `more than ${MAX_BLOCKS} blocks`);
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

/** The parts of a token after its version. */
export function splitToken(token: string, version: string): readonly string[] {
  if (token.length > MAX_TOKEN) {
    throw new TokenError("format", `a token is at most ${MAX_TOKEN} characters`);
  }
  const [first, ...parts] = token.split(".");
  if (first !== version) throw new TokenError("version", `this is no ${version} token`);
  return parts;
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
  if (token.length <= MAX_TOKEN) return token;
  throw new TokenError("format", `a token is at most ${MAX_TOKEN} characters`);
}
