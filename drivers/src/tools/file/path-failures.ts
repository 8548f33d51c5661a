// Path failures: maps file errors to failure codes and messages.

import { SysError } from "@aos/protocol";

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
