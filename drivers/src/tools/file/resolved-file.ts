// ResolvedFile: the target of a path, before it is used. Each platform resolves it in its own way (platform.ts,
// by-walk.ts); open-checked.ts asks the gate about it.

import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";

export interface ResolvedFile extends AsyncDisposable {
  /** Its real path: absolute, without links. */
  readonly real: string;
  readonly stats: Stats;
  /** Opens what was found, and nothing else, whatever its name leads to by now. */
  open(flags: number): Promise<FileHandle>;
  /** Of a folder: a path for the entry of this name in the folder that was found. */
  entry(name: string): string;
  /** In a folder: makes a file of a name that is not there, not even as a link (else EEXIST). */
  make(name: string, flags: number): Promise<FileHandle>;
}

/** Finds without side effects: nothing is made, cut, read or waited for. Follows links. */
export type ResolveFile = (path: string) => Promise<ResolvedFile>;

/** What was found went away, or was swapped, while it was looked at. Worth another try. */
export class SwappedFile extends Error {}

export const childPath = (folder: string, name: string): string =>
  folder === "/" ? `/${name}` : `${folder}/${name}`;

/** The file when the check passes; otherwise it is closed. */
export async function keepIf(file: FileHandle, check: () => Promise<void>): Promise<FileHandle> {
  try {
    await check();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
