// The independent check of a log: everything from the files, nothing from the memory of a running log.
//
//   verifyLog(folder, verifierKey)   what is wrong, file by file; [] means the log is sound
//
// The check goes from the signed root down. A tile whose hash is known from a sound parent is sound or is itself
// damaged; below a damaged tile, children are compared with its content, so that the finding names the changed file
// and further damage is found too.
//
// VERIFY-LOG-1  [] is returned only if every hash tile of the signed tree, and every bundle that was not
//     pruned, is there and hashes to the signed root.
// VERIFY-LOG-2  Publishing or pruning during the check causes no findings. Files that a publish replaces are read
//     first, and again if the checkpoint changed meanwhile; the rest is immutable.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseCheckpoint, parsePruned } from "./checkpoint.ts";
import type { TreeHead } from "./checkpoint.ts";
import { decodeEntries } from "./entry-bundle.ts";
import { foldHashes, hashAt, HASH_BYTES, rootOfEdge, sameHash } from "./merkle.ts";
import { firstMismatch } from "./right-edge.ts";
import { openNote, parseVerifierKey } from "./signed-note.ts";
import type { NoteKey } from "./signed-note.ts";
import { edgeTiles, TILE_WIDTH, tilePath } from "./tile-path.ts";
import type { Tile } from "./tile-path.ts";

export interface LogFinding {
  readonly file: string;
  readonly problem: string;
}

// Each one needs a few milliseconds, and a log is published about once a second.
const ATTEMPTS = 20;

// What the next publish may take away: the right edge under a signed head.
interface Edge {
  readonly head: TreeHead;
  readonly tiles: readonly Tile[];
  readonly rows: readonly (Uint8Array | undefined)[];
}

export async function verifyLog(folder: string, verifierKey: string): Promise<LogFinding[]> {
  return await new LogCheck(folder, parseVerifierKey(verifierKey)).run();
}

class LogCheck {
  readonly #folder: string;
  readonly #key: NoteKey;
  readonly #findings = new Map<string, LogFinding>();
  #minimum = 0;
  #partialBundle: Buffer | undefined;

  constructor(folder: string, key: NoteKey) {
    this.#folder = folder;
    this.#key = key;
  }

  async run(): Promise<LogFinding[]> {
    const edge = await this.#readEdge();
    if (edge === undefined) return [...this.#findings.values()];
    const { head, tiles, rows } = edge;
    if (this.#minimum > head.size) this.#find("pruned", "speaks of entries that were never signed");
    const present = rows.filter((row) => row !== undefined);
    const whole = present.length === rows.length;
    const sound = whole && sameHash(rootOfEdge(present), head.root);
    if (whole && !sound) {
      this.#find("checkpoint", "has a signed root to which the tiles do not hash");
    }
    for (const tile of tiles.toReversed()) await this.#checkBelow(tile, rows[tile.level], sound);
    return [...this.#findings.values()];
  }

  async #readEdge(): Promise<Edge | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      this.#findings.clear();
      // Before the checkpoint: nothing is pruned that the next checkpoint does not cover.
      this.#minimum = await this.#readMinimum();
      const note = await this.#read("checkpoint");
      const head = note && this.#statement("checkpoint", note, parseCheckpoint);
      const edge = head && (await this.#readEdgeOf(head));
      if (this.#findings.size === 0 || attempt === ATTEMPTS) return edge;
      const now = await this.#peek("checkpoint");
      if (note === undefined || now === undefined || now.equals(note)) return edge;
    }
  }

  async #readEdgeOf(head: TreeHead): Promise<Edge> {
    const tiles = edgeTiles(head.size);
    const rows: (Uint8Array | undefined)[] = [];
    this.#partialBundle = undefined;
    for (const tile of tiles) {
      rows.push(await this.#readTile(tile));
      if (tile.level === 0 && tile.width > 0) {
        this.#partialBundle = await this.#read(tilePath("entries", tile.index, tile.width));
      }
    }
    return { head, tiles, rows };
  }

  async #readMinimum(): Promise<number> {
    const note = await this.#peek("pruned");
    return (note && this.#statement("pruned", note, parsePruned)) ?? 0;
  }

  // `row` is undefined where the tile could not be read; that has been found already.
  async #checkBelow(tile: Tile, row: Uint8Array | undefined, sound: boolean): Promise<void> {
    if (tile.level === 0) return await this.#checkBundle(tile, row, sound);
    for (let i = 0; i < tile.width; i += 1) {
      const index = tile.index * TILE_WIDTH + i;
      const child = { level: tile.level - 1, index, width: TILE_WIDTH };
      const below = await this.#readTile(child);
      const root = below && foldHashes(below);
      const fits = row !== undefined && root !== undefined && sameHash(root, hashAt(row, i));
      if (row !== undefined && root !== undefined && !fits) this.#blame(tile, i, child, sound);
      await this.#checkBelow(child, below, sound && fits);
    }
  }

  #blame(tile: Tile, i: number, child: Tile, sound: boolean): void {
    const [parent, file] = [pathOf(tile), pathOf(child)];
    if (sound) this.#find(file, `does not hash to hash ${i} of ${parent}`);
    else this.#find(parent, `has a hash ${i} to which ${file} does not hash`);
  }

  async #checkBundle(tile: Tile, row: Uint8Array | undefined, sound: boolean): Promise<void> {
    const { index, width } = tile;
    const file = tilePath("entries", index, width);
    const bundle = width < TILE_WIDTH ? this.#partialBundle : await this.#readBundle(index);
    const entries = bundle && this.#attempt(file, () => decodeEntries(bundle, width));
    const stranger = row && entries && firstMismatch(row, entries);
    if (stranger === undefined) return;
    if (sound) this.#find(file, `has an entry ${stranger} that is not the one that was signed`);
    else this.#find(pathOf(tile), `has a hash ${stranger} that is not of the entry in ${file}`);
  }

  // A full bundle; undefined if it was pruned, which may have happened since the check began.
  async #readBundle(index: number): Promise<Buffer | undefined> {
    const [file, end] = [tilePath("entries", index), (index + 1) * TILE_WIDTH];
    if (end <= this.#minimum) return undefined;
    const bundle = await this.#peek(file);
    if (bundle !== undefined) return bundle;
    this.#minimum = Math.max(this.#minimum, await this.#readMinimum());
    return end <= this.#minimum ? undefined : await this.#read(file);
  }

  async #readTile(tile: Tile): Promise<Uint8Array | undefined> {
    if (tile.width === 0) return new Uint8Array(0);
    const row = await this.#read(pathOf(tile));
    const bytes = tile.width * HASH_BYTES;
    if (row === undefined || row.length === bytes) return row;
    this.#find(pathOf(tile), `has ${row.length} bytes, not ${bytes}`);
    return undefined;
  }

  async #read(file: string): Promise<Buffer | undefined> {
    try {
      return await readFile(join(this.#folder, file));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      this.#find(file, code === "ENOENT" ? "is missing" : `cannot be read: ${code}`);
      return undefined;
    }
  }

  async #peek(file: string): Promise<Buffer | undefined> {
    return await readFile(join(this.#folder, file)).catch(() => undefined);
  }

  #statement<T>(
    file: string,
    note: Uint8Array,
    parse: (text: string, origin: string) => T,
  ): T | undefined {
    return this.#attempt(file, () => parse(openNote(note, this.#key), this.#key.name));
  }

  #attempt<T>(file: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.#find(file, (error as Error).message);
      return undefined;
    }
  }

  #find(file: string, problem: string): void {
    this.#findings.set(`${file} ${problem}`, { file, problem });
  }
}

function pathOf({ level, index, width }: Tile): string {
  return tilePath(level, index, width);
}
