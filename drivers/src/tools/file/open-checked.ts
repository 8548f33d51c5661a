// Open, checked: the only way to open a machine file. A grant is for a path, and a path can lead anywhere: the target
// is found first, the gate is asked about it, and that target is used.
//
//   withFile(path, way, context, use)     a regular file; created if the mode says so
//   withFolder(path, verb, context, use)  a folder, to look into
//   withEntry(path, verb, context, use)   a name in its folder, whatever it is
//
// OPEN-CHECKED-1  The gate is asked about the real path once it is known and before anything is read, created,
//     truncated or removed. What was authorised is what is used.
// OPEN-CHECKED-2  A link is followed only to a granted target. A dangling link is not followed.
// OPEN-CHECKED-3  A file is a regular file with one name: no folder, device, pipe or socket, nothing in /proc, /sys
//     or /dev, nothing removed, no second hard link.
// OPEN-CHECKED-4  A name is spelled as on disk.
// SPELLING-1  On a volume that accepts `.ENV` for `.env`, another spelling would evade a rule about the file. Where a
//     folder accepts several spellings, every segment must be spelled as the folder lists it.

import { constants } from "node:fs";
import { type FileHandle, lstat, readdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type DeviceContext, SysError } from "@aos/protocol";
import { isReservedPath } from "./path-text.ts";
import { finderOfMachine } from "./platform.ts";
import { childPath, type ResolvedFile, type ResolveFile, SwappedFile } from "./resolved-file.ts";

type FileVerb = "read" | "write" | "list" | "remove";
type Gate = Pick<DeviceContext, "authorize">;

interface WayRow {
  readonly flags: number;
  readonly verb: FileVerb;
  readonly makes: boolean;
}

// Never O_TRUNC: whoever replaces a file cuts it off with its first write.
const ways = {
  read: { flags: constants.O_RDONLY, verb: "read", makes: false },
  write: { flags: constants.O_WRONLY, verb: "write", makes: true },
  append: { flags: constants.O_WRONLY | constants.O_APPEND, verb: "write", makes: true },
} as const satisfies Record<string, WayRow>;

export type OpenMode = keyof typeof ways;

/** The machine's own, unless a test has another. */
export interface FileAccess {
  readonly find?: ResolveFile;
  readonly volume?: Volume;
}

/** How often a path is followed again when what it led to was swapped meanwhile. */
const TRIES = 4;

/** Opens a file, hands it and its real path to `use`, and closes it. */
export function withFile<Result>(
  path: string,
  way: OpenMode,
  gate: Gate,
  use: (file: FileHandle, real: string) => Promise<Result>,
  ground: FileAccess = {},
): Promise<Result> {
  const row: WayRow = ways[way];
  return following(path, ground, async (find) => {
    const found = await findOrNone(find, path, row.makes);
    if (found === undefined) return make(path, row, gate, use, find, ground);
    await using held = found;
    await check(held, row.verb, gate, ground);
    regularOrRefused(held.stats, path);
    // Where a pipe could still be put in its place, it is not waited for.
    await using file = await held.open(row.flags | constants.O_NONBLOCK);
    return await done(use(file, held.real));
  });
}

async function make<Result>(
  path: string,
  row: WayRow,
  gate: Gate,
  use: (file: FileHandle, real: string) => Promise<Result>,
  find: ResolveFile,
  ground: FileAccess,
): Promise<Done<Result>> {
  const name = basename(path);
  await using folder = await find(dirname(path));
  const real = await check(folder, row.verb, gate, ground, name);
  await using file = await folder.make(name, row.flags);
  return await done(use(file, real));
}

/** Finds a folder for `use` to look into. What it gives is a path that leads there and only there. */
export function withFolder<Result>(
  path: string,
  verb: FileVerb,
  gate: Gate,
  use: (folder: string, real: string) => Promise<Result>,
  ground: FileAccess = {},
): Promise<Result> {
  return following(path, ground, async (find) => {
    await using folder = await find(path);
    const real = await check(folder, verb, gate, ground);
    if (!folder.stats.isDirectory()) throw new SysError("EINVAL", `${path} is not a folder`);
    return await done(use(folder.entry("."), real));
  });
}

/** Finds the folder of a name, for `use` to do something to the name itself: a link is not followed. */
export function withEntry<Result>(
  path: string,
  verb: FileVerb,
  gate: Gate,
  use: (entry: string, real: string) => Promise<Result>,
  ground: FileAccess = {},
): Promise<Result> {
  return following(path, ground, async (find) => {
    const name = basename(path);
    await using folder = await find(dirname(path));
    const real = await check(folder, verb, gate, ground, name);
    return await done(use(folder.entry(name), real));
  });
}

/** OPEN-CHECKED-1, OPEN-CHECKED-3, OPEN-CHECKED-4, of what was found or of a name in it. Gives the real path that the gate allowed. */
async function check(
  found: ResolvedFile,
  verb: FileVerb,
  gate: Gate,
  { volume = volumeOfMachine }: FileAccess,
  name?: string,
): Promise<string> {
  const real = name === undefined ? found.real : childPath(found.real, name);
  if (isReservedPath(real)) throw elsewhere(real);
  gate.authorize({ kind: "file", resource: real, verb });
  if (!(await isSpelledAsOnDisk(real, volume))) throw misspelled(real);
  return real;
}

function regularOrRefused(stats: { isFile(): boolean; nlink: number }, path: string): void {
  if (!stats.isFile()) throw notRegular(path);
  if (stats.nlink > 1) throw hardLinked(path);
}

async function findOrNone(
  find: ResolveFile,
  path: string,
  mayMake: boolean,
): Promise<ResolvedFile | undefined> {
  try {
    return await find(path);
  } catch (error) {
    if (mayMake && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** How `use` went: apart, so that its failures are not taken for those of the finding. */
type Done<Result> = { readonly ok: Result } | { readonly failed: unknown };

const done = async <Result>(work: Promise<Result>): Promise<Done<Result>> => {
  try {
    return { ok: await work };
  } catch (error) {
    return { failed: error };
  }
};

/** Tries again while things are swapped under its hands. `use` runs once at most. */
async function following<Result>(
  path: string,
  ground: FileAccess,
  attempt: (find: ResolveFile) => Promise<Done<Result>>,
): Promise<Result> {
  const find = ground.find ?? (await finderOfMachine());
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const used = await attempt(find).catch((error: unknown) => {
      if (!isSwap(error)) throw pathFailure(error, path);
      return undefined;
    });
    if (used === undefined) continue;
    if ("ok" in used) return used.ok;
    throw pathFailure(used.failed, path);
  }
  throw swapped(path);
}

/** Removed or created meanwhile by another process; a dangling link looks the same. */
const isSwap = (error: unknown): boolean =>
  error instanceof SwappedFile || (error as NodeJS.ErrnoException).code === "EEXIST";

export const notRegular = (path: string): SysError =>
  new SysError("EINVAL", `${path} is not a regular file`);

export const hardLinked = (path: string): SysError =>
  new SysError("EACCES", `${path} has a second hard link, so its path does not identify it`, {
    hint: "copy the file and use the copy",
  });

export const elsewhere = (real: string): SysError =>
  new SysError("EACCES", `${real} is in a system folder without regular files`);

export const misspelled = (real: string): SysError =>
  new SysError("EINVAL", `${real} has a different spelling on disk`, {
    hint: "list the folder to see the spelling",
  });

export const swapped = (path: string): SysError =>
  new SysError("EACCES", `${path} is a dangling link, or changed while it was opened`, {
    hint: "a link must point to an existing file",
  });

export function pathFailure(error: unknown, path: string): SysError {
  if (error instanceof SysError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOENT":
      return new SysError("ENOENT", `${path} does not exist`, {
        hint: "the file or its folder is missing",
      });
    case "ENOTDIR":
      return new SysError("ENOENT", `a part of ${path} is not a folder`);
    case "ELOOP":
      return new SysError("EINVAL", `${path} has too many levels of symbolic links`);
    case "ENAMETOOLONG":
      return new SysError("EINVAL", `${path} is too long for this system`);
    case "EISDIR":
    case "ENXIO":
      return notRegular(path);
    case undefined:
    default:
      return new SysError("EUPSTREAM", `${path}: ${message}`);
  }
}

/** What a volume is asked; a fake one folds case on every platform. */
export interface Volume {
  /** Which file this is; undefined when there is none. */
  identity(path: string): Promise<string | undefined>;
  names(folder: string): Promise<readonly string[]>;
}

export const volumeOfMachine: Volume = {
  identity: async (path) => {
    try {
      const { dev, ino } = await lstat(path, { bigint: true });
      return `${dev}:${ino}`;
    } catch {
      return undefined;
    }
  },
  names: (folder) => readdir(folder),
};

/** Takes a path without links; `volume` is where it is. */
export async function isSpelledAsOnDisk(path: string, volume = volumeOfMachine): Promise<boolean> {
  const parts = path.slice(1).split("/");
  const folders = parts.map((_, at) => `/${parts.slice(0, at).join("/")}`);
  const spelled = await Promise.all(parts.map((part, at) => isListed(folders[at]!, part, volume)));
  return spelled.every(Boolean);
}

async function isListed(folder: string, name: string, volume: Volume): Promise<boolean> {
  const other = otherCase(name);
  if (other === name) return true;
  const inFolder = folder === "/" ? "" : folder;
  const found = await volume.identity(`${inFolder}/${other}`);
  if (found === undefined) return true;
  if (found !== (await volume.identity(`${inFolder}/${name}`))) return true;
  return (await volume.names(folder)).includes(name);
}

const otherCase = (name: string): string =>
  name.toUpperCase() === name ? name.toLowerCase() : name.toUpperCase();
