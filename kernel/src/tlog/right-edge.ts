// The right edge of the tree: the only part of a log that is held in memory and ever rewritten.
//
//   grow(edge, entries)   the edge after them, and the files that have to be written for it
//
// RIGHT-EDGE-1  An edge is never changed: growing makes a new one, so a failed publish has nothing to
//     undo.
// RIGHT-EDGE-2  The files of grow are exactly the tiles and bundles that differ between the two sizes; no
//     path among them belongs to the tree before.
// RIGHT-EDGE-3  Work and files are in proportion to the new entries, whatever the size of the log.

import { encodeEntries } from "./entry-bundle.ts";
import { foldHashes, hashAt, HASH_BYTES, leafHash } from "./merkle.ts";
import { TILE_WIDTH, tilePath } from "./tile-path.ts";

export interface RightEdge {
  readonly size: number;
  // Per level, the row of hashes of its partial tile; empty where the level ends with a full one.
  readonly levels: readonly Uint8Array[];
  // The partial entry bundle, encoded.
  readonly bundle: Uint8Array;
}

export interface TileFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export const EMPTY_EDGE: RightEdge = { size: 0, levels: [], bundle: new Uint8Array(0) };

export function grow(
  edge: RightEdge,
  entries: readonly Uint8Array[],
): { edge: RightEdge; files: TileFile[] } {
  const files: TileFile[] = [];
  const bundle = growBundle(edge, entries, files);
  const levels = [...edge.levels];
  let hashes = entries.map(leafHash);
  for (let level = 0; hashes.length > 0; level += 1) {
    const first = Math.floor(edge.size / TILE_WIDTH ** (level + 1));
    const row = Buffer.concat([levels[level] ?? Buffer.alloc(0), ...hashes]);
    const tiles = cutTiles(row);
    files.push(...tiles.map((bytes, i) => hashTile(level, first + i, bytes)));
    const full = tiles.filter((tile) => tile.length === TILE_WIDTH * HASH_BYTES);
    levels[level] = Uint8Array.from(row.subarray(full.length * TILE_WIDTH * HASH_BYTES));
    hashes = full.flatMap((tile) => foldHashes(tile) ?? []);
  }
  return { edge: { size: edge.size + entries.length, levels, bundle }, files };
}

function cutTiles(row: Uint8Array): Uint8Array[] {
  const tiles: Uint8Array[] = [];
  for (let at = 0; at < row.length; at += TILE_WIDTH * HASH_BYTES) {
    tiles.push(row.subarray(at, at + TILE_WIDTH * HASH_BYTES));
  }
  return tiles;
}

function hashTile(level: number, index: number, bytes: Uint8Array): TileFile {
  return { path: tilePath(level, index, bytes.length / HASH_BYTES), bytes };
}

function growBundle(
  edge: RightEdge,
  entries: readonly Uint8Array[],
  files: TileFile[],
): Uint8Array {
  let size = edge.size;
  let bundle = edge.bundle;
  for (let taken = 0; taken < entries.length;) {
    const room = TILE_WIDTH - (size % TILE_WIDTH);
    const some = entries.slice(taken, taken + room);
    const index = Math.floor(size / TILE_WIDTH);
    const bytes = Buffer.concat([bundle, encodeEntries(some)]);
    taken += some.length;
    size += some.length;
    const full = some.length === room;
    files.push({ path: tilePath("entries", index, full ? TILE_WIDTH : size % TILE_WIDTH), bytes });
    bundle = full ? EMPTY_EDGE.bundle : bytes;
  }
  return bundle;
}

// Which of these leaves is the first that is not in the row, if any.
export function firstMismatch(row: Uint8Array, entries: readonly Uint8Array[]): number | undefined {
  const at = entries.findIndex((data, i) => Buffer.compare(leafHash(data), hashAt(row, i)) !== 0);
  return at < 0 ? undefined : at;
}
