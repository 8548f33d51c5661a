import { expect, test } from "vitest";
import * as fc from "fast-check";
import { edgeTiles, tilePath } from "./tile-path.ts";

test.each([
  [0, 0, 256, "tile/0/000"],
  [0, 67, 256, "tile/0/067"],
  [1, 999, 256, "tile/1/999"],
  [0, 1000, 256, "tile/0/x001/000"],
  [3, 1_234_067, 256, "tile/3/x001/x234/067"],
  [0, 1_234_067, 8, "tile/0/x001/x234/067.p/8"],
  ["entries", 273, 112, "tile/entries/273.p/112"],
] as const)("tile %s %i of width %i lies at %4$s (P1)", (level, index, width, path) => {
  expect(tilePath(level, index, width)).toBe(path);
});

test("a tree of 70,000 has the edge that the specification gives as its example (TILE-PATH-2)", () => {
  expect(edgeTiles(70_000)).toEqual([
    { level: 0, index: 273, width: 112 },
    { level: 1, index: 1, width: 17 },
    { level: 2, index: 0, width: 1 },
  ]);
});

test("a tree of 256 has a full tile of level 0 and one hash on level 1 (TILE-PATH-2)", () => {
  expect(edgeTiles(256)).toEqual([
    { level: 0, index: 1, width: 0 },
    { level: 1, index: 0, width: 1 },
  ]);
});

test("no two tiles share a path, and no path is a folder of another (TILE-PATH-1)", () => {
  fc.assert(
    fc.property(fc.nat(10_000_000), fc.nat(10_000_000), (a, b) => {
      fc.pre(a !== b);
      expect(`${tilePath(0, a)}/`.startsWith(`${tilePath(0, b)}/`)).toBe(false);
    }),
  );
});
