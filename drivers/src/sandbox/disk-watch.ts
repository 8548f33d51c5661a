// Disk watch: detects a run that fills the disk or creates files without end, in its writable folders and its private
// /tmp. No common file system limits the size or file count of a folder, so this polls and reports the exceeded
// limit.
//
// DISK-WATCH-1  The first check is cheap: the space lost by the file systems since the start. Only above a limit are
//     the folders walked for changed files.
// DISK-WATCH-2  Both must exceed the limit: writes of others, and a large file with one changed byte, are not
//     attributed to the run.
// DISK-WATCH-3  An empty file counts as one block.
// DISK-WATCH-4  Files of the private /tmp and /dev/shm are included.
// DISK-WATCH-5  Not every file system counts its files, and removals by others hide additions: from time to time the
//     folders are walked anyway, for files created since the start.

import { statfsSync, statSync, type Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

const BLOCK = 4096;
/** Clocks of files are a little coarser than ours. */
const CLOCK_MS = 50;
/** DISK-WATCH-5. */
const WALK_EVERY_MS = 5000;
/** Of its time, what walking may take. */
const WALK_SHARE = 1 / 20;
/** DISK-WATCH-4. */
const PRIVATE = ["tmp", "dev/shm"];

interface DiskLimits {
  readonly diskBytes: number;
  readonly files: number;
}

interface FileSystem {
  readonly folder: string;
  readonly bytes: number;
  readonly files: number;
}

interface Changed {
  readonly bytes: number;
  readonly files: number;
}

export class DiskWatch {
  readonly #folders: readonly string[];
  readonly #limits: DiskLimits;
  readonly #since: number;
  readonly #before: readonly FileSystem[];
  /** A process of the run, whose root is the run's. */
  #inner: number | undefined;
  #walkAt = performance.now() + WALK_EVERY_MS;

  constructor(folders: readonly string[], limits: DiskLimits) {
    this.#folders = folders;
    this.#limits = limits;
    this.#since = Date.now() - CLOCK_MS;
    const first = new Map(folders.map((folder) => [statSync(folder).dev, folder]));
    this.#before = [...first.values()].map(freeOf);
  }

  /** DISK-WATCH-4. */
  see(inner: number): void {
    this.#inner = inner;
  }

  async over(): Promise<keyof DiskLimits | undefined> {
    const { diskBytes, files } = this.#limits;
    const own = this.#privateFiles();
    if (own > files) return "files";
    const lost = this.#lost();
    const isFilling = lost.bytes > diskBytes;
    const isMaking = lost.files + own > files || (files !== Infinity && this.#isWalkDue());
    if (!isFilling && !isMaking) return undefined;
    const enough = {
      bytes: isFilling ? diskBytes : Infinity,
      files: isMaking ? files - own : Infinity,
    };
    let changed: Changed = { bytes: 0, files: 0 };
    const began = performance.now();
    for (const folder of this.#folders)
      changed = await addChanged(changed, folder, this.#since, enough);
    const tookMs = performance.now() - began;
    this.#walkAt = performance.now() + Math.max(WALK_EVERY_MS, tookMs / WALK_SHARE);
    if (changed.files > enough.files) return "files";
    return changed.bytes > enough.bytes ? "diskBytes" : undefined;
  }

  /** DISK-WATCH-1 */
  #lost(): Changed {
    const lost = this.#before.map((before) => {
      const now = freeOf(before.folder);
      const files = Math.max(before.files - now.files, 0);
      return { bytes: Math.max(before.bytes - now.bytes, files * BLOCK), files };
    });
    return {
      bytes: lost.reduce((sum, { bytes }) => sum + bytes, 0),
      files: lost.reduce((sum, { files }) => sum + files, 0),
    };
  }

  /** DISK-WATCH-5. */
  #isWalkDue(): boolean {
    return this.#folders.length > 0 && performance.now() >= this.#walkAt;
  }

  /** DISK-WATCH-4. Nothing once the process is gone. */
  #privateFiles(): number {
    if (this.#inner === undefined) return 0;
    let used = 0;
    for (const folder of PRIVATE) {
      try {
        const own = join("/proc", String(this.#inner), "root", folder);
        // As long as it has the machine's root, what is there is not the run's.
        if (statSync(own).dev === statSync(`/${folder}`, { throwIfNoEntry: false })?.dev) continue;
        const { files, ffree } = statfsSync(own);
        used += files - ffree;
      } catch {
        // It has ended, or has not come to its root yet.
      }
    }
    return used;
  }
}

function freeOf(folder: string): FileSystem {
  const { bsize, bfree, ffree } = statfsSync(folder);
  return { folder, bytes: bsize * bfree, files: ffree };
}

/** With what changed in a folder; not counted further than a little over `enough`. */
async function addChanged(
  before: Changed,
  folder: string,
  since: number,
  enough: Changed,
): Promise<Changed> {
  let { bytes, files } = before;
  const folders = [folder];
  while (folders.length > 0 && bytes <= enough.bytes && files <= enough.files) {
    const at = folders.pop()!;
    const entries = await readdir(at, { withFileTypes: true }).catch((): Dirent[] => []);
    for (const entry of entries) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) folders.push(path);
      const stats = await lstat(path).catch(() => undefined);
      if (stats === undefined || stats.ctimeMs < since) continue;
      bytes += Math.max(stats.blocks * 512, BLOCK);
      if (stats.birthtimeMs >= since) files += 1;
      if (bytes > enough.bytes || files > enough.files) break;
    }
  }
  return { bytes, files };
}
