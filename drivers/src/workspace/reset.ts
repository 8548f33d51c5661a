// Reset: restores a workspace to its initial state. Only changed files are touched.
//
// RESET-1  It can be interrupted and repeated: it depends on the present state, not on its progress.
// RESET-2  A file that the project has changed since gets the project's present content, and is named.

import { type Base, type BaseEntry, originalIsStill } from "./base.ts";
import { compareTrees, type Difference, type ComparedTrees } from "./compare.ts";
import { copyEntry, type CopyJob } from "./copy-entry.ts";
import type { Folder } from "./folder.ts";
import { inFolderOf } from "./state.ts";
import { throwAway } from "./trash.ts";
import { type Snapshot, TooManyEntries, walkTree } from "./walk.ts";

export interface ResetJob extends ComparedTrees {
  readonly trash: Folder;
  readonly copying: CopyJob;
  readonly maxEntries?: number;
}

export interface ResetReport {
  readonly base: Base;
  readonly files: string[];
  /** RESET-2. */
  readonly refreshed: string[];
}

export async function reset(resetting: ResetJob): Promise<ResetReport> {
  const { copy, trash, base } = resetting;
  const snapshot = await snapshotToReset(resetting);
  const differences = await compareTrees(resetting, snapshot);
  const entries = new Map(base.entries);
  const refreshed: string[] = [];

  for (const { path, new: seen, isContent } of differences)
    if (seen !== undefined && isContent)
      await inFolderOf(copy, path, (folder, name) => throwAway(folder, name, trash));
  for (const difference of differences) {
    if (difference.old === undefined || !difference.isContent) continue;
    const { entry, isRefreshed } = await restore(resetting, difference.path, difference.old);
    if (entry === undefined) entries.delete(difference.path);
    else entries.set(difference.path, entry);
    if (isRefreshed) refreshed.push(difference.path);
  }
  for (const difference of [...differences].reverse())
    await setMode(copy, difference, entries.get(difference.path));

  const files = [...differences.map(({ path }) => path), ...snapshot.skipped.map((u) => u.path)];
  return { base: { ...base, entries }, files: [...new Set(files)].sort(), refreshed };
}

/** What cannot be compared goes first: it was not there when the workspace began. */
async function snapshotToReset({ copy, trash, maxEntries }: ResetJob): Promise<Snapshot> {
  const snapshot = await walkTree(copy, maxEntries === undefined ? {} : { maxEntries }).catch(
    async (error: unknown) => {
      if (!(error instanceof TooManyEntries)) throw error;
      for await (const name of copy.names()) await throwAway(copy, name, trash);
      return { entries: new Map(), skipped: [] } satisfies Snapshot;
    },
  );
  for (const { path, parent, name } of [...snapshot.skipped].reverse()) {
    await using folder = await copy.along(parent === "" ? [] : parent.split("/"));
    await throwAway(folder, name, trash);
    snapshot.entries.delete(path);
  }
  return snapshot;
}

async function restore(
  { project, copy, copying }: ResetJob,
  path: string,
  old: BaseEntry,
): Promise<{ entry: BaseEntry | undefined; isRefreshed: boolean }> {
  if (project === undefined) return { entry: undefined, isRefreshed: true };
  const isStill = await originalIsStill(old, project, path);
  // Nothing where the project has it no more, or not the folder that it was in.
  const entry = await inFolderOf(project, path, (from, name) =>
    inFolderOf(copy, path, (to) => copyEntry(from, to, name, copying)),
  );
  return { entry, isRefreshed: !isStill };
}

async function setMode(
  copy: Folder,
  { path, old, isContent }: Difference,
  entry: BaseEntry | undefined,
): Promise<void> {
  if (old === undefined || entry === undefined || entry.kind === "link") return;
  if (isContent && entry.kind === "file") return;
  await inFolderOf(copy, path, async (folder, name) => {
    await folder.setMode(name, entry.mode);
    if (entry.kind === "folder") await folder.setTime(name, entry.mtimeNs);
  });
}
