// Chain: the hash of each record covers its whole text and the hash before it, from the first record on.

import { hash } from "node:crypto";

export const CHAIN_START = "0".repeat(64);

/** The hash of a record that follows the one with hash `previous`, both in hex. */
export const linkHash = (previous: string, text: string): string =>
  hash("sha256", `${previous}\n${text}`, "hex");

/** The same, and the text cut from what was hashed: that is in one piece, and is not copied together again. */
export function link(previous: string, text: string): { hash: string; text: string } {
  const whole = `${previous}\n${text}`;
  return { hash: hash("sha256", whole, "hex"), text: whole.slice(previous.length + 1) };
}

export const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");

export const bytesOfHex = (hex: string): Uint8Array => Buffer.from(hex, "hex");
