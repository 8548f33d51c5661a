// Make folders: creates missing parent folders, each resolved and authorised separately.

import { lstat, mkdir } from "node:fs/promises";
import { posix } from "node:path";
import type { FileLocation } from "./file-location.ts";
import { withEntry } from "./open-checked.ts";

/** The folders that a file is in, the outermost first; not the root, and not the workspace. */
export function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let one = posix.dirname(path); one !== "/" && one !== "/work"; one = posix.dirname(one))
    folders.unshift(one);
  return folders;
}

export async function makeFolders(place: FileLocation, path: string): Promise<void> {
  const missing: string[] = [];
  let folder = posix.dirname(path);
  while (folder !== "/" && (await isMissing(place.machine(folder)))) {
    missing.unshift(folder);
    folder = posix.dirname(folder);
  }
  for (const one of missing)
    await withEntry(place.machine(one), "write", place.gate, async (entry) => {
      await mkdir(entry).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      });
    });
}

const isMissing = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
