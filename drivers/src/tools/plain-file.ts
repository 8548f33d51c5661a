// Plain files: opening the file that was named, and no other. A grant is for a path; a link on the
// way would make it a grant for something else.
//
// F1  A path is absolute and already in its shortest form: no `.`, no `..`, no empty part.
// F2  No part of it is a symbolic link, when it is opened and once more afterwards.
// F3  What is opened is a regular file: no folder, device or pipe.
//
// Two things are deliberately not done here: a folder that is swapped for a link and back between two
// checks, and a second hard link to the same file, are not seen.

import { constants } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { SysError } from "@aos/protocol";
import { z } from "zod";

const MAX_PATH_CHARS = 4096;

export const plainPath = z
  .string()
  .max(MAX_PATH_CHARS)
  .refine((path) => path.startsWith("/"), { error: "the path must be absolute", abort: true })
  .refine((path) => !path.includes("\0"), { error: "the path has a NUL character", abort: true })
  .refine((path) => path.slice(1).split("/").every(isPlainPart), {
    error: "the path must not have `.`, `..` or empty parts",
  })
  .describe("Absolute path of a file, without links, `.` or `..`.");

const isPlainPart = (part: string): boolean => part !== "" && part !== "." && part !== "..";

const ways = {
  read: constants.O_RDONLY,
  // Nothing is cut off before the file is known to be the right one.
  write: constants.O_WRONLY | constants.O_CREAT,
  append: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
} as const;

/** Opens a file, hands it to `use`, and closes it. */
export async function withPlainFile<Result>(
  path: string,
  way: keyof typeof ways,
  use: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  try {
    await refuseLinks(dirname(path), path);
    // Without O_NONBLOCK a pipe that nobody writes to would hold this thread for good.
    const flags = ways[way] | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    await using file = await open(path, flags);
    await refuseLinks(path, path);
    if (!(await file.stat()).isFile()) throw notRegular(path);
    return await use(file);
  } catch (error) {
    throw error instanceof SysError ? error : explain(error as NodeJS.ErrnoException, path);
  }
}

async function refuseLinks(part: string, path: string): Promise<void> {
  if ((await realpath(part)) !== part) throw linked(path);
}

const linked = (path: string): SysError =>
  new SysError("EINVAL", `${path} leads through a symbolic link`, {
    hint: "name the file by its real path, spelled as it is on disk",
  });

const notRegular = (path: string): SysError =>
  new SysError("EINVAL", `${path} is not a regular file`);

function explain(error: NodeJS.ErrnoException, path: string): SysError {
  switch (error.code) {
    case "ENOENT":
      return new SysError("ENOENT", `there is no ${path}`, {
        hint: "the file, or the folder that it would be in, does not exist",
      });
    case "ENOTDIR":
      return new SysError("ENOENT", `a part of ${path} is not a folder`);
    case "ELOOP":
      return linked(path);
    case "EISDIR":
    case "ENXIO":
      return notRegular(path);
    case undefined:
    default:
      return new SysError("EUPSTREAM", `${path}: ${error.message}`);
  }
}
