// WorkspaceMetadata: the metadata of a workspace, in its folder beside its files.
//
//   <folder>/<tree>/note.json    this
//   <folder>/<tree>/files/       what `/work` is, unless it is the project itself
//   <folder>/<tree>/base.ndjson  the project when it was copied
//   <folder>/<tree>/commits/     the commits, with the replaced files
//
// WORKSPACE-METADATA-1  A workspace exists once its note says `isReady`; an unfinished one is created anew.

import { SysError } from "@aos/protocol";
import type { Folder } from "./folder.ts";
import { readWholeFile, writeWholeFile } from "./whole-file.ts";

export type WorkspaceKind = "private" | "direct" | "copy";

export interface WorkspaceMetadata {
  readonly version: 1;
  readonly tree: string;
  readonly tenant: string;
  readonly kind: WorkspaceKind;
  readonly isReady: boolean;
  /** The project's real path, and its inode: another folder under the same name is another project. */
  readonly project?: string;
  readonly projectIno?: string;
  /** The user and group that it is for, where the daemon may choose. */
  readonly uid?: number;
  /** It is being put back; a crash in the middle is gone on from. */
  readonly isUndoing?: boolean;
  readonly state: "open" | "committed" | "undone";
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When its tree was first seen to have ended. */
  readonly endedAt?: number;
}

const FILE = "note.json";
const TREE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** A tree's id becomes the name of a folder. */
export function treeOrRefused(tree: string): string {
  if (TREE.test(tree)) return tree;
  throw new SysError("EINVAL", `${JSON.stringify(tree)} is not a process id`);
}

export const writeMetadata = (store: Folder, note: WorkspaceMetadata): Promise<void> =>
  writeWholeFile(store, FILE, JSON.stringify(note));

export async function readMetadata(store: Folder): Promise<WorkspaceMetadata | undefined> {
  const text = await readWholeFile(store, FILE);
  return text === undefined ? undefined : (JSON.parse(text) as WorkspaceMetadata);
}
