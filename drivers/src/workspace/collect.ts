// Collect: finds expired workspaces.
//
// COLLECT-1  The lifetime of a workspace runs from when the end of its tree was first noticed. Uncommitted changes
//     are then lost.
// COLLECT-2  An unfinished workspace left by a crash expires at once.

import type { Folder } from "./folder.ts";
import { type WorkspaceRoot, treesIn } from "./workspace-root.ts";
import { type WorkspaceMetadata, readMetadata, writeMetadata } from "./workspace-metadata.ts";

export interface CollectReport {
  readonly removed: readonly string[];
  readonly kept: number;
  /** What was freed on disk. */
  readonly bytes: number;
}

/** Whether anything of a tree still runs. */
export type IsAlive = (tree: string) => boolean | Promise<boolean>;

export async function notesIn({ home }: WorkspaceRoot): Promise<WorkspaceMetadata[]> {
  const notes: WorkspaceMetadata[] = [];
  for (const tree of await treesIn(home)) {
    await using store = await home.into(tree);
    const note = await readMetadata(store);
    if (note?.isReady === true) notes.push(note);
  }
  return notes;
}

export async function isStillNeeded(
  home: Folder,
  tree: string,
  now: number,
  isAlive: boolean,
  ttlMs: number,
): Promise<boolean> {
  await using store = await home.into(tree);
  const note = await readMetadata(store);
  if (note?.isReady !== true) return isAlive;
  const { endedAt, ...rest } = note;
  if (isAlive) {
    if (endedAt !== undefined) await writeMetadata(store, rest);
    return true;
  }
  if (endedAt === undefined) await writeMetadata(store, { ...rest, endedAt: now });
  return now - (endedAt ?? now) < ttlMs;
}
