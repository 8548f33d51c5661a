// Private file: a key file that only its owner may read.
//
//   readPrivate(path)                        its content; undefined if there is none
//   createPrivate(path, bytes, draftName)    creates it, or returns what another process created meanwhile
//
// PRIVATE-FILE-1  A file that others may read or write is refused, not repaired: it may already have been copied.
// PRIVATE-FILE-2  It appears whole or not at all and never replaces another: two concurrent creators end up with the
//     same bytes.

import { link, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "./durable-folder.ts";

export async function readPrivate(path: string): Promise<Buffer | undefined> {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const { mode } = await file.stat();
    if ((mode & 0o077) !== 0) {
      const octal = (mode & 0o777).toString(8);
      throw new Error(
        `other users can read the key file ${path} (mode ${octal}): run chmod 600 on it`,
      );
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** `draftName` makes the name of the draft unique. */
export async function createPrivate(
  path: string,
  bytes: Uint8Array,
  draftName: string,
): Promise<Uint8Array> {
  const draft = `${path}.${draftName}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
    await link(draft, path);
    await syncFolder(dirname(path));
    return bytes;
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
    const other = isThere ? await readPrivate(path) : undefined;
    if (other !== undefined) return other;
    throw error;
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
}
