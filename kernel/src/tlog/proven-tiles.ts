// Tiles read from disk, each proven against the right edge, which open() proved against the
// signed root.
//
//   tile(level, index)       its row of hashes
//   entries(index)           the entries of a bundle
//   subtree(start, end)      MTH(D[start:end]) of RFC 6962
//
// PROVEN-TILES-1  Nothing is returned that does not hash to the edge: a changed tile or bundle is an
//     Error naming the file.
// PROVEN-TILES-2  Read in order, each tile is read once: the last one of every level is kept.

import { decodeEntries } from "./entry-bundle.ts";
import type { DurableFolder } from "./durable-folder.ts";
import { foldHashes, hashAt, HASH_BYTES, nodeHash, sameHash } from "./merkle.ts";
import type { Hash } from "./merkle.ts";
import { splitPoint } from "./proof.ts";
import { firstMismatch } from "./right-edge.ts";
import type { RightEdge } from "./right-edge.ts";
import { TILE_WIDTH, tilePath } from "./tile-path.ts";

export class ProvenTiles {
  readonly #disk: DurableFolder;
  readonly #edge: RightEdge;
  readonly #last = new Map<number, { index: number; row: Uint8Array }>();

  constructor(disk: DurableFolder, edge: RightEdge) {
    this.#disk = disk;
    this.#edge = edge;
  }

  async tile(level: number, index: number): Promise<Uint8Array> {
    if (this.#isEdge(level, index)) return this.#edge.levels[level] ?? new Uint8Array(0);
    const last = this.#last.get(level);
    if (last?.index === index) return last.row;
    const path = tilePath(level, index);
    const row = await this.#disk.read(path);
    if (row === undefined) throw new Error(`${path} is missing`);
    const parent = await this.tile(level + 1, Math.floor(index / TILE_WIDTH));
    const root = row.length === TILE_WIDTH * HASH_BYTES ? foldHashes(row) : undefined;
    if (root === undefined || !sameHash(root, hashAt(parent, index % TILE_WIDTH))) {
      throw new Error(`${path} does not hash to the signed root`);
    }
    this.#last.set(level, { index, row });
    return row;
  }

  // Undefined if there is no such bundle on disk: it may have been pruned.
  async entries(index: number): Promise<Uint8Array[] | undefined> {
    if (this.#isEdge(0, index)) {
      // A copy: the edge is what the next publish builds on.
      return decodeEntries(new Uint8Array(this.#edge.bundle), this.#edge.size % TILE_WIDTH);
    }
    const path = tilePath("entries", index);
    const bundle = await this.#disk.read(path);
    if (bundle === undefined) return undefined;
    let entries;
    try {
      entries = decodeEntries(bundle, TILE_WIDTH);
    } catch (error) {
      throw new Error(`${path} ${(error as Error).message}`, { cause: error });
    }
    const stranger = firstMismatch(await this.tile(0, index), entries);
    if (stranger === undefined) return entries;
    throw new Error(`${path}: entry ${stranger} does not hash to the signed root`);
  }

  async subtree(start: number, end: number): Promise<Hash> {
    const k = splitPoint(end - start);
    if (end - start > 1 && 2 * k !== end - start) {
      const left = await this.subtree(start, start + k);
      return nodeHash(left, await this.subtree(start + k, end));
    }
    // A perfect subtree: some neighbouring hashes of one tile.
    let [level, count, first] = [0, end - start, start];
    for (; count >= TILE_WIDTH; level += 1)
      [count, first] = [count / TILE_WIDTH, first / TILE_WIDTH];
    const row = await this.tile(level, Math.floor(first / TILE_WIDTH));
    const at = (first % TILE_WIDTH) * HASH_BYTES;
    const hash = foldHashes(row.subarray(at, at + count * HASH_BYTES));
    if (hash === undefined) throw new RangeError(`there is no subtree ${start}..${end}`);
    return hash;
  }

  #isEdge(level: number, index: number): boolean {
    return index === Math.floor(this.#edge.size / TILE_WIDTH ** (level + 1));
  }
}
