// Platform: selects the way to open files on this machine, by trying it once. A machine without one gets an error,
// not a weaker check.
//
// On Linux it is by descriptor: the file is opened first, and the system is asked what was opened. The descriptor
// identifies the file even if its name is replaced.
//
// BY-DESCRIPTOR-1  A path is resolved once. From then on there is only the descriptor.
// BY-DESCRIPTOR-2  The path that the system reports leads to the same file, and the file is not removed. So a file of
//     another mount namespace is not mistaken for one of the same name.
//
// O_PATH opens without reading, writing or side effects: a device or a pipe does not notice.

import { constants } from "node:fs";
import { type FileHandle, lstat, open, readlink } from "node:fs/promises";
import { SysError } from "@aos/protocol";
import { findByWalk } from "./by-walk.ts";
import {
  childPath,
  keepIf,
  type ResolvedFile,
  type ResolveFile,
  SwappedFile,
} from "./resolved-file.ts";

let chosen: Promise<ResolveFile> | undefined;

export const finderOfMachine = (): Promise<ResolveFile> =>
  (chosen ??= chooseFinder(process.platform));

export async function chooseFinder(
  platform: NodeJS.Platform,
  tells: () => Promise<boolean> = tellsByDescriptor,
): Promise<ResolveFile> {
  if (platform === "darwin") return findByWalk;
  if (platform === "linux" && (await tells())) return findByDescriptor;
  throw new SysError(
    "ESTATE",
    platform === "linux"
      ? "/proc is not mounted, so the target of a path cannot be checked"
      : `on ${platform} the target of a path cannot be checked`,
  );
}

/** Not among Node's constants; the same on every Linux that Node runs on. */
const O_PATH = 0o10_000_000;
/** What the system adds to the name of a file that is gone. A file may also be called so: bad luck. */
const GONE = " (deleted)";

/** With O_EXCL a link is in the way too: it is not followed. */
const MAKING = constants.O_CREAT | constants.O_EXCL;

const linkTo = (file: FileHandle): string => `/proc/self/fd/${file.fd}`;

export async function findByDescriptor(path: string): Promise<ResolvedFile> {
  const held = await open(path, O_PATH);
  try {
    const real = await realPathOf(held);
    return {
      real,
      stats: await held.stat(),
      open: (flags) => open(linkTo(held), flags),
      entry: (name) => `${linkTo(held)}/${name}`,
      make: async (name, flags) => {
        const file = await open(`${linkTo(held)}/${name}`, flags | MAKING);
        return keepIf(file, async () => {
          if ((await realPathOf(file)) !== childPath(real, name)) throw new SwappedFile();
        });
      },
      [Symbol.asyncDispose]: () => held.close(),
    };
  } catch (error) {
    await held.close();
    throw error;
  }
}

async function realPathOf(held: FileHandle): Promise<string> {
  const real = await readlink(linkTo(held));
  // A pipe or a socket is called `pipe:[7]`: it has no place.
  if (!real.startsWith("/") || real.endsWith(GONE)) throw new SwappedFile();
  const [there, here] = [await lstat(real, { bigint: true }), await held.stat({ bigint: true })];
  if (there.dev !== here.dev || there.ino !== here.ino) throw new SwappedFile();
  return real;
}

/** Whether the system tells at all: without /proc it does not. */
export async function tellsByDescriptor(): Promise<boolean> {
  try {
    await using root = await open("/", O_PATH);
    return (await readlink(linkTo(root))) === "/";
  } catch {
    return false;
  }
}
