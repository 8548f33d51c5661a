// Program name: the resource of a `shell` grant. A bare name and the same program by its path in a system folder are
// one resource; any other program is its whole path, so that `./git` of a workspace is never taken for git.

import { posix } from "node:path";
import { SysError } from "@aos/protocol";

const SYSTEM_FOLDERS = new Set(["/bin", "/sbin", "/usr/bin", "/usr/sbin"]);

/** `folder` is where the program is started, for relative paths. */
export function programName(program: string, folder: string): string {
  if (program === "" || program.includes("\0"))
    throw new SysError("EINVAL", "a command must begin with the name of a program");
  if (!program.includes("/")) return program;
  const path = posix.resolve(folder, program);
  return SYSTEM_FOLDERS.has(posix.dirname(path)) ? posix.basename(path) : path;
}
