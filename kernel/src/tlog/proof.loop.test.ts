import { expect, inject, test } from "vitest";
import * as fc from "fast-check";
import { leafHash } from "./merkle.ts";
import { verifyConsistency, verifyInclusion } from "./proof.ts";
import {
  entriesBetween,
  entryNumber,
  naivePath,
  naiveProof,
  naiveRoot,
  publishedLog,
} from "../../../tests/helpers/kernel/tlog.ts";

const buffers = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash));
const RUNS = { numRuns: inject("isDeep") ? 100 : 25 };
const rootOf = (size: number) => naiveRoot(entriesBetween(0, size));

test("every inclusion proof is the one of RFC 6962, and is accepted", async () => {
  const { log } = await publishedLog(3, 700);

  await fc.assert(
    fc.asyncProperty(fc.nat(699), fc.nat(699), async (a, b) => {
      const [index, size] = [Math.min(a, b), Math.max(a, b) + 1];
      const path = await log.inclusionProof(index, size);

      expect(buffers(path)).toEqual(naivePath(index, entriesBetween(0, size)));
      const leaf = leafHash(entryNumber(index));
      expect(verifyInclusion({ leaf, index, size, root: rootOf(size), path })).toBe(true);
    }),
    RUNS,
  );
});

test("every consistency proof is the one of RFC 6962, and is accepted", async () => {
  const { log } = await publishedLog(3, 700);

  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 700 }), fc.nat(700), async (a, b) => {
      const [from, to] = [Math.min(a, b || 1), Math.max(a, b)];
      const path = await log.consistencyProof(from, to);

      expect(buffers(path)).toEqual(naiveProof(from, entriesBetween(0, to)));
      const roots = { fromRoot: rootOf(from), toRoot: rootOf(to) };
      expect(verifyConsistency({ from, to, path, ...roots })).toBe(true);
    }),
    RUNS,
  );
});

test("an inclusion proof with anything changed is refused (TLOG-PROOF-1)", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 60 }), fc.nat(), fc.nat(), (size, i, j) => {
      const index = i % size;
      const path = naivePath(index, entriesBetween(0, size));
      const claim = { leaf: leafHash(entryNumber(index)), index, size, root: rootOf(size), path };
      const at = j % path.length;

      const lies = [
        { ...claim, index: (index + 1) % size },
        { ...claim, index: size },
        { ...claim, leaf: leafHash(entryNumber(size)) },
        { ...claim, root: rootOf(size - 1) },
        { ...claim, path: path.toSpliced(at, 1) },
        { ...claim, path: path.toSpliced(at, 0, rootOf(1)) },
        { ...claim, path: path.with(at, rootOf(size)) },
      ];

      expect(verifyInclusion(claim)).toBe(true);
      expect(lies.map(verifyInclusion)).toEqual(lies.map(() => false));
    }),
  );
});

test("a consistency proof with anything changed is refused (TLOG-PROOF-1)", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 60 }), fc.nat(), fc.nat(), (to, i, j) => {
      const from = 1 + (i % (to - 1));
      const path = naiveProof(from, entriesBetween(0, to));
      const claim = { from, fromRoot: rootOf(from), to, toRoot: rootOf(to), path };
      const at = j % path.length;

      const lies = [
        { ...claim, fromRoot: rootOf(from + 1) },
        { ...claim, toRoot: rootOf(to + 1) },
        { ...claim, path: path.toSpliced(at, 1) },
        { ...claim, path: path.toSpliced(at, 0, rootOf(0)) },
        { ...claim, path: path.with(at, rootOf(0)) },
        { ...claim, from: to, to: from },
      ];

      expect(verifyConsistency(claim)).toBe(true);
      expect(lies.map(verifyConsistency)).toEqual(lies.map(() => false));
    }),
  );
});

test("every tree goes on from the empty one, and from itself, with no proof at all", () => {
  const [none, some] = [rootOf(0), rootOf(5)];
  const claim = { from: 0, fromRoot: none, to: 5, toRoot: some, path: [] };

  expect(verifyConsistency(claim)).toBe(true);
  expect(verifyConsistency({ ...claim, from: 5, fromRoot: some })).toBe(true);
  expect(verifyConsistency({ ...claim, fromRoot: some })).toBe(false);
  expect(verifyConsistency({ ...claim, path: [some] })).toBe(false);
});
