// Tokens: power as text, to be carried outside and presented again. `aos1.` is valid for this kernel only; `aos2.` is
// signed and verifiable with the public key.
//
// Both keys are derived from the key that seals secrets, which already gives access to everything.

import { createHmac, hkdfSync } from "node:crypto";
import { newId, SysError, type Json } from "@aos/protocol";
import type { TokenRequest } from "../api.ts";
import { formatCapability, parseCapability } from "../capability/index.ts";
import {
  fixExpiry,
  mintMacToken,
  mintSignedToken,
  publicKeyOf,
  specsOf,
  type TokenRefusal,
  type VerifiedToken,
  verifyMacToken,
  verifySignedToken,
} from "../token/index.ts";
import type { Platform } from "../platform/clock.ts";
import { readCapabilities } from "../process/process-factory.ts";
import type { SecretKey } from "../secret/index.ts";
import type { BlockSpec } from "../store/rows.ts";

interface Parts {
  /** What was revoked, by the rows and by the ledger. */
  readonly revokedIds: () => Promise<ReadonlySet<string>>;
  readonly platform: Platform;
  readonly keys: readonly SecretKey[];
  /** The name that our signed tokens carry, and are shown under. */
  readonly issuer: string;
  /** Public keys of others whose tokens count here, by their names. */
  readonly issuers: Readonly<Record<string, Uint8Array>>;
}

const derive = (key: SecretKey, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", key.bytes, "", `agent-os ${purpose}`, 32));

export class Tokens {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** What others need to check the tokens that we sign. */
  get publicKey(): Uint8Array {
    return publicKeyOf(derive(this.#parts.keys[0]!, "token signing"));
  }

  /** Of a text, by a key of its own purpose; the first is by the key that signs now. */
  authenticationCodes(purpose: string, text: string): readonly string[] {
    return this.#parts.keys.map((key) =>
      createHmac("sha256", derive(key, purpose)).update(text).digest("base64url"),
    );
  }

  async mint(request: TokenRequest): Promise<{ token: string; ids: readonly string[] }> {
    const { platform, keys, issuer } = this.#parts;
    const written = readCapabilities(request.capabilities).map(parseCapability);
    const capabilities = fixExpiry(written, platform.now());
    const id = newId("tkb", platform.now(), platform.bytes(10));
    const { expiresAt, holder } = request;
    const mint = { id, expiresAt, holder };
    const key = keys[0]!;
    const token =
      request.signed === true
        ? mintSignedToken(
            { name: issuer, seed: derive(key, "token signing") },
            capabilities,
            mint,
            platform.bytes(32),
          )
        : mintMacToken({ id: key.id, key: derive(key, "token mac") }, capabilities, mint);
    const { blocks } = await this.#verified(token, holder);
    return { token, ids: blocks.map(({ revocationId }) => revocationId) };
  }

  async verify(token: string): Promise<Json> {
    const verified = await this.#verify(token, undefined);
    if (!verified.ok) return { ok: false, code: verified.code, why: verified.why };
    const { version, issuer, holder, isSealed, blocks } = verified;
    return {
      ok: true,
      version,
      issuer,
      holder,
      isSealed,
      blocks: blocks.map((block) => ({
        id: block.id,
        revocationId: block.revocationId,
        holder: block.holder,
        expiresAt: block.expiresAt === null ? null : new Date(block.expiresAt).toISOString(),
        capabilities: block.caps.map(formatCapability),
      })),
    };
  }

  /** The blocks of a token as the kernel mints them, outermost first, for whoever shows it. */
  async chain(token: string, presenter: string): Promise<BlockSpec[]> {
    const verified = await this.#verified(token, presenter);
    return specsOf(verified, this.#parts.platform.now()).map(({ expiresAt, ...spec }) => ({
      ...spec,
      ...(expiresAt === undefined ? {} : { expiresAt }),
    }));
  }

  async #verified(token: string, presenter: string | undefined): Promise<VerifiedToken> {
    const verified = await this.#verify(token, presenter);
    if (verified.ok) return verified;
    throw new SysError("EACCES", `the token is refused: ${verified.why}`);
  }

  async #verify(
    token: string,
    presenter: string | undefined,
  ): Promise<VerifiedToken | TokenRefusal> {
    const { platform, keys, issuer, issuers } = this.#parts;
    const revoked = await this.#parts.revokedIds();
    const presented = {
      nowMs: platform.now(),
      isRevoked: (id: string) => revoked.has(id),
      presenter,
      audience: issuer,
    };
    if (!token.startsWith("aos2."))
      return verifyMacToken(
        token,
        new Map(keys.map((key) => [key.id, derive(key, "token mac")])),
        presented,
      );
    const ours = keys.map((key) => publicKeyOf(derive(key, "token signing")));
    return verifySignedToken(
      token,
      new Map([...Object.entries(issuers), [issuer, ours[0]!]]),
      presented,
    );
  }
}
