// Trash: removal moves a folder aside at once and then deletes it.
//
// TRASH-1  No link is followed, and any depth works: subfolders are moved up before a folder is removed, so that two
//     descriptors are enough.
// TRASH-2  What could not be removed, or was left by a crash, is removed the next time.

import { randomBytes } from "node:crypto";
import type { Folder, EntryName } from "./folder.ts";
import { noneIfMissing } from "./folder.ts";

const TRASH = ".trash";
const BLOCK_BYTES = 512;

export async function openTrash(home: Folder): Promise<Folder> {
  await home.makeFolder(TRASH, 0o700).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return home.into(TRASH);
}

const newName = (): string => randomBytes(12).toString("hex");

/** Gone from where it was when this resolves. Nothing happens when it was not there. */
export async function throwAway(folder: Folder, name: EntryName, trash: Folder): Promise<void> {
  const move = () => folder.rename(name, trash, newName());
  await move().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return;
    if (error.code !== "EACCES") throw error;
    // A folder without write permission cannot be moved either.
    await folder.setMode(name, 0o700);
    await move();
  });
}

/** TRASH-1, TRASH-2. Returns the bytes that it had on disk. */
export async function emptyTrash(trash: Folder): Promise<number> {
  let bytes = 0;
  for (let isGoingOn = true; isGoingOn;) {
    isGoingOn = false;
    for await (const name of trash.names()) {
      const gone = await takeApart(trash, name).catch(noneIfMissing);
      if (gone === undefined) continue;
      bytes += gone;
      isGoingOn = true;
    }
  }
  return bytes;
}

/** Undefined when it still exists: files are added as fast as they are removed. */
async function takeApart(trash: Folder, name: Buffer): Promise<number | undefined> {
  const stats = await trash.look(name);
  if (stats === undefined) return undefined;
  if (!stats.isDirectory()) {
    await trash.removeFile(name);
    return Number(stats.blocks) * BLOCK_BYTES;
  }
  let bytes = Number(stats.blocks) * BLOCK_BYTES;
  await using folder = await trash.into(name).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "EACCES") throw error;
    await trash.setMode(name, 0o700);
    return trash.into(name);
  });
  for await (const inside of folder.names()) {
    const within = await folder.look(inside);
    if (within === undefined) continue;
    if (within.isDirectory()) {
      await throwAway(folder, inside, trash);
    } else {
      await folder.removeFile(inside);
      bytes += Number(within.blocks) * BLOCK_BYTES;
    }
  }
  return trash.removeFolder(name).then(
    () => bytes,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOTEMPTY" || error.code === "EEXIST") return undefined;
      throw error;
    },
  );
}
