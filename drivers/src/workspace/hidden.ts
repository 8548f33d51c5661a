// Hidden: the files of a project folder that the policy would not let its agent read. They are there,
// because the folder is used as it is, and a program in the sandbox must not see them.
//
// HIDDEN-1  Sockets, pipes and devices are hidden, too: who sees one can talk to what is behind it.
// HIDDEN-2  All are found, or it is an error: what was not looked at is not shown. Names need not be
//     text.
// HIDDEN-3  They are found anew for every run: what stands where changes.

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
