// Make folders: those that a file needs and that are not there, each found and asked about by itself.

import { lstat, mkdir } from "node:fs/promises";
import { posix } from "node:path";
import type { FilePlace } from "./file-place.ts";
import { withEntry } from "./open-checked.ts";

export async function makeFolders(place: FilePlace, path: string): Promise<void> {
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
