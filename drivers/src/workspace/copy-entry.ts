// Copy entry: copies one file, folder or link from a project into a workspace.
//
// COPY-ENTRY-1  A link is copied as a link, whatever it leads to.
// COPY-ENTRY-2  Modes and times are kept; set-user-id and similar bits are not, and the owner is the workspace's.
// COPY-ENTRY-3  Where the volume supports it, the bytes are shared instead of copied.

import type { BaseEntry } from "./base.ts";
import { copyBytes, fileContentDigest } from "./copy-bytes.ts";
import type { Folder } from "./folder.ts";
import { inspectPath, inspectEntry } from "./path-state.ts";

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

export interface CopyJob {
  readonly owner: FileOwner | undefined;
  /** Files that were changed after this are young (base.ts, BASE-1). */
  readonly youngAfterNs: bigint;
  /** Whether the volume shares bytes; until it is tried, it may. */
  sharesBytes: boolean;
}

/** How long after a change another one could have the same time. A second is much more than it takes. */
const YOUNG_NS = 1_000_000_000n;

export const startCopyJob = (owner: FileOwner | undefined): CopyJob => ({
  owner,
  youngAfterNs: BigInt(Date.now()) * 1_000_000n - YOUNG_NS,
  sharesBytes: true,
});

/** Undefined when it is gone, or is nothing that can be copied. Nothing may stand at the other end. */
export async function copyEntry(
  from: Folder,
  to: Folder,
  name: string,
  copying: CopyJob,
): Promise<BaseEntry | undefined> {
  const seen = await inspectPath(from, name);
  if (seen === undefined || seen.kind === "other") return undefined;
  if (seen.kind === "file") return copyFile(from, to, name, copying);
  if (seen.kind === "folder") await to.makeFolder(name, seen.mode | 0o700);
  else await to.makeLink(name, seen.target!);
  if (copying.owner !== undefined) await to.setOwner(name, copying.owner);
  if (seen.kind === "link") await to.setTime(name, seen.mtimeNs);
  return { ...seen, kind: seen.kind };
}

async function copyFile(
  from: Folder,
  to: Folder,
  name: string,
  copying: CopyJob,
): Promise<BaseEntry> {
  await using source = await from.openFile(name);
  const seen = inspectEntry(await source.stat({ bigint: true }));
  const hash = await copyContent(source, to, name, seen.size, copying);
  if (copying.owner !== undefined) await to.setOwner(name, copying.owner);
  await to.setMode(name, seen.mode);
  await to.setTime(name, seen.mtimeNs);
  const made = await inspectPath(to, name);
  return {
    ...seen,
    kind: "file",
    ...(seen.ctimeNs > copying.youngAfterNs ? { hash: hash ?? (await digestIn(to, name)) } : {}),
    ...(made === undefined ? {} : { copy: { ino: made.ino, ctimeNs: made.ctimeNs } }),
  };
}

/** The digest, where the bytes went through our hands. */
async function copyContent(
  source: Awaited<ReturnType<Folder["openFile"]>>,
  to: Folder,
  name: string,
  size: number,
  copying: CopyJob,
): Promise<string | undefined> {
  if (copying.sharesBytes && size > 0) {
    if (await to.cloneFile(source, name)) return undefined;
    copying.sharesBytes = false;
  }
  await using file = await to.createFile(name);
  return (await copyBytes(source, file, size)).hash;
}

async function digestIn(folder: Folder, name: string): Promise<string> {
  await using file = await folder.openFile(name);
  return (await fileContentDigest(file, Number.MAX_SAFE_INTEGER)).hash;
}
