// File failure: why a file could not be made, in words: the disk is full, the folder is not there.
//
//   throw fileFailure(error, `the backup ${file} was not made`)   an error of ours is thrown as it is
//
// Whoever asks has removed what was half made.

import { SysError } from "@aos/protocol";

const words: Readonly<Record<string, string>> = {
  ENOSPC: "there is no space left for it",
  EDQUOT: "it is beyond the disk quota",
  EACCES: "its folder cannot be written",
  EPERM: "its folder cannot be written",
  EROFS: "its file system is read-only",
  ENOENT: "there is no such folder",
  ENOTDIR: "there is no such folder",
  EISDIR: "it is a folder",
  EFBIG: "its file system cannot have a file of that size",
  EEXIST: "it already exists",
};

export function fileFailure(error: unknown, message: string): unknown {
  if (error instanceof SysError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const problem = words[code];
  if (problem === undefined) return error;
  return new SysError("EINVAL", `${message}: ${problem} (${code})`, {
    hint: "nothing was left behind; choose another place, or free some space",
  });
}
