// PathState: the state of a path, from one stat.

import type { BigIntStats } from "node:fs";
import type { Folder, EntryName } from "./folder.ts";

export type PathKind = "file" | "folder" | "link" | "other";

export interface PathState {
  readonly kind: PathKind;
  /** Read, write, execute for three; set-user-id and its like are never carried over. */
  readonly mode: number;
  readonly size: number;
  readonly mtimeNs: bigint;
  /** It cannot be set back: a file with the same value was not written since. */
  readonly ctimeNs: bigint;
  readonly ino: bigint;
  /** Of a link: its text. Absent when that is not text. */
  readonly target?: string;
}

export const PLAIN_BITS = 0o777;

export async function inspectPath(folder: Folder, name: EntryName): Promise<PathState | undefined> {
  const stats = await folder.look(name);
  if (stats === undefined) return undefined;
  const seen = inspectEntry(stats);
  if (seen.kind !== "link") return seen;
  const bytes = await folder.linkTarget(name).catch(noneIfNoLink);
  // It was swapped for another thing since: as if it had gone away.
  if (bytes === undefined) return undefined;
  const target = decodeUtf8(bytes);
  return target === undefined ? { ...seen, kind: "other" } : { ...seen, target };
}

function noneIfNoLink(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EINVAL" && error.code !== "ENOENT") throw error;
}

export function inspectEntry(stats: BigIntStats): PathState {
  const kind = kindOf(stats);
  return {
    kind,
    mode: Number(stats.mode) & PLAIN_BITS,
    size: kind === "file" ? Number(stats.size) : 0,
    mtimeNs: stats.mtimeNs,
    ctimeNs: stats.ctimeNs,
    ino: stats.ino,
  };
}

function kindOf(stats: BigIntStats): PathKind {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  return stats.isSymbolicLink() ? "link" : "other";
}

/** The text that these bytes are; undefined when they are none. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
