// Commit: applies an agent's changes to the project, all or none, and reverts them.
//
// COMMIT-1  The project is unchanged until everything that the commit needs is on disk beside it: the bytes before
//     and after, and the list of changes.
// COMMIT-2  After a crash it is completed or, if the project was changed meanwhile, reverted.
// COMMIT-3  Replaced files are kept until the workspace is removed.
// COMMIT-4  The labels of the copy's files are on the project's files before the first of them is written. An undo
//     restores the earlier labels after the bytes.

import { randomBytes } from "node:crypto";
import { type CopyPlace, type MarkKeeper, SysError } from "@aos/protocol";
import { type Base, readBase, writeBase } from "./base.ts";
import {
  commitNumbers,
  openCommitFolder,
  readChanges,
  readMarks,
  readState,
  startCommitFolder,
  writeChanges,
  writeMarks,
  writeState,
} from "./commit-folder.ts";
import type { Difference, ComparedTrees } from "./compare.ts";
import type { Folder } from "./folder.ts";
import { planCommit, type PlanOptions } from "./plan.ts";
import { joinNames } from "./format.ts";
import { inspectPath } from "./path-state.ts";
import {
  UnexpectedState,
  unexpectedIn,
  applyCommit,
  type CommitApplication,
  type CommitDirection,
} from "./apply-commit.ts";
import { type PathChange, inFolderOf } from "./state.ts";
import { throwAway } from "./trash.ts";

export interface CommitJob extends ComparedTrees {
  readonly project: Folder;
  /** The workspace's own folder, where its base and its commits are. */
  readonly store: Folder;
  readonly trash: Folder;
  readonly tree: string;
  /** Absent where labels are not kept. */
  readonly marks?: MarkKeeper;
}

export interface CommitReport {
  readonly files: string[];
  /** Folders that stay because they hold what the copy never had. */
  readonly kept: string[];
}

export async function commit(
  committing: CommitJob,
  differences: readonly Difference[],
  options: PlanOptions,
): Promise<CommitReport> {
  const { store, base } = committing;
  const { number, folder } = await startCommitFolder(store);
  await using held = folder;
  await using blobs = await held.into("blobs");
  const plan = await planCommit(committing, differences, blobs, options).catch(
    async (error: unknown) => {
      await forget(committing, number);
      throw error;
    },
  );
  const { changes, kept } = plan;
  if (changes.length === 0) {
    await forget(committing, number);
    return { files: [], kept };
  }
  const id = randomBytes(6).toString("hex");
  await writeBase(held, base);
  await writeChanges(held, changes);
  await blobs.sync();
  await carryMarks(committing, held, changes);
  await writeState(held, { progress: "begun", id, force: options.force });

  await applyCommit(
    { project: committing.project, blobs, changes, id, strange: "stop" },
    "new",
  ).catch(async (error: unknown) => {
    await leadBack(committing, held, "leave");
    throw stoppedBy(error);
  });
  await finish(committing, held, "new", changes);
  return { files: changes.map(({ path }) => path), kept };
}

/** Takes the last commit back that stands; undefined when there is none. */
export async function undoCommit(
  committing: CommitJob,
  { force }: { readonly force: boolean },
): Promise<{ files: string[]; left: string[] } | undefined> {
  for (const number of (await commitNumbers(committing.store)).reverse()) {
    await using folder = await openCommitFolder(committing.store, number);
    const state = await readState(folder);
    if (state?.progress !== "done") continue;
    const changes = await readChanges(folder);
    const changed = force ? [] : await changedSince(committing, folder, changes);
    if (changed.length > 0)
      throw new SysError(
        "ESTATE",
        `changed in the project since the commit: ${joinNames(changed)}`,
        {
          hint: "nothing was restored; --force restores the old files anyway",
          detail: { changed },
        },
      );
    await writeState(folder, { ...state, progress: "undoing", force });
    const left = await leadBack(committing, folder, force ? "overwrite" : "leave");
    return { files: changes.map(({ path }) => path), left };
  }
  return undefined;
}

/** COMMIT-2. What was between two sides is led to one of them. */
export async function recoverCommits(committing: CommitJob): Promise<string[]> {
  const done: string[] = [];
  for (const number of await commitNumbers(committing.store)) {
    await using folder = await openCommitFolder(committing.store, number);
    const state = await readState(folder);
    if (state === undefined) {
      await takeBackMarks(committing, folder, []);
      await forget(committing, number);
    } else if (state.progress === "begun") {
      done.push(await goOn(committing, folder, state.id));
    } else if (state.progress === "undoing") {
      await leadBack(committing, folder, state.force ? "overwrite" : "leave");
      done.push("an interrupted undo was completed");
    }
  }
  return done;
}

async function goOn(committing: CommitJob, folder: Folder, id: string): Promise<string> {
  const changes = await readChanges(folder);
  await using blobs = await folder.into("blobs");
  try {
    await applyCommit({ project: committing.project, blobs, changes, id, strange: "stop" }, "new");
  } catch {
    await leadBack(committing, folder, "leave");
    return "an interrupted commit was reverted: it could not be completed";
  }
  await finish(committing, folder, "new", changes);
  return "an interrupted commit was completed";
}

/** To the old side, and the base with it. Returns the paths that were skipped because others changed them. */
async function leadBack(
  committing: CommitJob,
  folder: Folder,
  strange: CommitApplication["strange"],
): Promise<string[]> {
  const changes = await readChanges(folder);
  const { id } = (await readState(folder))!;
  await using blobs = await folder.into("blobs");
  const left = await applyCommit(
    { project: committing.project, blobs, changes, id, strange },
    "old",
  );
  await takeBackMarks(committing, folder, left);
  await finish(committing, folder, "old", changes);
  return left;
}

/** COMMIT-4. */
async function carryMarks(
  committing: CommitJob,
  folder: Folder,
  changes: readonly PathChange[],
): Promise<void> {
  const written = changes.filter(({ new: { kind } }) => kind !== "absent");
  const paths = written.map(({ path }) => path);
  await writeMarks(folder, (await committing.marks?.carryMarks(placeOf(committing), paths)) ?? []);
}

/** COMMIT-4. A skipped path keeps its label. */
async function takeBackMarks(
  committing: CommitJob,
  folder: Folder,
  left: readonly string[],
): Promise<void> {
  const marks = (await readMarks(folder)).filter(({ path }) => !left.includes(path));
  if (marks.length > 0) await committing.marks?.takeBackMarks(placeOf(committing), marks);
}

const placeOf = ({ tree, project }: CommitJob): CopyPlace => ({ tree, project: project.path });

/** The base is what the project has now, where the commit touched it. */
async function finish(
  { project, store }: CommitJob,
  folder: Folder,
  toward: CommitDirection,
  changes: readonly PathChange[],
): Promise<void> {
  const before = await readBase(folder);
  await writeBase(store, await rebased(before, project, toward, changes));
  const state = (await readState(folder))!;
  await writeState(folder, { ...state, progress: toward === "new" ? "done" : "undone" });
}

async function rebased(
  base: Base,
  project: Folder,
  toward: CommitDirection,
  changes: readonly PathChange[],
): Promise<Base> {
  const entries = new Map(base.entries);
  for (const change of changes) {
    const state = change[toward];
    const seen = await inFolderOf(project, change.path, inspectPath);
    // On the way back, what was in conflict was never of the base.
    const isOfBase = toward === "new" || base.entries.has(change.path);
    if (seen === undefined || seen.kind === "other" || state.kind === "absent" || !isOfBase)
      entries.delete(change.path);
    else
      entries.set(change.path, {
        ...seen,
        kind: seen.kind,
        ...(state.kind === "file" ? { hash: state.hash, size: state.size } : {}),
      });
  }
  const inOrder = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  return { entries: new Map(inOrder), leftOut: base.leftOut };
}

async function changedSince(
  { project }: CommitJob,
  folder: Folder,
  changes: PathChange[],
): Promise<string[]> {
  await using blobs = await folder.into("blobs");
  return unexpectedIn({ project, blobs, changes, id: "", strange: "stop" });
}

async function forget({ store, trash }: CommitJob, number: number): Promise<void> {
  await using commits = await store.into("commits");
  await throwAway(commits, String(number), trash);
}

function stoppedBy(error: unknown): unknown {
  if (!(error instanceof UnexpectedState)) return error;
  return new SysError(
    "ESTATE",
    `nothing was committed: ${error.path} was changed at the same time`,
    {
      hint: "review it with `aos diff` and commit again",
      detail: { conflicts: [error.path], power: [] },
    },
  );
}
