// By walk: for systems that do not report what was opened (macOS). The path is resolved, every folder on the way is
// held open, and the path is checked again after the file is opened.
//
// BY-WALK-1  No part of what is opened is a link: the leaf never (O_NOFOLLOW), the way on macOS never
//     (O_NOFOLLOW_ANY), elsewhere not before and not after.
// BY-WALK-2  Afterwards the path leads along the same folders to the same file.
//
// Weaker than by descriptor: outside macOS a folder that is swapped for a link and back between the two checks is not
// noticed, and a file created in that moment is left empty.

import { constants, type Stats } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { childPath, type ResolvedFile, keepIf, SwappedFile } from "./resolved-file.ts";

/** Not among Node's constants. Refuses a link in any part of a path. */
const O_NOFOLLOW_ANY = process.platform === "darwin" ? 0x2000_0000 : 0;
const NO_LINK = constants.O_NOFOLLOW | O_NOFOLLOW_ANY;
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | NO_LINK;
const MAKING = constants.O_CREAT | constants.O_EXCL;

export async function findByWalk(path: string): Promise<ResolvedFile> {
  const real = await realpath(path);
  const held = new AsyncDisposableStack();
  try {
    const way = await holdWay(real, held);
    const stats = await lstat(real);
    const isStillThere = async () => {
      if ((await realpath(path)) !== real) throw new SwappedFile();
      for (const [folder, was] of way) sameOrSwapped(await lstat(folder), was);
      sameOrSwapped(await lstat(real), stats);
    };
    return {
      real,
      stats,
      open: async (flags) => {
        const file = await open(real, flags | NO_LINK);
        return keepIf(file, async () => {
          sameOrSwapped(await file.stat(), stats);
          await isStillThere();
        });
      },
      entry: (name) => childPath(real, name),
      make: async (name, flags) => {
        const file = await open(childPath(real, name), flags | MAKING | NO_LINK);
        return keepIf(file, async () => {
          await isStillThere();
          sameOrSwapped(await lstat(childPath(real, name)), await file.stat());
        });
      },
      [Symbol.asyncDispose]: () => held.disposeAsync(),
    };
  } catch (error) {
    await held.disposeAsync();
    throw error;
  }
}

/** Opens every folder above, so that none of them can be another one under the same number. */
async function holdWay(real: string, held: AsyncDisposableStack): Promise<[string, Stats][]> {
  const parts = real.slice(1).split("/").slice(0, -1);
  const way: [string, Stats][] = [];
  for (const at of parts.keys()) {
    const path = `/${parts.slice(0, at + 1).join("/")}`;
    const folder = held.use(await open(path, FOLDER));
    way.push([path, await folder.stat()]);
  }
  return way;
}

function sameOrSwapped(one: Stats, other: Stats): void {
  if (one.dev !== other.dev || one.ino !== other.ino) throw new SwappedFile();
}
