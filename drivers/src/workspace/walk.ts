// Walk: lists everything below a folder, which may be an agent's and changing.
//
// WALK-1  It never leaves the folder: no link is followed, and no pipe or device is opened.
// WALK-2  Entries and depth are limited. Deeper folders are named and not entered; too many entries are an error.
//     Folders are read one after another, so that few descriptors are open.
// WALK-3  Entries that are not UTF-8, unreadable or not copyable are listed in `untold`, with the reason as a type.

import { SysError } from "@aos/protocol";
import type { Folder } from "./folder.ts";
import { inParallel } from "./in-parallel.ts";
import { inspectPath, type PathState, decodeUtf8 } from "./path-state.ts";

export const MAX_ENTRIES = 500_000;
export const MAX_FOLDER_DEPTH = 200;

/** Why something is not carried over, and the words for people. Code goes by the key. */
export const skipReasonText = {
  "name-not-text": "its name is not UTF-8",
  "not-a-file": "it is not a file, folder or link",
  "too-deep": `it is ${MAX_FOLDER_DEPTH} folders deep, and its content was not read`,
  unreadable: "it cannot be read",
} as const;

export type SkipReason = keyof typeof skipReasonText;

/** Something that is there and is not carried over. */
export interface SkippedEntry {
  readonly path: string;
  readonly reason: SkipReason;
  /** Where it is and what it is called, to remove it by. */
  readonly parent: string;
  readonly name: Buffer;
}

export interface Snapshot {
  /** By path below the folder, without a slash at either end; parents before what is in them. */
  readonly entries: Map<string, PathState>;
  readonly skipped: SkippedEntry[];
}

export interface WalkOptions {
  /** Whether to take it, and to enter it when it is a folder. Everything when absent. */
  readonly takes?: (path: string, seen: PathState) => boolean;
  readonly maxEntries?: number;
  readonly onEntry?: (count: number) => void;
}

export async function walkTree(top: Folder, options: WalkOptions = {}): Promise<Snapshot> {
  const snapshot: Snapshot = { entries: new Map(), skipped: [] };
  await walkFolder(top, "", 0, snapshot, options);
  return snapshot;
}

async function walkFolder(
  folder: Folder,
  parent: string,
  depth: number,
  snapshot: Snapshot,
  options: WalkOptions,
): Promise<void> {
  const { entries, skipped } = snapshot;
  const names: { name: Buffer; path: string }[] = [];
  for await (const name of folder.names()) {
    const text = decodeUtf8(name);
    const path = entryPath(parent, text ?? name.toString());
    if (text === undefined) skipped.push({ path, parent, name, reason: "name-not-text" });
    else names.push({ name, path });
    boundedOrRefused(entries.size + skipped.length + names.length, folder, options);
  }
  names.sort((a, b) => (a.path < b.path ? -1 : 1));

  const found = new Map<string, PathState>();
  await inParallel(names, async ({ name, path }) => {
    const seen = await inspectPath(folder, name);
    if (seen !== undefined) found.set(path, seen);
  });
  for (const { name, path } of names) {
    const seen = found.get(path);
    if (seen === undefined || options.takes?.(path, seen) === false) continue;
    if (seen.kind === "other") {
      skipped.push({ path, parent, name, reason: "not-a-file" });
      continue;
    }
    entries.set(path, seen);
    options.onEntry?.(entries.size);
    if (seen.kind !== "folder") continue;
    const reason = await enter(folder, name, path, depth + 1, snapshot, options);
    if (reason !== undefined) skipped.push({ path, parent, name, reason });
  }
}

/** Why it was not entered; undefined when it was, or is gone. */
async function enter(
  above: Folder,
  name: Buffer,
  path: string,
  depth: number,
  snapshot: Snapshot,
  options: WalkOptions,
): Promise<SkipReason | undefined> {
  if (depth >= MAX_FOLDER_DEPTH) return "too-deep";
  let folder: Folder;
  try {
    folder = await above.into(name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES") return "unreadable";
    // Gone, or another thing by now: as if it had been so before.
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return undefined;
    throw error;
  }
  await using entered = folder;
  await walkFolder(entered, path, depth, snapshot, options);
}

function boundedOrRefused(count: number, folder: Folder, options: WalkOptions): void {
  const { maxEntries = MAX_ENTRIES } = options;
  if (count > maxEntries) throw new TooManyEntries(folder.path, maxEntries);
}

export class TooManyEntries extends SysError {
  constructor(path: string, most: number) {
    super("EINVAL", `there are more than ${most} files and folders, many of them in ${path}`, {
      hint: "exclude folders with .aosignore, or use a smaller folder",
    });
  }
}

export const entryPath = (parent: string, name: string): string =>
  parent === "" ? name : `${parent}/${name}`;

/** The path of the folder that it is in, `""` at the top; and its name there. */
export function splitPath(path: string): { parent: string; name: string; parents: string[] } {
  const parts = path.split("/");
  return { parent: parts.slice(0, -1).join("/"), name: parts.at(-1)!, parents: parts.slice(0, -1) };
}
