// Shared by the tests of this folder: logs in temporary folders, and a naive second implementation of RFC 6962 for
// comparison.

import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { TransparencyLog } from "../../../kernel/src/tlog/log.ts";
import { loadOrCreateSigner } from "../../../kernel/src/tlog/signer.ts";
import type { Signer } from "../../../kernel/src/tlog/signer.ts";

export const LOG_NAME = "example.com/journal";

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tlog-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function temporarySigner(name = LOG_NAME): Promise<Signer> {
  return await loadOrCreateSigner(join(await temporaryFolder(), "key.pem"), name);
}

export function entryNumber(index: number): Uint8Array {
  return Buffer.from(`entry ${index}`);
}

export function entriesBetween(start: number, end: number): Uint8Array[] {
  return Array.from({ length: end - start }, (_, i) => entryNumber(start + i));
}

// A log that published entries 0..size, one head for each of `sizes`.
export async function publishedLog(
  ...sizes: number[]
): Promise<{ folder: string; signer: Signer; log: TransparencyLog }> {
  const [folder, signer] = [await temporaryFolder(), await temporarySigner()];
  const log = await TransparencyLog.open(folder, signer);
  for (const size of sizes) {
    log.append(entriesBetween(log.size, size));
    await log.publish();
  }
  return { folder, signer, log };
}

export async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(folder.length + 1))
    .sort();
}

export async function readAll(log: TransparencyLog, from = 0): Promise<Uint8Array[]> {
  return (await collect(log.entries(from))).map(({ data }) => Buffer.from(data));
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export async function finishes(work: Promise<unknown>): Promise<boolean> {
  return await work.then(
    () => true,
    () => false,
  );
}

// RFC 6962, section 2.1, word for word.
export function naiveRoot(leaves: readonly Uint8Array[]): Buffer {
  const [first] = leaves;
  if (first === undefined) return createHash("sha256").digest();
  if (leaves.length === 1) return sha256(Buffer.of(0), first);
  const k = naiveSplit(leaves.length);
  return sha256(Buffer.of(1), naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)));
}

// Section 2.1.1.
export function naivePath(m: number, leaves: readonly Uint8Array[]): Buffer[] {
  if (leaves.length <= 1) return [];
  const k = naiveSplit(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m < k
    ? [...naivePath(m, left), naiveRoot(right)]
    : [...naivePath(m - k, right), naiveRoot(left)];
}

// Section 2.1.2.
export function naiveProof(m: number, leaves: readonly Uint8Array[], whole = true): Buffer[] {
  if (m === leaves.length) return whole ? [] : [naiveRoot(leaves)];
  const k = naiveSplit(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m <= k
    ? [...naiveProof(m, left, whole), naiveRoot(right)]
    : [...naiveProof(m - k, right, false), naiveRoot(left)];
}

function naiveSplit(n: number): number {
  return 2 ** (Math.ceil(Math.log2(n)) - 1);
}

function sha256(...parts: Uint8Array[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}
