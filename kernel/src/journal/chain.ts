// Chain: the hash of each record covers its whole text and the hash before it, from the first record on.

export { linkHash } from "../store/record-links.ts";

export const CHAIN_START = "0".repeat(64);

export const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");

export const bytesOfHex = (hex: string): Uint8Array => Buffer.from(hex, "hex");
