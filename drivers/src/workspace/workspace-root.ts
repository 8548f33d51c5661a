// WorkspaceRoot: the folder of all workspaces, held open, and the trash beside them.

import { mkdir, realpath } from "node:fs/promises";
import { Folder, type ChangeHook } from "./folder.ts";
import { openTrash } from "./trash.ts";

export interface WorkspaceRoot extends AsyncDisposable {
  readonly home: Folder;
  readonly trash: Folder;
}

/** Other users may pass through it to their own workspace, but not list it. */
export const PASSABLE = 0o711;

export async function openWorkspaceRoot(
  path: string,
  step: ChangeHook | undefined,
): Promise<WorkspaceRoot> {
  await mkdir(path, { recursive: true, mode: PASSABLE });
  const home = await Folder.open(await realpath(path), step);
  try {
    const trash = await openTrash(home);
    return {
      home,
      trash,
      [Symbol.asyncDispose]: async () => {
        await trash[Symbol.asyncDispose]();
        await home[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await home[Symbol.asyncDispose]();
    throw error;
  }
}

/** The trees that have a folder here, ready or not. */
export async function treesIn(home: Folder): Promise<string[]> {
  const trees: string[] = [];
  for await (const name of home.names()) trees.push(name.toString());
  return trees.filter((name) => !name.startsWith(".")).sort();
}
