// Whole file: replaces a small file atomically.

import type { Folder } from "./folder.ts";
import { noneIfMissing } from "./folder.ts";

export async function writeWholeFile(folder: Folder, name: string, text: string): Promise<void> {
  const next = `${name}.next`;
  await folder.removeFile(next).catch(noneIfMissing);
  await using file = await folder.createFile(next);
  await file.writeFile(text);
  await file.sync();
  await folder.rename(next, folder, name);
  await folder.sync();
}

export async function readWholeFile(folder: Folder, name: string): Promise<string | undefined> {
  if ((await folder.look(name)) === undefined) return undefined;
  await using file = await folder.openFile(name);
  return await file.readFile("utf8");
}
