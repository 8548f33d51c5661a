import { expect, test } from "vitest";
import * as fc from "fast-check";
import { HASH_BYTES, leafHash, rootOfEdge } from "./merkle.ts";
import { EMPTY_EDGE, grow } from "./right-edge.ts";
import { entriesBetween, naiveRoot } from "../../../tests/helpers/kernel/tlog.ts";

// The inputs and roots with which the Certificate Transparency project tests its own trees.
const inputs = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
].map((hex) => Buffer.from(hex, "hex"));
const roots = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

test.each(roots.map((root, size) => ({ size, root })))(
  "the root of the first $size known entries is the published one (MERKLE-2)",
  ({ size, root }) => {
    const { edge } = grow(EMPTY_EDGE, inputs.slice(0, size));

    expect(Buffer.from(rootOfEdge(edge.levels)).toString("hex")).toBe(root);
  },
);

test.each([255, 256, 257, 511, 513])(
  "a tree of %i entries has the root that RFC 6962 defines (MERKLE-2)",
  (size) => {
    const entries = entriesBetween(0, size);

    const { edge } = grow(EMPTY_EDGE, entries);

    expect(Buffer.from(rootOfEdge(edge.levels))).toEqual(naiveRoot(entries));
  },
);

test("a tree has the same root and the same edge however its entries were dealt out (RIGHT-EDGE-1, MERKLE-2)", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(400), { maxLength: 5 }), (steps) => {
      let edge = EMPTY_EDGE;
      for (const step of steps) edge = grow(edge, entriesBetween(edge.size, edge.size + step)).edge;

      const entries = entriesBetween(0, edge.size);
      expect(Buffer.from(rootOfEdge(edge.levels))).toEqual(naiveRoot(entries));
      expect(grow(EMPTY_EDGE, entries).edge).toEqual(edge);
    }),
    { numRuns: 20 },
  );
});

test("growing by few entries writes few files, however large the log is (RIGHT-EDGE-3)", () => {
  const levels = [254, 255, 3].map((width) => new Uint8Array(width * HASH_BYTES));
  const size = 254 + 255 * 256 + 3 * 65_536;
  const bundle = Buffer.alloc(254 * 2);

  const { files } = grow({ size, levels, bundle }, entriesBetween(size, size + 3));

  expect(files.map((file) => file.path)).toEqual([
    "tile/entries/x001/023",
    "tile/entries/x001/024.p/1",
    "tile/0/x001/023",
    "tile/0/x001/024.p/1",
    "tile/1/003",
    "tile/2/000.p/4",
  ]);
});

test("a node cannot be passed off as a leaf (MERKLE-1)", () => {
  const [left, right] = [leafHash(Buffer.from("a")), leafHash(Buffer.from("b"))];

  const forged = leafHash(Buffer.concat([left, right]));

  expect(Buffer.from(forged)).not.toEqual(naiveRoot([Buffer.from("a"), Buffer.from("b")]));
});
