// Where the parts of a log lie in its folder, as c2sp.org/tlog-tiles says.
//
//   tile/<L>/<N>            256 hashes of level L       tile/entries/<N>            256 entries
//   tile/<L>/<N>.p/<W>      the first W of them         tile/entries/<N>.p/<W>      the first W of them
//
// A hash of level L spans 256**L entries. Of a tree of size s every level has full tiles and at
// most one partial one, its rightmost: together these partial tiles are the right edge.
//
// TILE-PATH-1  N is written in groups of three digits, all but the last behind an x: no folder has more
//     than a thousand tiles, and no path is both a file and a folder.
// TILE-PATH-2  The partial tile of level L is floor(s / 256**L) mod 256 wide. An empty tile has no file.

export const TILE_WIDTH = 256;

export type Level = number | "entries";

export interface Tile {
  readonly level: number;
  readonly index: number;
  readonly width: number;
}

export function tilePath(level: Level, index: number, width: number = TILE_WIDTH): string {
  const full = `tile/${level}/${indexPath(index)}`;
  return width === TILE_WIDTH ? full : `${full}.p/${width}`;
}

export function partialFolder(level: Level, index: number): string {
  return `tile/${level}/${indexPath(index)}.p`;
}

function indexPath(index: number): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").match(/\d{3}/gu) ?? [];
  return groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join("/");
}

// The rightmost tile of every level that a tree of this size has, lowest level first. The width
// is 0 where the level ends with a full tile.
export function edgeTiles(size: number): Tile[] {
  const tiles: Tile[] = [];
  for (let hashes = size; hashes > 0; hashes = Math.floor(hashes / TILE_WIDTH)) {
    const index = Math.floor(hashes / TILE_WIDTH);
    tiles.push({ level: tiles.length, index, width: hashes % TILE_WIDTH });
  }
  return tiles;
}
