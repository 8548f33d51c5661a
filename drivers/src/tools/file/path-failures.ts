// Path failures: what goes wrong with files, in the words of the one table of failures.

import { SysError } from "@aos/protocol";

export const notRegular = (path: string): SysError =>
  new SysError("EINVAL", `${path} is not a regular file`);

export const hardLinked = (path: string): SysError =>
  new SysError("EACCES", `${path} has another name (a hard link), so no path says what it is`, {
    hint: "copy the file, and use the copy",
  });

export const elsewhere = (real: string): SysError =>
  new SysError("EACCES", `${real} is in a place that holds no files`);

export const misspelled = (real: string): SysError =>
  new SysError("EINVAL", `${real} is spelled in another way on disk`, {
    hint: "list its folder for the spelling",
  });

export const swapped = (path: string): SysError =>
  new SysError("EACCES", `${path} leads to nothing that stays, or changes while it is opened`, {
    hint: "a link must lead to a file that is there",
  });

export function pathFailure(error: unknown, path: string): SysError {
  if (error instanceof SysError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOENT":
      return new SysError("ENOENT", `there is no ${path}`, {
        hint: "the file, or the folder that it would be in, does not exist",
      });
    case "ENOTDIR":
      return new SysError("ENOENT", `a part of ${path} is not a folder`);
    case "ELOOP":
      return new SysError("EINVAL", `${path} leads through too many symbolic links`);
    case "ENAMETOOLONG":
      return new SysError("EINVAL", `${path} is longer than the system takes`);
    case "EISDIR":
    case "ENXIO":
      return notRegular(path);
    case undefined:
    default:
      return new SysError("EUPSTREAM", `${path}: ${message}`);
  }
}
