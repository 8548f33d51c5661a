// Inclusion and consistency proofs, RFC 6962 sections 2.1.1 and 2.1.2, made and checked.
//
//   inclusionPath / verifyInclusion       this leaf is number `index` of the tree with that root
//   consistencyPath / verifyConsistency   the smaller tree is a prefix of the larger one
//
// Making a proof needs the hashes of subtrees, which the caller supplies; checking one needs
// nothing but the proof and the roots. Both follow the recursion by which the RFC defines them.
//
// TLOG-PROOF-1  A proof is accepted only if every hash of it is used and none is missing.

import { EMPTY_ROOT, nodeHash, sameHash } from "./merkle.ts";
import type { Hash } from "./merkle.ts";

export type SubtreeHash = (start: number, end: number) => Promise<Hash>;

// The largest power of two below n; 1 for n = 1.
export function splitPoint(n: number): number {
  let k = 1;
  while (2 * k < n) k *= 2;
  return k;
}

export async function inclusionPath(
  index: number,
  size: number,
  subtree: SubtreeHash,
): Promise<Hash[]> {
  const path: Hash[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitPoint(end - start);
    const left = index < middle;
    path.unshift(await (left ? subtree(middle, end) : subtree(start, middle)));
    if (left) end = middle;
    else start = middle;
  }
  return path;
}

export async function consistencyPath(
  from: number,
  to: number,
  subtree: SubtreeHash,
): Promise<Hash[]> {
  if (from === 0 || from === to) return [];
  const path: Hash[] = [];
  let [start, end] = [0, to];
  while (end > from) {
    const middle = start + splitPoint(end - start);
    const left = from <= middle;
    path.unshift(await (left ? subtree(middle, end) : subtree(start, middle)));
    if (left) end = middle;
    else start = middle;
  }
  // Where the smaller tree ends with a whole left part, its root says this hash already.
  if (start > 0) path.unshift(await subtree(start, end));
  return path;
}

export function verifyInclusion(claim: {
  leaf: Hash;
  index: number;
  size: number;
  root: Hash;
  path: readonly Hash[];
}): boolean {
  const { leaf, index, size, root, path } = claim;
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  const computed = rootFrom(leaf, index, size, path);
  return computed !== undefined && sameHash(computed, root);
}

function rootFrom(
  leaf: Hash,
  index: number,
  size: number,
  path: readonly Hash[],
): Hash | undefined {
  const sibling = path.at(-1);
  if (size === 1) return sibling === undefined ? leaf : undefined;
  if (sibling === undefined) return undefined;
  const k = splitPoint(size);
  const rest = path.slice(0, -1);
  const inner =
    index < k ? rootFrom(leaf, index, k, rest) : rootFrom(leaf, index - k, size - k, rest);
  if (inner === undefined) return undefined;
  return index < k ? nodeHash(inner, sibling) : nodeHash(sibling, inner);
}

export function verifyConsistency(claim: {
  from: number;
  fromRoot: Hash;
  to: number;
  toRoot: Hash;
  path: readonly Hash[];
}): boolean {
  const { from, fromRoot, to, toRoot, path } = claim;
  if (!isCount(from) || !isCount(to) || from > to) return false;
  if (from === 0) return path.length === 0 && sameHash(fromRoot, EMPTY_ROOT);
  const roots = rootsFrom(from, to, path, fromRoot);
  return roots !== undefined && sameHash(roots.old, fromRoot) && sameHash(roots.new, toRoot);
}

// `whole` is the root of the smaller tree as long as only left parts were entered: the proof
// leaves out the hash that it would repeat.
function rootsFrom(
  from: number,
  to: number,
  path: readonly Hash[],
  whole?: Hash,
): { old: Hash; new: Hash } | undefined {
  if (from === to) {
    const [hash, ...more] = whole === undefined ? path : [whole, ...path];
    return hash === undefined || more.length > 0 ? undefined : { old: hash, new: hash };
  }
  const sibling = path.at(-1);
  if (sibling === undefined) return undefined;
  const k = splitPoint(to);
  const rest = path.slice(0, -1);
  if (from <= k) {
    const inner = rootsFrom(from, k, rest, whole);
    return inner && { old: inner.old, new: nodeHash(inner.new, sibling) };
  }
  const inner = rootsFrom(from - k, to - k, rest);
  return inner && { old: nodeHash(sibling, inner.old), new: nodeHash(sibling, inner.new) };
}

function isCount(n: number): boolean {
  return Number.isSafeInteger(n) && n >= 0;
}
