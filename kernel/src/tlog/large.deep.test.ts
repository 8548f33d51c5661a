// Trees that are filled past level 1 of their tiles: 65,536 entries and more.

import { expect, test } from "vitest";
import { TransparencyLog } from "./log.ts";
import { leafHash, rootOfEdge } from "./merkle.ts";
import { verifyConsistency, verifyInclusion } from "./proof.ts";
import { EMPTY_EDGE, grow } from "./right-edge.ts";
import {
  entriesBetween,
  entryNumber,
  filesIn,
  naiveRoot,
  publishedLog,
  readAll,
} from "../../../tests/helpers/kernel/tlog.ts";
import { verifyLog } from "./verify-log.ts";

const rootOf = (size: number) => naiveRoot(entriesBetween(0, size));

test("a proof through every level of tiles is accepted", async () => {
  const { log } = await publishedLog(65_536 + 300);
  const { size, root } = log;

  for (const index of [0, 255, 256, 65_535, 65_536, size - 1]) {
    const path = await log.inclusionProof(index);
    expect(verifyInclusion({ leaf: leafHash(entryNumber(index)), index, size, root, path })).toBe(
      true,
    );
  }
  for (const from of [1, 256, 65_536, 65_537, size]) {
    const path = await log.consistencyProof(from);
    const claim = { from, fromRoot: rootOf(from), to: size, toRoot: root, path };
    expect(verifyConsistency(claim)).toBe(true);
  }
});

test("a tree of 65537 entries has the root that RFC 6962 defines (MERKLE-2)", () => {
  const entries = entriesBetween(0, 65_537);

  const { edge } = grow(EMPTY_EDGE, entries);

  expect(Buffer.from(rootOfEdge(edge.levels))).toEqual(naiveRoot(entries));
});

test.each([65_536, 65_537])(
  "a log of %i entries is sound, and reads back after reopening",
  async (size) => {
    const { folder, signer, log } = await publishedLog(size);
    await log.close();

    const reopened = await TransparencyLog.open(folder, signer);

    expect(reopened.size).toBe(size);
    expect(await readAll(reopened)).toEqual(entriesBetween(0, size));
    expect(Buffer.from(reopened.root)).toEqual(rootOf(size));
    expect(await verifyLog(folder, signer.verifierKey)).toEqual([]);
  },
);

test("the tiles of a tree filled past level 1 are where tlog-tiles puts them", async () => {
  const { folder } = await publishedLog(65_000, 65_535, 65_536, 65_537);

  const files = await filesIn(folder);

  expect(files).toHaveLength(1 + 256 + 1 + 1 + 1 + 256 + 1);
  for (const file of ["tile/0/255", "tile/0/256.p/1", "tile/1/000", "tile/2/000.p/1"]) {
    expect(files).toContain(file);
  }
});
