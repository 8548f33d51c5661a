// Hidden: the files of a project folder that the policy would not let its agent read. They are there,
// because the folder is used as it is, and a program in the sandbox must not see them.
//
// H1  Sockets, pipes and devices are hidden, too: who sees one can talk to what is behind it.
// H2  All are found, or it is an error: what was not looked at is not shown.

import { SysError } from "@aos/protocol";
import { Folder } from "./folder.ts";
import { sayNames } from "./say.ts";
import { walk } from "./walk.ts";

/** Paths of the machine; `name` is what agents call the root. */
export async function findHidden(
  root: string,
  name: string,
  mayRead: (path: string) => boolean,
): Promise<string[]> {
  const hidden: string[] = [];
  await using folder = await Folder.open(root);
  const { untold } = await walk(folder, {
    takes: (path, { kind }) => {
      const isShown = kind === "folder" || (kind !== "other" && mayRead(`${name}/${path}`));
      if (!isShown) hidden.push(`${root}/${path}`);
      return kind === "folder";
    },
  });
  const unseen = untold.filter(({ why }) => why.includes("looked"));
  if (unseen.length === 0) return hidden;
  throw new SysError(
    "EINVAL",
    `not all of ${root} could be looked at: ${sayNames(unseen.map((u) => u.path))}`,
    {
      hint: "work on a copy with --cow, or on a smaller folder",
    },
  );
}
