// ListFolder: the files below a folder that a schedule watches.
//
// LIST-FOLDER-1  No link is followed, neither to a file nor to a folder: only what is below the folder itself counts.
// LIST-FOLDER-2  Nothing is read but names, sizes and times.

import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { SysError, type FolderListing, type ListFolder } from "@aos/protocol";

const MOST_FILES = 5000;

export const listFolder: ListFolder = async (folder, endings) => {
  const files: Record<string, string> = {};
  let count = 0;
  const walk = async (below: string): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true });
    for (const entry of entries) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) await walk(path).catch(ifGone);
      if (!entry.isFile()) continue; // LIST-FOLDER-1
      if (endings !== undefined && !endings.some((ending) => path.endsWith(ending))) continue;
      const found = await lstat(join(folder, path)).catch(ifGone);
      if (found === undefined || !found.isFile()) continue;
      if (++count > MOST_FILES)
        throw new SysError("EINVAL", `${folder} has more than ${MOST_FILES} files to watch`);
      files[path] = `${found.size} ${found.mtimeMs} ${found.ino}`;
    }
  };
  await walk("");
  return files satisfies FolderListing;
};

/** It was there a moment ago. */
function ifGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
}
