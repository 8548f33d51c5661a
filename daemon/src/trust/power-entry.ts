// Power entry: one file, link or folder of a project that has power, read once.
//
//   loadPowerEntry("/p", ".agents/mcp.yaml")    its kind, its digest, and the digested bytes
//
// POWER-ENTRY-1  No link is followed on the way to the bytes, no pipe or device is opened, and nothing
//     outside the project is read.
// POWER-ENTRY-2  The returned bytes are the digested bytes.

import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { readlinkSync, realpathSync, type BigIntStats } from "node:fs";
import { dirname, join, resolve } from "node:path";

export const powerLimits = { fileBytes: 8 * 2 ** 20, allBytes: 64 * 2 ** 20 } as const;

export interface PowerEntry {
  /** From the project's folder. */
  readonly path: string;
  readonly kind: "file" | "link" | "folder";
  /** Whether it may be executed: the only bits that matter. */
  readonly isExecutable: boolean;
  readonly size: number;
  /** sha256 of the bytes; of a link's text; empty for a folder. */
  readonly hash: string;
  readonly target?: string | undefined;
}

export interface LoadedPowerEntry {
  readonly entry: PowerEntry;
  readonly bytes: Buffer | undefined;
}

/** What is wrong with the folder: it cannot be trusted as it is. */
export class UntrustableFile extends Error {}

export const sha256 = (bytes: string | Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");

export const statIfThere = (path: string): BigIntStats | undefined =>
  lstatSync(path, { throwIfNoEntry: false, bigint: true });

/** POWER-ENTRY-1. */
export function loadPowerEntry(root: string, path: string): LoadedPowerEntry {
  const full = join(root, path);
  const stats = statIfThere(full);
  if (stats === undefined) throw new UntrustableFile(`${path} went away while it was read`);
  if (stats.isDirectory())
    return { entry: { ...plain(path), kind: "folder", size: 0, hash: "" }, bytes: undefined };
  if (stats.isSymbolicLink()) return readLink(root, path);
  if (!stats.isFile()) throw new UntrustableFile(`${path} is not a file, folder or link`);
  return readFile(full, path);
}

const plain = (path: string) => ({ path, isExecutable: false });

/** A link that stays in the project is told by its text; what it leads to is an entry of its own. */
function readLink(root: string, path: string): LoadedPowerEntry {
  const full = join(root, path);
  const target = readlinkSync(full);
  const leadsTo = resolve(dirname(full), target);
  if (!isWithinFolder(realOf(leadsTo) ?? leadsTo, root))
    throw new UntrustableFile(`${path} is a link that leads out of the project`);
  const entry = { ...plain(path), kind: "link" as const, size: 0, hash: sha256(target), target };
  return { entry, bytes: undefined };
}

/** POWER-ENTRY-2. */
function readFile(full: string, path: string): LoadedPowerEntry {
  const fd = openSync(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new UntrustableFile(`${path} is not a file`);
    if (stats.size > powerLimits.fileBytes)
      throw new UntrustableFile(`${path} has more than ${powerLimits.fileBytes} bytes`);
    const bytes = allOf(fd, path);
    const isExecutable = (stats.mode & 0o111) !== 0;
    return {
      entry: { path, kind: "file", isExecutable, size: bytes.length, hash: sha256(bytes) },
      bytes,
    };
  } finally {
    closeSync(fd);
  }
}

function allOf(fd: number, path: string): Buffer {
  const pieces: Buffer[] = [];
  for (let size = 0; ;) {
    const piece = Buffer.allocUnsafe(65_536);
    const read = readSync(fd, piece, 0, piece.length, null);
    if (read === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, read));
    size += read;
    if (size > powerLimits.fileBytes)
      throw new UntrustableFile(`${path} has more than ${powerLimits.fileBytes} bytes`);
  }
}

export const isWithinFolder = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);

export function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
