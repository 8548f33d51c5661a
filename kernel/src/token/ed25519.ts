// Ed25519 with raw keys: a private key is its 32-byte seed, a public key its 32 bytes. Keys are not generated here;
// the caller supplies random bytes as the seed.

import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

export const KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** What stands before the raw key in its standard encodings (RFC 8410). */
const PRIVATE_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC_HEAD = Buffer.from("302a300506032b6570032100", "hex");

function privateKey(seed: Uint8Array): KeyObject {
  if (seed.length !== KEY_BYTES) throw new Error(`a seed has ${KEY_BYTES} bytes`);
  const key = Buffer.concat([PRIVATE_HEAD, seed]);
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}

export function publicKeyOf(seed: Uint8Array): Buffer {
  const spki = createPublicKey(privateKey(seed)).export({ format: "der", type: "spki" });
  return spki.subarray(PUBLIC_HEAD.length);
}

export function signWith(seed: Uint8Array, message: Uint8Array): Buffer {
  return sign(null, message, privateKey(seed));
}

/** False for anything that is not a good signature, a key that is none included. */
export function isSignedBy(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (publicKey.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  const key = Buffer.concat([PUBLIC_HEAD, publicKey]);
  return verify(null, message, createPublicKey({ key, format: "der", type: "spki" }), signature);
}
