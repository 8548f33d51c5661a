// Commit folder: the data of one commit: the bytes before and after, the list of changes, and its progress.
//
//   blobs/        bytes of files, by number and side
//   changes.json  written once, after every blob is on disk
//   marks.json    the labels that the commit put on files of the project, and those that were there before
//   state.json    begun → done → undoing → undone; a commit without it never began
//
// COMMIT-FOLDER-1  While `state.json` is begun or undoing, the project is between two sides, and the next opening of
//     the workspace completes or reverts it.

import type { CarriedMark } from "@aos/protocol";
import type { Folder } from "./folder.ts";
import type { PathChange } from "./state.ts";
import { readWholeFile, writeWholeFile } from "./whole-file.ts";

export type CommitProgress = "begun" | "done" | "undoing" | "undone";

export interface CommitState {
  readonly progress: CommitProgress;
  readonly id: string;
  readonly force: boolean;
}

const COMMITS = "commits";

export async function startCommitFolder(
  store: Folder,
): Promise<{ number: number; folder: Folder }> {
  if ((await store.look(COMMITS)) === undefined) await store.makeFolder(COMMITS, 0o700);
  await using commits = await store.into(COMMITS);
  const number = Math.max(0, ...(await commitNumbers(store))) + 1;
  await commits.makeFolder(String(number), 0o700);
  const folder = await commits.into(String(number));
  try {
    await folder.makeFolder("blobs", 0o700);
    return { number, folder };
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
}

export async function commitNumbers(store: Folder): Promise<number[]> {
  if ((await store.look(COMMITS)) === undefined) return [];
  await using commits = await store.into(COMMITS);
  const numbers: number[] = [];
  for await (const name of commits.names()) numbers.push(Number(name.toString()));
  return numbers.filter(Number.isSafeInteger).sort((a, b) => a - b);
}

export const openCommitFolder = (store: Folder, number: number): Promise<Folder> =>
  store.along([COMMITS, String(number)]);

export const writeChanges = (folder: Folder, changes: readonly PathChange[]): Promise<void> =>
  writeWholeFile(folder, "changes.json", JSON.stringify(changes));

export async function readChanges(folder: Folder): Promise<PathChange[]> {
  return JSON.parse((await readWholeFile(folder, "changes.json")) ?? "[]") as PathChange[];
}

export const writeMarks = (folder: Folder, marks: readonly CarriedMark[]): Promise<void> =>
  writeWholeFile(folder, "marks.json", JSON.stringify(marks));

export async function readMarks(folder: Folder): Promise<CarriedMark[]> {
  return JSON.parse((await readWholeFile(folder, "marks.json")) ?? "[]") as CarriedMark[];
}

export const writeState = (folder: Folder, state: CommitState): Promise<void> =>
  writeWholeFile(folder, "state.json", JSON.stringify(state));

/** Undefined: it never began. */
export async function readState(folder: Folder): Promise<CommitState | undefined> {
  const text = await readWholeFile(folder, "state.json");
  return text === undefined ? undefined : (JSON.parse(text) as CommitState);
}
