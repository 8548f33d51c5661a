// Disk watch: sees a run that fills the disk through the folders that it may write to. No file system
// that everybody has can hold a folder to a size, so this looks now and then and says when it is over.
//
// D1  The first look is cheap: how much the file systems lost since the start. Only when that is more
//     than the limit are the folders walked, for the files that changed since.
// D2  Both have to be over the limit: what others write is not blamed on the run, and a large file of
//     which it changed one byte neither.
// D3  An empty file counts as one block: a million of them is no less a flood.

import { statfsSync, statSync, type Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

const BLOCK = 4096;
/** Clocks of files are a little coarser than ours. */
const CLOCK_MS = 50;

interface FileSystem {
  readonly folder: string;
  readonly bytes: number;
  readonly files: number;
}

export class DiskWatch {
  readonly #folders: readonly string[];
  readonly #limit: number;
  readonly #since: number;
  readonly #before: readonly FileSystem[];

  constructor(folders: readonly string[], limit: number) {
    this.#folders = folders;
    this.#limit = limit;
    this.#since = Date.now() - CLOCK_MS;
    const first = new Map(folders.map((folder) => [statSync(folder).dev, folder]));
    this.#before = limit === Infinity ? [] : [...first.values()].map(freeOf);
  }

  async isOver(): Promise<boolean> {
    if (this.lost() <= this.#limit) return false;
    let bytes = 0;
    for (const folder of this.#folders) {
      bytes += await changedBytes(folder, this.#since, this.#limit - bytes);
    }
    return bytes > this.#limit;
  }

  /** D1 */
  lost(): number {
    return this.#before.reduce((sum, before) => {
      const now = freeOf(before.folder);
      return sum + Math.max(before.bytes - now.bytes, (before.files - now.files) * BLOCK, 0);
    }, 0);
  }
}

function freeOf(folder: string): FileSystem {
  const { bsize, bfree, ffree } = statfsSync(folder);
  return { folder, bytes: bsize * bfree, files: ffree };
}

/** The size of what changed in a folder; not counted further than a little over `enough`. */
export async function changedBytes(folder: string, since: number, enough: number): Promise<number> {
  let bytes = 0;
  const folders = [folder];
  while (folders.length > 0 && bytes <= enough) {
    const at = folders.pop()!;
    const entries = await readdir(at, { withFileTypes: true }).catch((): Dirent[] => []);
    for (const entry of entries) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) folders.push(path);
      const stats = await lstat(path).catch(() => undefined);
      if (stats !== undefined && stats.ctimeMs >= since)
        bytes += Math.max(stats.blocks * 512, BLOCK);
      if (bytes > enough) break;
    }
  }
  return bytes;
}
