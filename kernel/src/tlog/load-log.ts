// What open() reads of a log folder: the signed head, the right edge under it, and the minimum index.
//
//   loadHead(disk, key)           the tree head, or undefined where a log has never been
//   loadEdge(disk, head, key)     the right edge, proven against the head
//   loadMinimum(disk, head, key)  the first index whose entry is kept; 0 if nothing was pruned
//
// LOAD-LOG-1  A folder with tiles but no checkpoint is refused. The first checkpoint is signed before the first tile
//     is written, so no crash leaves such a folder: the checkpoint was removed.
// LOAD-LOG-2  An edge is returned only if it hashes to the signed root; else the Error names the tile.

import { parseCheckpoint, parsePruned } from "./checkpoint.ts";
import type { TreeHead } from "./checkpoint.ts";
import type { DurableFolder } from "./durable-folder.ts";
import { decodeEntries } from "./entry-bundle.ts";
import { HASH_BYTES, rootOfEdge, sameHash } from "./merkle.ts";
import { EMPTY_EDGE, firstMismatch } from "./right-edge.ts";
import type { RightEdge } from "./right-edge.ts";
import { openNote, parseVerifierKey } from "./signed-note.ts";
import { edgeTiles, TILE_WIDTH, tilePath } from "./tile-path.ts";
import { verifyLog } from "./verify-log.ts";

const FINDINGS_SHOWN = 5;

export async function loadHead(
  disk: DurableFolder,
  verifierKey: string,
): Promise<TreeHead | undefined> {
  const note = await disk.read("checkpoint");
  if (note !== undefined) {
    const key = parseVerifierKey(verifierKey);
    return named(disk, "checkpoint", () => parseCheckpoint(openNote(note, key), key.name));
  }
  if ((await disk.list(".")).includes("tile")) throw refusal(disk, "checkpoint", "is missing");
  return undefined;
}

export async function loadMinimum(
  disk: DurableFolder,
  head: TreeHead,
  verifierKey: string,
): Promise<number> {
  const note = await disk.read("pruned");
  if (note === undefined) return 0;
  const key = parseVerifierKey(verifierKey);
  const minimum = named(disk, "pruned", () => parsePruned(openNote(note, key), key.name));
  if (minimum > head.size) throw refusal(disk, "pruned", "speaks of entries never signed");
  return minimum;
}

export async function loadEdge(
  disk: DurableFolder,
  head: TreeHead,
  verifierKey: string,
): Promise<RightEdge> {
  const levels: Uint8Array[] = [];
  for (const { level, index, width } of edgeTiles(head.size)) {
    levels.push(width === 0 ? new Uint8Array(0) : await loadTile(disk, level, index, width));
  }
  if (!sameHash(rootOfEdge(levels), head.root)) {
    const findings = await verifyLog(disk.root, verifierKey);
    const shown = findings
      .slice(0, FINDINGS_SHOWN)
      .map(({ file, problem }) => `${file} ${problem}`);
    throw new Error(
      `the log in ${disk.root} does not hash to its signed root: ${shown.join("; ")}`,
    );
  }
  return { size: head.size, levels, bundle: await loadBundle(disk, head.size, levels[0]) };
}

async function loadTile(
  disk: DurableFolder,
  level: number,
  index: number,
  width: number,
): Promise<Uint8Array> {
  const path = tilePath(level, index, width);
  const row = await disk.read(path);
  if (row === undefined) throw refusal(disk, path, "is missing");
  if (row.length !== width * HASH_BYTES) {
    throw refusal(disk, path, `has ${row.length} bytes, not ${width * HASH_BYTES}`);
  }
  return row;
}

async function loadBundle(
  disk: DurableFolder,
  size: number,
  row: Uint8Array | undefined,
): Promise<Uint8Array> {
  const width = size % TILE_WIDTH;
  if (row === undefined || width === 0) return EMPTY_EDGE.bundle;
  const path = tilePath("entries", Math.floor(size / TILE_WIDTH), width);
  const bundle = await disk.read(path);
  if (bundle === undefined) throw refusal(disk, path, "is missing");
  const stranger = named(disk, path, () => firstMismatch(row, decodeEntries(bundle, width)));
  if (stranger === undefined) return bundle;
  throw refusal(disk, path, `has an entry ${stranger} that does not hash to the signed root`);
}

function named<T>(disk: DurableFolder, path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw refusal(disk, path, (error as Error).message);
  }
}

function refusal(disk: DurableFolder, path: string, problem: string): Error {
  return new Error(`the log in ${disk.root} is refused: ${path} ${problem}`);
}
