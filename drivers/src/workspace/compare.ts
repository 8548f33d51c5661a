// Compare: the changes of a copy since it was made, path by path.
//
// COMPARE-1  `diff`, `commit` and `undo` use the same result. A file whose time was set back is detected.

import { type Base, type BaseEntry, originalIsStill } from "./base.ts";
import { fileContentDigest, isSameContent } from "./copy-bytes.ts";
import type { Folder } from "./folder.ts";
import type { PathState } from "./path-state.ts";
import { type Snapshot, splitPath } from "./walk.ts";

export interface Difference {
  readonly path: string;
  /** Absent: it was added. */
  readonly old?: BaseEntry;
  /** Absent: it was removed. */
  readonly new?: PathState;
  /** Other bytes, another target or another kind of thing; otherwise it is the mode alone. */
  readonly isContent: boolean;
}

export interface ComparedTrees {
  readonly base: Base;
  /** Absent for a workspace that began empty. */
  readonly project: Folder | undefined;
  readonly copy: Folder;
}

export async function compareTrees(
  sides: ComparedTrees,
  { entries }: Snapshot,
): Promise<Difference[]> {
  const { base } = sides;
  const differences: Difference[] = [];
  for (const [path, seen] of entries) {
    const entry = base.entries.get(path);
    if (entry === undefined) {
      differences.push({ path, new: seen, isContent: true });
      continue;
    }
    const isContent = await isOther(sides, path, entry, seen);
    const isMode = seen.kind !== "link" && seen.mode !== entry.mode;
    if (isContent || isMode) differences.push({ path, old: entry, new: seen, isContent });
  }
  for (const [path, entry] of base.entries)
    if (!entries.has(path)) differences.push({ path, old: entry, isContent: true });
  return differences.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function isOther(
  sides: ComparedTrees,
  path: string,
  entry: BaseEntry,
  seen: PathState,
): Promise<boolean> {
  if (seen.kind !== entry.kind) return true;
  if (seen.kind === "link") return seen.target !== entry.target;
  if (seen.kind !== "file") return false;
  if (seen.size !== entry.size) return true;
  if (seen.ino === entry.copy?.ino && seen.ctimeNs === entry.copy.ctimeNs) return false;
  try {
    return !(await hasContentOf(sides, path, entry));
  } catch {
    // Gone, swapped or unreadable by now. To say "changed" is right, or harmless.
    return true;
  }
}

/** Touched since, and of the same size: only its bytes can tell. */
async function hasContentOf(
  { project, copy }: ComparedTrees,
  path: string,
  entry: BaseEntry,
): Promise<boolean> {
  const { name, parents } = splitPath(path);
  await using folder = await copy.along(parents);
  await using file = await folder.openFile(name);
  if (entry.hash !== undefined)
    return (await fileContentDigest(file, entry.size + 1)).hash === entry.hash;
  if (project === undefined || !(await originalIsStill(entry, project, path))) return false;
  await using original = await project.along(parents);
  await using originalFile = await original.openFile(name);
  return await isSameContent(file, originalFile);
}
