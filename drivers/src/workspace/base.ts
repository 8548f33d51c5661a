// Base: the state of a project when it was copied: a row for each path, stored beside the copy.
//
// BASE-1  Times and inode numbers show that a file is unchanged. For a file so young that its next change could have
//     the same time, the digest is stored.
// BASE-2  The file of rows is complete or missing; a lost or truncated row is detected.

import { SysError } from "@aos/protocol";
import { fileContentDigest } from "./copy-bytes.ts";
import type { Folder } from "./folder.ts";
import { inspectPath, type PathState } from "./path-state.ts";
import { splitPath } from "./walk.ts";
import { readWholeFile, writeWholeFile } from "./whole-file.ts";

export interface BaseEntry extends PathState {
  readonly kind: "file" | "folder" | "link";
  /** BASE-1. */
  readonly hash?: string;
  /** How its copy looked when it had just been made: with the same, it was not touched since. */
  readonly copy?: { readonly ino: bigint; readonly ctimeNs: bigint };
}

export interface OmittedEntry {
  readonly path: string;
  readonly why: string;
}

export interface Base {
  readonly entries: Map<string, BaseEntry>;
  /** What the project has and the copy has not. */
  readonly leftOut: readonly OmittedEntry[];
}

export const EMPTY_BASE: Base = { entries: new Map(), leftOut: [] };

const FILE = "base.ndjson";
const VERSION = 1;
const KINDS = ["file", "folder", "link"] as const;

/** Whether the original in its folder is still what the row says; its content, too. */
export async function isStill(entry: BaseEntry, folder: Folder, name: string): Promise<boolean> {
  const seen = await inspectPath(folder, name);
  if (seen === undefined || seen.kind !== entry.kind) return false;
  if (seen.kind === "link") return seen.target === entry.target;
  if (seen.mode !== entry.mode || seen.size !== entry.size) return false;
  if (seen.kind === "folder") return true;
  if (entry.hash === undefined)
    return (
      seen.ino === entry.ino && seen.mtimeNs === entry.mtimeNs && seen.ctimeNs === entry.ctimeNs
    );
  await using file = await folder.openFile(name);
  return (await fileContentDigest(file, entry.size + 1)).hash === entry.hash;
}

/** The same, of a path from the top of the project. */
export async function originalIsStill(
  entry: BaseEntry,
  project: Folder,
  path: string,
): Promise<boolean> {
  const { name, parents } = splitPath(path);
  try {
    await using folder = await project.along(parents);
    return await isStill(entry, folder, name);
  } catch (error) {
    if (isPathGone(error)) return false;
    throw error;
  }
}

/** A part of the way is gone, no folder any more, or a link by now. */
export const isPathGone = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "");

export function writeBase(folder: Folder, { entries, leftOut }: Base): Promise<void> {
  const rows = [...entries].map(([path, entry]) => JSON.stringify(rowOf(path, entry)));
  const head = JSON.stringify({ version: VERSION, count: rows.length, leftOut });
  return writeWholeFile(folder, FILE, `${[head, ...rows].join("\n")}\n`);
}

export async function readBase(folder: Folder): Promise<Base> {
  const text = await readWholeFile(folder, FILE);
  if (text === undefined) return EMPTY_BASE;
  const [head, ...rows] = text.trimEnd().split("\n");
  const { version, count, leftOut } = JSON.parse(head ?? "{}") as Record<string, unknown>;
  if (version !== VERSION || count !== rows.length)
    throw new SysError("ECORRUPT", `${folder.path}/${FILE} was changed since it was written`);
  return { entries: new Map(rows.map(entryOf)), leftOut: leftOut as OmittedEntry[] };
}

type Row = readonly [
  path: string,
  kind: number,
  mode: number,
  size: number,
  mtimeNs: string,
  ctimeNs: string,
  ino: string,
  copy: readonly [ino: string, ctimeNs: string] | 0,
  more: string,
];

const rowOf = (path: string, entry: BaseEntry): Row => [
  path,
  KINDS.indexOf(entry.kind),
  entry.mode,
  entry.size,
  String(entry.mtimeNs),
  String(entry.ctimeNs),
  String(entry.ino),
  entry.copy === undefined ? 0 : [String(entry.copy.ino), String(entry.copy.ctimeNs)],
  entry.target ?? entry.hash ?? "",
];

function entryOf(line: string): [string, BaseEntry] {
  const [path, kindAt, mode, size, mtimeNs, ctimeNs, ino, copy, more] = JSON.parse(line) as Row;
  const kind = KINDS[kindAt]!;
  return [
    path,
    {
      kind,
      mode,
      size,
      mtimeNs: BigInt(mtimeNs),
      ctimeNs: BigInt(ctimeNs),
      ino: BigInt(ino),
      ...(copy === 0 ? {} : { copy: { ino: BigInt(copy[0]), ctimeNs: BigInt(copy[1]) } }),
      ...(kind === "link" ? { target: more } : {}),
      ...(kind === "file" && more !== "" ? { hash: more } : {}),
    },
  ];
}
