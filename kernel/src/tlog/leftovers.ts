// Files that a log no longer needs, or that a crash left behind. None of them is part of the signed tree; leaving one
// does no harm.
//
//   removeOutgrown(disk, before, after)   partial tiles of a smaller tree, after a publish
//   removeStrays(disk, size)              partial tiles that belong to no signed tree, at open
//   removePruned(disk, minimum)           entry bundles wholly below the minimum index
//
// LEFTOVERS-1  No file of the tree of the given size is removed, nor any full tile.
// LEFTOVERS-2  Bundles are pruned in rising order, so a crash leaves an unbroken run right below the minimum, which
//     the next call finds by walking down to the first gap.

import { basename, dirname } from "node:path/posix";
import type { DurableFolder } from "./durable-folder.ts";
import { edgeTiles, partialFolder, TILE_WIDTH, tilePath } from "./tile-path.ts";
import type { Level, Tile } from "./tile-path.ts";

export async function removeOutgrown(
  disk: DurableFolder,
  before: number,
  after: number,
): Promise<void> {
  const now = edgeTiles(after);
  for (const { level, index, width } of edgeTiles(before)) {
    const successor = now[level];
    const partial = successor?.index === index ? successor.width : 0;
    if (width === 0 || partial === width) continue;
    for (const kind of kindsOf(level)) await keepOnly(disk, partialFolder(kind, index), partial);
  }
}

export async function removeStrays(disk: DurableFolder, size: number): Promise<void> {
  for (const tile of edgeTiles(size)) {
    for (const kind of kindsOf(tile.level)) await removeStraysOf(disk, kind, tile);
  }
}

async function removeStraysOf(disk: DurableFolder, kind: Level, tile: Tile): Promise<void> {
  const { index, width } = tile;
  const ours = partialFolder(kind, index);
  await keepOnly(disk, ours, width);
  // A folder holds at most a thousand tiles, so this stays quick however long the log is.
  const folders = [index, Math.max(0, index - 1)].map((near) => dirname(tilePath(kind, near)));
  for (const folder of new Set(folders)) {
    for (const name of await disk.list(folder)) {
      const stray = name.endsWith(".p") && !(folder === dirname(ours) && name === basename(ours));
      if (stray) await disk.remove(`${folder}/${name}`);
    }
  }
}

// Entry bundles grow and fill in step with the tiles of level 0.
function kindsOf(level: number): Level[] {
  return level === 0 ? [0, "entries"] : [level];
}

async function keepOnly(disk: DurableFolder, folder: string, width: number): Promise<void> {
  const names = await disk.list(folder);
  if (names.length === 0) return;
  if (width === 0) return await disk.remove(folder);
  for (const name of names) if (name !== String(width)) await disk.remove(`${folder}/${name}`);
}

export async function removePruned(disk: DurableFolder, minimum: number): Promise<void> {
  const end = Math.floor(minimum / TILE_WIDTH);
  let first = end;
  while (first > 0 && (await disk.has(tilePath("entries", first - 1)))) first -= 1;
  for (; first < end; first += 1) await disk.remove(tilePath("entries", first));
}
