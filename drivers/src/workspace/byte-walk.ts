// Byte walk: lists everything below a folder by the bytes of its names, without opening files; used before every run.
//
// BYTE-WALK-1  It never leaves the folder: no link is followed, and no pipe or device is opened.
// BYTE-WALK-2  It is complete or fails: what is too deep, too much or unreadable is an error.
// BYTE-WALK-3  A name need not be UTF-8. Rules receive the nearest text.

import { SysError } from "@aos/protocol";
import type { EntryKind, Folder } from "./folder.ts";
import { MAX_FOLDER_DEPTH, MAX_ENTRIES, TooManyEntries } from "./walk.ts";

export interface WalkedEntry {
  /** Below the top, without a slash at either end. */
  readonly path: Buffer;
  /** The same as text; BYTE-WALK-3. */
  readonly text: string;
  readonly name: Buffer;
  readonly kind: EntryKind;
  /** Where it is, held open while it is told. */
  readonly parent: Folder;
}

export interface WalkedFolder {
  readonly text: string;
  readonly folder: Folder;
  readonly entries: readonly WalkedEntry[];
}

/** Told of each folder with all that is in it, before those below. */
export async function walkBytes(
  top: Folder,
  visit: Visit,
  { isLenient = false }: { readonly isLenient?: boolean } = {},
): Promise<void> {
  const state = { left: isLenient ? Infinity : MAX_ENTRIES, isLenient, top: top.path };
  await walkOne(top, Buffer.alloc(0), 0, visit, state);
}

type Visit = (folder: WalkedFolder) => Promise<void> | void;

interface Walking {
  left: number;
  /** What is too deep or closed to us is passed over. */
  readonly isLenient: boolean;
  readonly top: string;
}

const SLASH = Buffer.from("/");

async function walkOne(
  folder: Folder,
  path: Buffer,
  depth: number,
  visit: Visit,
  state: Walking,
): Promise<void> {
  const listed = await folder.entries();
  state.left -= listed.length;
  if (state.left < 0) throw new TooManyEntries(folder.path, MAX_ENTRIES);
  const entries = listed.map(({ name, kind }): WalkedEntry => {
    const full = path.length === 0 ? name : Buffer.concat([path, SLASH, name]);
    return { path: full, text: full.toString("utf8"), name, kind, parent: folder };
  });
  await visit({ text: path.toString("utf8"), folder, entries });
  for (const { name, path: below, kind, text } of entries) {
    if (kind !== "folder") continue;
    if (depth + 1 >= MAX_FOLDER_DEPTH) {
      if (state.isLenient) continue;
      throw notAll(state.top, text);
    }
    let entered: Folder;
    try {
      entered = await folder.into(name);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EACCES" && !state.isLenient) throw notAll(state.top, text); // BYTE-WALK-2
      // Gone, or another thing by now: as if it had been so before.
      if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(code ?? "")) continue;
      throw error;
    }
    await using held = entered;
    await walkOne(held, below, depth + 1, visit, state);
  }
}

const notAll = (top: string, path: string): SysError =>
  new SysError("EINVAL", `${top} could not be read completely: ${path}`, {
    hint: "work on a copy with --cow, or on a smaller folder",
  });

export const isText = (bytes: Buffer): boolean => Buffer.from(bytes.toString("utf8")).equals(bytes);

/** The text that bytes are, or the bytes where they are none. */
export function pathOf(root: string, path: Buffer): string | Buffer {
  if (isText(path)) return `${root}/${path.toString("utf8")}`;
  return Buffer.concat([Buffer.from(`${root}/`), path]);
}
