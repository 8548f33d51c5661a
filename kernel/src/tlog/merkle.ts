// Merkle hashing as in RFC 6962, section 2.1, over SHA-256.
//
//   leafHash(data)         SHA-256(0x00 || data)
//   nodeHash(left, right)  SHA-256(0x01 || left || right)
//   foldHashes(hashes, right)    joins a row of hashes, and what lies to the right of it, into one hash
//
// A row of hashes is one byte array, 32 bytes a hash: that is also how a tile lies on disk.
//
// MERKLE-1  A leaf and a node never hash alike: their first bytes differ.
// MERKLE-2  fold over the levels of a tree's right edge, lowest first, is the root of RFC 6962.

import { hash } from "node:crypto";

export const HASH_BYTES = 32;

export type Hash = Uint8Array;

export const EMPTY_ROOT: Hash = sha256(new Uint8Array(0));

function sha256(bytes: Uint8Array): Hash {
  return hash("sha256", bytes, "buffer");
}

export function leafHash(data: Uint8Array): Hash {
  const prefixed = new Uint8Array(1 + data.length);
  prefixed.set(data, 1);
  return sha256(prefixed);
}

// Hashing is synchronous, so one scratch buffer serves every call.
const scratch = new Uint8Array(1 + 2 * HASH_BYTES).fill(1, 0, 1);

export function nodeHash(left: Hash, right: Hash): Hash {
  scratch.set(left, 1);
  scratch.set(right, 1 + HASH_BYTES);
  return sha256(scratch);
}

export function hashAt(row: Uint8Array, index: number): Hash {
  return row.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
}

export function sameHash(a: Hash, b: Hash): boolean {
  return Buffer.compare(a, b) === 0;
}

// A row of n hashes is cut as the tree of RFC 6962 cuts it: into perfect subtrees, one for each
// bit of n, the largest on the left. They are joined from the right, where the smallest is.
export function foldHashes(row: Uint8Array, right?: Hash): Hash | undefined {
  let joined = right;
  let end = row.length / HASH_BYTES;
  while (end > 0) {
    const width = end & -end;
    const peak = perfect(row.subarray((end - width) * HASH_BYTES, end * HASH_BYTES));
    joined = joined === undefined ? peak : nodeHash(peak, joined);
    end -= width;
  }
  return joined;
}

// The rows of a tree's right edge, lowest first: see tile-path.ts.
export function rootOfEdge(levels: readonly Uint8Array[]): Hash {
  let joined: Hash | undefined;
  for (const row of levels) joined = foldHashes(row, joined);
  return joined ?? EMPTY_ROOT;
}

// The length of the row is a power of two. Each round halves it in place.
function perfect(row: Uint8Array): Hash {
  const work = new Uint8Array(row);
  for (let width = work.length / HASH_BYTES; width > 1; width /= 2) {
    for (let i = 0; i < width / 2; i += 1) {
      work.set(nodeHash(hashAt(work, 2 * i), hashAt(work, 2 * i + 1)), i * HASH_BYTES);
    }
  }
  return work.slice(0, HASH_BYTES);
}
