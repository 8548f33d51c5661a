// Program mounts: mounts for programs that are installed outside the system's folders: a Node from npm, a Python of
// pyenv, a tool in a home.
//
//   mountsForProgram("python3", process.env.PATH)   [{ from: "/opt/py/3.12", mode: "read" }]
//   realProgram("python3", process.env.PATH)        /opt/py/3.12/bin/python3.12
//
// PROGRAM-MOUNTS-1  Links are followed to the executable, and its installation is mounted read-only: the folder above
//     its `bin`, or for a script below node_modules all of node_modules.
// PROGRAM-MOUNTS-2  A top-level folder, a home, or a hidden folder of a home is never mounted whole, because they
//     hold keys; only the executable is.
// PROGRAM-MOUNTS-3  The interpreter of a script is handled as a program too.

import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Mount } from "./sandbox.ts";
import { isInFolder } from "./sources.ts";

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"];

/** The executable itself; undefined when there is none. */
export function realProgram(command: string, path: string): string | undefined {
  const [found] = programsOnPath(command, path);
  return found === undefined ? undefined : realpathSync(found);
}

/** Everything that a name may mean, in the order of the path; links are not followed. */
export function programsOnPath(command: string, path: string): string[] {
  const candidates = command.includes("/")
    ? [command]
    : path
        .split(":")
        .filter((folder) => folder.startsWith("/"))
        .map((folder) => join(folder, command));
  return candidates.filter((candidate) => candidate.startsWith("/") && isExecutable(candidate));
}

export function mountsForProgram(command: string, path: string): Mount[] {
  const mounts = new Map<string, Mount>();
  let next: string | undefined = realProgram(command, path);
  // A script of a script of a script is no program that anybody has.
  for (let depth = 0; next !== undefined && depth < 4; depth++) {
    const interpreter = interpreterOf(next);
    const from = installationOf(next, interpreter !== undefined);
    if (from !== undefined) mounts.set(from, { from, mode: "read" });
    next = interpreter === undefined ? undefined : realProgram(interpreter, path);
  }
  return [...mounts.values()];
}

/** PROGRAM-MOUNTS-1, PROGRAM-MOUNTS-2 */
function installationOf(executable: string, isScript: boolean): string | undefined {
  if (SYSTEM.some((folder) => isInFolder(executable, folder))) return undefined;
  const modules = /^.*?\/node_modules(?=\/)/.exec(executable)?.[0];
  if (isScript && modules !== undefined) return modules;
  const folder = dirname(executable);
  const isInBin = ["bin", "sbin"].includes(basename(folder));
  const prefix = isInBin ? dirname(folder) : folder;
  return isTooMuch(prefix) ? executable : prefix;
}

const isTooMuch = (folder: string): boolean => dirname(folder) === "/" || isOfHomes(folder);

/** PROGRAM-MOUNTS-2: a home, what is above one, or a hidden folder right in one. */
export function isOfHomes(folder: string): boolean {
  const homes = homeFolders();
  const isHome = homes.some((home) => isInFolder(home, folder));
  const isHiddenInHome = basename(folder).startsWith(".") && homes.includes(dirname(folder));
  return isHome || isHiddenInHome || dirname(folder) === "/home";
}

/** Everybody's, with ours. */
function homeFolders(): string[] {
  try {
    const listed = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .map((line) => line.split(":")[5] ?? "");
    return [...listed.filter((home) => home.length > 1), homedir()];
  } catch {
    return [homedir()];
  }
}

/** PROGRAM-MOUNTS-3: of `#!/usr/bin/env -S node --flag`, node. */
function interpreterOf(executable: string): string | undefined {
  const buffer = Buffer.alloc(256);
  const fd = openSync(executable, "r");
  const length = readSync(fd, buffer, 0, buffer.length, 0);
  closeSync(fd);
  const line = buffer.toString("latin1", 0, length).split("\n")[0]!;
  if (!line.startsWith("#!")) return undefined;
  const words = line.slice(2).trim().split(/\s+/);
  if (basename(words[0] ?? "") !== "env") return words[0];
  return words.slice(1).find((word) => !word.startsWith("-") && !word.includes("="));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
