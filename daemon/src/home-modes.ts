// Home modes: closes the home and its files to other users of the machine.
//
//   closeHome(home)   reports what it closed, or refuses the home
//
// HOME-MODES-1  Afterwards only the owner can read the home or any file of the daemon in it, whatever the modes and
//     the umask were. A home that cannot be closed is refused.
// HOME-MODES-2  A shared folder, such as /tmp, is refused and keeps its mode.
// HOME-MODES-3  Keys are not closed here: an open one may have been copied, and is refused where it is read.

import { chmodSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join, parse } from "node:path";
import { SysError } from "@aos/protocol";
import type { Home } from "./home.ts";

const OTHERS = 0o077;
const STICKY = 0o1000;

export interface ClosedFile {
  readonly path: string;
  /** Before, in octal. */
  readonly mode: string;
}

export function closeHome(home: Home): ClosedFile[] {
  const { folder } = home;
  if ((statSync(folder).mode & STICKY) !== 0 || parse(folder).root === folder) {
    throw new SysError("EINVAL", `the home ${folder} is a shared folder`, {
      hint: "set AOS_HOME to a folder that only Agent OS uses",
    });
  }
  return [folder, ...placesIn(home)].flatMap((path) => close(path) ?? []);
}

/** What of the home others can open, and how many places there are. */
export function inspectHome(home: Home): { open: string[]; count: number } {
  const places = placesIn(home);
  const open = places.filter((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found !== undefined && (found.mode & OTHERS) !== 0;
  });
  return { open, count: places.length };
}

/** Files and folders of the daemon that are there. Links are left out: what they lead to may not be ours. */
function placesIn(home: Home): string[] {
  const named = [
    home.tokens,
    home.trust,
    home.trusted,
    home.quarantine,
    home.recordings,
    home.repeats,
    home.daemonInfo,
    home.lock,
    home.seenFolders,
    home.seenProjects,
  ];
  // The database, its journal and shared memory, and the copies of each.
  const byName = readdirSync(home.folder)
    .filter((name) => /^(aos\.db|daemon\.log|backups?$|mcp-pins)/.test(name))
    .map((name) => join(home.folder, name));
  return [...named, ...byName, home.audit, ...below(home.audit), ...below(home.recordings)].filter(
    isOwn,
  );
}

function below(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
    join(folder, name),
  );
}

function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.isFile() || found.isDirectory());
}

/** HOME-MODES-1. Some file systems take a mode and keep another: what counts is what is there afterwards. */
function close(path: string): ClosedFile | undefined {
  const { mode } = statSync(path);
  if ((mode & OTHERS) === 0) return undefined;
  const before = (mode & 0o777).toString(8).padStart(4, "0");
  try {
    chmodSync(path, mode & 0o700);
  } catch (error) {
    throw openToOthers(path, before, (error as NodeJS.ErrnoException).code);
  }
  if ((statSync(path).mode & OTHERS) !== 0) throw openToOthers(path, before, undefined);
  return { path, mode: before };
}

const openToOthers = (path: string, mode: string, code: string | undefined): SysError =>
  new SysError(
    "EINVAL",
    `${path} is open to other users (mode ${mode}) and cannot be closed${code === undefined ? "" : ` (${code})`}`,
    { hint: "chmod it to 0700 as its owner, or set AOS_HOME to a folder of your own" },
  );
