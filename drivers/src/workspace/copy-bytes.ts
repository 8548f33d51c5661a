// Copy bytes: copies one open file to another, up to a size, and computes the digest.
//
// COPY-BYTES-1  A growing file is read up to its original size.

import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

const CHUNK_BYTES = 1_048_576;

export interface CopyResult {
  readonly size: number;
  /** SHA-256, hexadecimal. */
  readonly hash: string;
}

/** Reads at most `most` bytes; hands each piece on before the next is read. */
export async function readPieces(
  from: FileHandle,
  most: number,
  take: (piece: Buffer) => Promise<void> | void,
): Promise<number> {
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(most, CHUNK_BYTES)));
  let size = 0;
  while (size < most) {
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, most - size), size);
    if (bytesRead === 0) break;
    size += bytesRead;
    await take(buffer.subarray(0, bytesRead));
  }
  return size;
}

export async function copyBytes(
  from: FileHandle,
  to: FileHandle,
  most: number,
): Promise<CopyResult> {
  const digest = createHash("sha256");
  const size = await readPieces(from, most, async (piece) => {
    digest.update(piece);
    await to.writeFile(piece);
  });
  return { size, hash: digest.digest("hex") };
}

export async function fileContentDigest(from: FileHandle, most: number): Promise<CopyResult> {
  const digest = createHash("sha256");
  const size = await readPieces(from, most, (piece) => void digest.update(piece));
  return { size, hash: digest.digest("hex") };
}

export async function isSameContent(one: FileHandle, other: FileHandle): Promise<boolean> {
  const { size } = await one.stat();
  if (size !== (await other.stat()).size) return false;
  const same = Buffer.allocUnsafe(Math.max(1, Math.min(size, CHUNK_BYTES)));
  let isSame = true;
  let at = 0;
  await readPieces(one, size, async (piece) => {
    if (!isSame) return;
    const { bytesRead } = await other.read(same, 0, piece.length, at);
    at += piece.length;
    isSame = bytesRead === piece.length && piece.equals(same.subarray(0, bytesRead));
  });
  return isSame;
}
