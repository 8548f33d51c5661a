// State: the exact state of a project path: what a commit leads from and to.

import { fileContentDigest } from "./copy-bytes.ts";
import { isPathGone } from "./base.ts";
import type { Folder } from "./folder.ts";
import { PLAIN_BITS, inspectPath } from "./path-state.ts";
import { splitPath } from "./walk.ts";

interface Owned {
  readonly uid?: number;
  readonly gid?: number;
}

export type State =
  | { readonly kind: "absent" }
  /** A pipe, a device, a socket, or a link whose text is none. */
  | { readonly kind: "other" }
  | (Owned & { readonly kind: "folder"; readonly mode: number })
  | (Owned & { readonly kind: "link"; readonly target: string })
  | (Owned & {
      readonly kind: "file";
      readonly mode: number;
      readonly size: number;
      readonly hash: string;
      readonly mtimeNs: string;
      /** The name of its bytes in the commit's folder. */
      readonly blob?: string;
    });

export interface PathChange {
  readonly path: string;
  readonly old: State;
  readonly new: State;
}

export const ABSENT: State = { kind: "absent" };

/** Nothing is there when the way does not lead there without a link. */
export const stateAt = async (top: Folder, path: string): Promise<State> =>
  (await inFolderOf(top, path, stateIn)) ?? ABSENT;

/** Undefined when the way does not lead there. */
export async function inFolderOf<Result>(
  top: Folder,
  path: string,
  use: (folder: Folder, name: string) => Promise<Result>,
): Promise<Result | undefined> {
  const { name, parents } = splitPath(path);
  let folder: Folder;
  try {
    folder = await top.along(parents);
  } catch (error) {
    if (isPathGone(error)) return undefined;
    throw error;
  }
  await using held = folder;
  return await use(held, name);
}

export async function stateIn(folder: Folder, name: string): Promise<State> {
  const [seen, stats] = [await inspectPath(folder, name), await folder.look(name)];
  if (seen === undefined || stats === undefined) return ABSENT;
  const owned = { uid: Number(stats.uid), gid: Number(stats.gid) };
  if (seen.kind === "other") return { kind: "other" };
  if (seen.kind === "folder") return { kind: "folder", mode: seen.mode, ...owned };
  if (seen.kind === "link") return { kind: "link", target: seen.target!, ...owned };
  await using file = await folder.openFile(name);
  const { mode, mtimeNs } = await file.stat({ bigint: true });
  const { size, hash } = await fileContentDigest(file, Number.MAX_SAFE_INTEGER);
  const bits = Number(mode) & PLAIN_BITS;
  return { kind: "file", mode: bits, size, hash, mtimeNs: String(mtimeNs), ...owned };
}

/** Equal for a reader. Times and owners are not compared. */
export function isSameState(one: State, other: State): boolean {
  if (one.kind === "file" && other.kind === "file")
    return isSameFile(one, other) && one.mode === other.mode;
  if (one.kind === "folder" && other.kind === "folder") return one.mode === other.mode;
  if (one.kind === "link" && other.kind === "link") return one.target === other.target;
  return one.kind === "absent" && other.kind === "absent";
}

export const isSameFile = (one: State, other: State): boolean =>
  one.kind === "file" &&
  other.kind === "file" &&
  one.size === other.size &&
  one.hash === other.hash;
