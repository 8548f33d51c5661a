// Apply commit: moves a project from one side of a commit to the other, forwards or back.
//
// APPLY-COMMIT-1  Each path is checked before it is changed: it is on one side, on the other, or in between (nothing,
//     where a folder makes room for a file). Anything else is a foreign change and is left alone unless forced.
// APPLY-COMMIT-2  Every step is idempotent: after a crash it is repeated.
// APPLY-COMMIT-3  A file is renamed into place from the same folder, after its bytes are on disk.
// APPLY-COMMIT-4  A folder with files outside the commit is never removed, forced or not.

import { SysError } from "@aos/protocol";
import { copyBytes } from "./copy-bytes.ts";
import { type Folder, noneIfMissing } from "./folder.ts";
import {
  type PathChange,
  inFolderOf,
  isSameFile,
  isSameState,
  type State,
  stateAt,
  stateIn,
} from "./state.ts";
import { inParallel } from "./in-parallel.ts";
import { entryPath, splitPath } from "./walk.ts";

export interface CommitApplication {
  readonly project: Folder;
  readonly blobs: Folder;
  readonly changes: readonly PathChange[];
  /** Id of the commit, for unique file names. */
  readonly id: string;
  /** How to treat a change made by others: stop, skip it, or overwrite it. */
  readonly strange: "stop" | "leave" | "overwrite";
}

export type CommitDirection = "old" | "new";

/** Somebody changed it meanwhile. */
export class UnexpectedState extends SysError {
  readonly path: string;

  constructor(path: string) {
    super("ESTATE", `${path} is neither the old nor the new version`);
    this.path = path;
  }
}

/** Paths that were skipped because others changed them. */
export async function applyCommit(
  settling: CommitApplication,
  toward: CommitDirection,
): Promise<string[]> {
  const left = new Set<string>();
  const each = async (changes: readonly Numbered[], step: (one: Numbered) => Promise<void>) => {
    for (const one of changes) {
      await step(one).catch((error: unknown) => {
        if (!(error instanceof UnexpectedState) || settling.strange !== "leave") throw error;
        left.add(one.change.path);
      });
    }
  };
  const numbered = settling.changes.map((change, at) => ({ change, at, goal: change[toward] }));
  const deepestFirst = numbered.sort((a, b) => (a.change.path > b.change.path ? -1 : 1));
  const topFirst = [...deepestFirst].reverse();

  await each(deepestFirst, (one) => makeRoom(settling, one));
  await each(topFirst, (one) => put(settling, one));
  await each(deepestFirst, (one) => setFolderMode(settling, one));
  await syncFolders(settling);
  return [...left].sort();
}

/** All names are on disk before anybody says that it is done. */
async function syncFolders({ project, changes }: CommitApplication): Promise<void> {
  const parents = new Set(changes.map(({ path }) => splitPath(path).parent));
  await inParallel(parents, async (parent) => {
    await inFolderOf(project, entryPath(parent, "."), (folder) => folder.sync());
  });
}

interface Numbered {
  readonly change: PathChange;
  readonly at: number;
  readonly goal: State;
}

/** The paths that are on neither side. */
export async function unexpectedIn({ project, changes }: CommitApplication): Promise<string[]> {
  const found: string[] = [];
  for (const change of changes) {
    if (!isKnown(await stateAt(project, change.path), change)) found.push(change.path);
  }
  return found;
}

/** APPLY-COMMIT-1. Folders by their kind alone: while they are filled, their mode is another. */
function isKnown(now: State, change: PathChange): boolean {
  const sides = [change.old, change.new];
  if (now.kind === "folder" && sides.some(({ kind }) => kind === "folder")) return true;
  if (now.kind === "absent" && mustMakeRoom(change)) return true;
  return sides.some((side) => isSameState(now, side));
}

/** A rename cannot put a file where a folder is, nor nothing where anything is. */
const mustMakeRoom = ({ old, new: now }: PathChange): boolean =>
  old.kind !== now.kind && [old, now].some(({ kind }) => kind === "folder" || kind === "absent");

/** Where a put stands until it is whole; a crash may leave it there. */
const besideOf = ({ id }: CommitApplication, { at }: Numbered): string => `.aos-tmp-${id}-${at}`;

async function makeRoom(settling: CommitApplication, one: Numbered): Promise<void> {
  const { change, goal } = one;
  await inFolderOf(settling.project, change.path, async (folder, name) => {
    await folder.removeFile(besideOf(settling, one)).catch(noneIfMissing);
    if (!mustMakeRoom(change)) return;
    const now = await stateIn(folder, name);
    if (now.kind === "absent" || now.kind === goal.kind) return;
    knownOrStopped(settling, now, change);
    if (now.kind !== "folder") await folder.removeFile(name);
    else if (goal.kind === "absent" || goal.kind === "file" || goal.kind === "link")
      await removeEmpty(folder, name, change.path);
  });
}

async function removeEmpty(folder: Folder, name: string, path: string): Promise<void> {
  await folder.removeFolder(name).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOTEMPTY" || error.code === "EEXIST") throw new UnexpectedState(path);
    throw error;
  });
}

async function put(settling: CommitApplication, one: Numbered): Promise<void> {
  const { change, goal } = one;
  if (goal.kind === "absent") return;
  const beside = besideOf(settling, one);
  const done = await inFolderOf(settling.project, change.path, async (folder, name) => {
    const now = await stateIn(folder, name);
    if (isSameState(now, goal)) return true;
    knownOrStopped(settling, now, change);
    if (goal.kind === "folder") {
      if (now.kind === "folder") return true;
      await folder.makeFolder(name, goal.mode | 0o700);
      await own(folder, name, goal);
    } else if (goal.kind === "link") {
      await folder.makeLink(beside, goal.target);
      await own(folder, beside, goal);
      await folder.rename(beside, folder, name);
    } else if (goal.kind === "file") {
      if (isSameFile(now, goal)) await folder.setMode(name, goal.mode);
      else await putFile(settling, folder, beside, name, goal);
    }
    return true;
  });
  if (done !== true) throw new UnexpectedState(change.path);
}

/** APPLY-COMMIT-3. */
async function putFile(
  { blobs }: CommitApplication,
  folder: Folder,
  beside: string,
  name: string,
  goal: State & { kind: "file" },
): Promise<void> {
  await using blob = await blobs.openFile(goal.blob!);
  await using file = await folder.createFile(beside);
  const { hash } = await copyBytes(blob, file, goal.size);
  if (hash !== goal.hash) throw new SysError("ECORRUPT", `${blobs.path}/${goal.blob} is damaged`);
  await own(folder, beside, goal);
  await folder.setMode(beside, goal.mode);
  await folder.setTime(beside, BigInt(goal.mtimeNs));
  await file.sync();
  await folder.rename(beside, folder, name);
}

async function setFolderMode(
  settling: CommitApplication,
  { change, goal }: Numbered,
): Promise<void> {
  if (goal.kind !== "folder") return;
  await inFolderOf(settling.project, change.path, async (folder, name) => {
    const now = await stateIn(folder, name);
    if (now.kind === "folder" && now.mode !== goal.mode) await folder.setMode(name, goal.mode);
  });
}

function knownOrStopped({ strange }: CommitApplication, now: State, change: PathChange): void {
  if (isKnown(now, change)) return;
  if (strange !== "overwrite" || now.kind === "folder" || now.kind === "other")
    throw new UnexpectedState(change.path);
}

/** Only the daemon of an administrator can give files away. */
async function own(
  folder: Folder,
  name: string,
  { uid, gid }: State & { uid?: number; gid?: number },
) {
  if (process.getuid?.() === 0 && uid !== undefined && gid !== undefined)
    await folder.setOwner(name, { uid, gid });
}
