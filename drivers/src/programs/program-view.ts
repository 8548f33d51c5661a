// Program view: the part of the machine that a foreign program sees, read-only: its folder, the files that its
// command names, its interpreter, and the protocol clients. Everything else goes through system calls.
//
// PROGRAM-VIEW-1  A broad folder (a home, /tmp, the root) is not mounted whole: only the files that the command names
//     are.
// PROGRAM-VIEW-2  The daemon's own files are never visible, even inside the program's folder.
// PROGRAM-VIEW-3  A root daemon gives the program its own user or, if that user could not read the folder, the
//     folder's owner; never more.
// PROGRAM-VIEW-4  For a tenant with a ceiling, files named by a command are visible only if the ceiling covers them
//     or they belong to the system; the existence of others is not revealed. With a folder, which only the operator
//     can give, the command is the operator's own and may name anything.

import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type ProgramConfinement, SysError } from "@aos/protocol";
import type { Confinement, Mount } from "../sandbox/index.ts";
import { isOfHomes, mountsForProgram } from "../sandbox/program-mounts.ts";
import { isInFolder } from "../sandbox/sources.ts";
import { findProgram } from "./find-program.ts";

export interface ProgramPaths {
  /** Where commands are looked for. */
  readonly path: string;
  /** What every program sees beside its own: clients of the protocol. */
  readonly libraries: readonly string[];
  /** What none sees. */
  readonly private: readonly string[];
  /** Of a tenant with a ceiling. */
  readonly confinement?: ProgramConfinement | undefined;
  /** More, as the operator wants it. Of two at one place the later one counts. */
  readonly mounts: readonly Mount[];
}

export interface ProgramView extends Pick<Confinement, "mounts" | "hidden" | "folder" | "user"> {
  readonly command: readonly string[];
}

/** Throws SysError EINVAL in words for the reason of an end. */
export async function viewOf(
  command: readonly string[],
  folder: string | undefined,
  places: ProgramPaths,
): Promise<ProgramView> {
  const [name, ...words] = command;
  if (name === undefined) throw new SysError("EINVAL", "the program has no command");
  const home = folder === undefined ? undefined : realFolder(folder, name);
  const { confinement } = places;
  const maySee = (path: string) => isSeenBelow(confinement, folder, path);
  const wanted = home !== undefined && name.includes("/") ? resolve(home, name) : name;
  if (wanted.includes("/") && !maySee(wanted)) throw notCovered(wanted, confinement!.tenant);
  const found = await findProgram(wanted, places.path);
  const files = [
    found,
    ...words.map((word) => resolve(home ?? "/", word)).filter((path) => maySee(path)),
  ].filter(isFile);
  const own = home ?? folderOf(files.slice(1));
  const given: Mount[] = [
    ...(own === undefined || isTooWide(own) ? [] : [read(own)]),
    ...files.slice(1).map((file) => read(realpathSync(file), file)),
    ...environmentOf(found),
    ...mountsForProgram(found, places.path),
    ...mountsForProgram(process.execPath, ""),
    ...places.libraries.filter((library) => existsSync(library)).map((library) => read(library)),
    ...places.mounts,
  ];
  const mounts = withoutDoubles(given);
  const isSeen = (path: string) =>
    SYSTEM.some((place) => isInFolder(path, place)) ||
    mounts.some(({ from, at = from }) => isInFolder(path, at));
  return {
    command: [isSeen(found) ? found : realpathSync(found), ...words],
    mounts,
    hidden: places.private.filter((path) =>
      mounts.some(({ from }) => path !== from && isInFolder(path, from)),
    ),
    ...(own !== undefined && mounts.some(({ at = "" }) => isInFolder(at, own))
      ? { folder: own }
      : {}),
    ...userFor(own, files),
  };
}

/** PROGRAM-VIEW-4. By where it is asked for, and by what it really is. */
export function isSeenBelow(
  confinement: ProgramConfinement | undefined,
  folder: string | undefined,
  path: string,
): boolean {
  if (confinement === undefined || folder !== undefined) return true;
  const isCovered = (one: string) =>
    SYSTEM.some((place) => isInFolder(one, place)) || confinement.mayRead(one);
  return isCovered(path) && isCovered(realOr(path));
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

const notCovered = (path: string, tenant: string) =>
  new SysError(
    "EACCES",
    `the command ${JSON.stringify(path)} is not covered by the ceiling of tenant ${tenant}, set by the operator`,
    { hint: `the operator can raise it: aos tenant set ${tenant} --allow 'file:${path}:read'` },
  );

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib"];
/** Places where everybody's things are. */
const SHARED = new Set([
  "/",
  "/tmp",
  "/var",
  "/var/tmp",
  "/etc",
  "/opt",
  "/srv",
  "/mnt",
  "/media",
  "/run",
]);

const read = (from: string, at = from): Mount => ({ from, at, mode: "read" });

function realFolder(folder: string, name: string): string {
  if (!(statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false)) {
    throw new SysError(
      "EINVAL",
      `the folder ${folder} of the command ${JSON.stringify(name)} is not there`,
    );
  }
  return realpathSync(folder);
}

/** Where no folder was said: that of the first file that the command names. */
const folderOf = ([first]: readonly string[]): string | undefined =>
  first === undefined ? undefined : dirname(realpathSync(first));

/** PROGRAM-VIEW-1 */
const isTooWide = (folder: string): boolean => SHARED.has(folder) || isOfHomes(folder);

/** A virtual environment of Python is its folder, and the interpreter that it links to. */
function environmentOf(executable: string): Mount[] {
  const folder = dirname(dirname(executable));
  return existsSync(join(folder, "pyvenv.cfg")) ? [read(folder)] : [];
}

/** Of two at one place the later one; nothing that lies in what is given anyway. */
function withoutDoubles(mounts: readonly Mount[]): Mount[] {
  const byPlace = new Map(mounts.map((mount) => [mount.at ?? mount.from, mount]));
  const kept = [...byPlace.values()];
  const gives = (wide: Mount, { from, at = from, mode }: Mount) => {
    const { at: wideAt = wide.from } = wide;
    const isSame = from === wide.from + at.slice(wideAt.length);
    return at !== wideAt && isInFolder(at, wideAt) && isSame && wide.mode === mode;
  };
  return kept.filter((mount) => !kept.some((wide) => gives(wide, mount)));
}

/** PROGRAM-VIEW-3 */
function userFor(folder: string | undefined, files: readonly string[]): Pick<ProgramView, "user"> {
  if (process.getuid?.() !== 0 || folder === undefined) return {};
  const { uid, gid, mode } = statSync(folder);
  const isOpen = (mode & 0o005) === 0o005;
  const areOpen = files.every((file) => (statSync(file).mode & 0o004) !== 0);
  return isOpen && areOpen ? {} : { user: { uid, gid } };
}

/** A word may be anything, also what no path can be. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
