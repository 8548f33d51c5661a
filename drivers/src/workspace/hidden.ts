// Hidden: finds the files of a project folder that the policy does not let its agent read. In a folder that is used
// directly they exist, and a sandboxed program must not see them.
//
// HIDDEN-1  Sockets, pipes and devices are hidden too, because they give access to other programs.
// HIDDEN-2  The search is complete or fails: what was not checked is not shown. Names need not be UTF-8.
// HIDDEN-3  It is repeated for every run.

import { walkBytes, pathOf, type WalkedFolder } from "./byte-walk.ts";
import { Folder } from "./folder.ts";

/** Of the machine; bytes where the path is not text. */
export type MachinePath = string | Buffer;

/** `name` is what agents call the root. */
export async function findHidden(
  root: string,
  name: string,
  mayRead: (path: string) => boolean,
): Promise<MachinePath[]> {
  const hidden: MachinePath[] = [];
  await using folder = await Folder.open(root);
  await walkBytes(folder, (walked) => void hidden.push(...hiddenIn(walked, root, name, mayRead)));
  return hidden;
}

export const hiddenIn = (
  { entries }: WalkedFolder,
  root: string,
  name: string,
  mayRead: (path: string) => boolean,
): MachinePath[] =>
  entries
    .filter(
      ({ kind, text }) => kind === "other" || (kind !== "folder" && !mayRead(`${name}/${text}`)),
    )
    .map(({ path }) => pathOf(root, path));
