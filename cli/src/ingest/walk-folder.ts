// Walk folder: the files below a folder that can be ingested, and those that are left out, with the reason.
//
// INGEST-WALK-1  No symbolic link is followed. A file is opened as what it is, and read only if it is inside the folder: what
//     is put in its place meanwhile is not read.
// INGEST-WALK-2  Order is by name, so that two walks of the same folder are the same.
// INGEST-WALK-3  What is left out is said: a folder that is ignored once, and not each file in it.

import { constants } from "node:fs";
import { open, readdir, readFile, readlink } from "node:fs/promises";
import { join, sep } from "node:path";
import { SysError } from "@aos/protocol/failures";
import { IGNORE_FILES, IgnoredFiles } from "./ignored-files.ts";
import { hasSecretName } from "./secret-like.ts";

export type IngestSkipReason =
  | "binary"
  | "empty"
  | "ignored"
  | "link"
  | "name too long"
  | "no regular file"
  | "same name"
  | "secret-like"
  | "too large"
  | "unreadable";

export interface SkippedFile {
  readonly file: string;
  readonly reason: IngestSkipReason;
  readonly detail?: string;
}

export interface WalkedFile {
  /** Below the folder, with `/` between. */
  readonly file: string;
  readonly absolute: string;
}

export async function* walkFolder(
  root: string,
  skip: (skipped: SkippedFile) => void,
): AsyncGenerator<WalkedFile> {
  yield* walk(root, "", new IgnoredFiles(), skip);
}

async function* walk(
  root: string,
  folder: string,
  before: IgnoredFiles,
  skip: (skipped: SkippedFile) => void,
): AsyncGenerator<WalkedFile> {
  const here = join(root, folder);
  const entries = await readdir(here, { withFileTypes: true }).catch((error: unknown) => {
    if (folder === "") throw error;
    skip({ file: folder, reason: "unreadable", detail: (error as Error).message });
    return [];
  });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1)); // INGEST-WALK-2
  let ignored = before;
  for (const name of IGNORE_FILES)
    if (entries.some((entry) => entry.name === name && entry.isFile()))
      ignored = ignored.with(folder, name, await readFile(join(here, name), "utf8"));
  for (const entry of entries) {
    const file = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (ignored.has(file, entry.isDirectory())) skip({ file, reason: "ignored" });
    else if (entry.isSymbolicLink()) skip({ file, reason: "link" });
    else if (entry.isDirectory()) yield* walk(root, file, ignored, skip);
    else if (!entry.isFile()) skip({ file, reason: "no regular file" });
    else if (hasSecretName(entry.name)) skip({ file, reason: "secret-like" });
    else yield { file, absolute: join(root, file) };
  }
}

/** INGEST-WALK-1. Undefined where it is larger than the limit. */
export async function readWithin(
  root: string,
  absolute: string,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const handle = await open(
    absolute,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  try {
    const { size } = await mustBeInside(handle, root, absolute);
    if (size > maxBytes) return undefined;
    const content = await handle.readFile();
    return content.length > maxBytes ? undefined : content;
  } finally {
    await handle.close();
  }
}

async function mustBeInside(handle: Awaited<ReturnType<typeof open>>, root: string, file: string) {
  const stat = await handle.stat();
  if (!stat.isFile()) throw new SysError("EINVAL", `${file} is no regular file`);
  if (process.platform === "linux") {
    const real = await readlink(`/proc/self/fd/${handle.fd}`);
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep))
      throw new SysError("EINVAL", `${file} is outside ${root}`);
  }
  return stat;
}
