// Appends a narrowing block to a token. It needs no key and no storage: the holder of a token can do the same
// anywhere.

import { randomBytes } from "node:crypto";
import { attenuateMacToken, attenuateSignedToken, readCapability } from "@aos/kernel";
import { newId, SysError } from "@aos/protocol";

const SIGNED = "aos2.";
const REFUSALS = new Set(["CapabilityError", "TokenError"]);

export function attenuateToken(request: {
  readonly token: string;
  readonly capabilities: readonly string[];
  readonly expiresAt: number | undefined;
  readonly holder?: string | undefined;
}): string {
  const { token, expiresAt, holder } = request;
  const mint = { id: newId("tkb", Date.now(), randomBytes(10)), expiresAt, holder };
  try {
    const capabilities = request.capabilities.map((text) => readCapability(text));
    return token.startsWith(SIGNED)
      ? attenuateSignedToken(token, capabilities, mint, randomBytes(32))
      : attenuateMacToken(token, capabilities, mint);
  } catch (error) {
    if (!(error instanceof Error) || !REFUSALS.has(error.name)) throw error;
    throw new SysError("EINVAL", error.message, {
      hint: "`aos caps verify TOKEN` shows what the token carries",
    });
  }
}
