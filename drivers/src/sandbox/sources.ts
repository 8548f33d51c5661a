// Sources: opens the visible files of a run and determines their mount points. A descriptor identifies the file
// itself, so later replacements, and parent folders that the run's user cannot enter, do not matter.
//
// SOURCES-1  A source is opened without following a final link. A link is refused.
// SOURCES-2  The root of the machine, its processes and its devices are never mounted, and nothing is mounted over
//     them.
// SOURCES-3  Mounts are ordered by depth, so that none covers a deeper one.

import { closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { posix } from "node:path";
import { SysError } from "@aos/protocol";
import type { Mount } from "./sandbox.ts";

/** Linux; Node has no name for it. The descriptor names a place and can neither be read nor written. */
const O_PATH = 0o10000000;

/** Private parts of the run, at these paths and below. */
const OWN = ["/proc", "/dev", "/sys", "/run/aos"];
const MACHINE = ["/proc", "/dev", "/sys"];

export interface PlacedMount {
  readonly from: string;
  readonly at: string;
  readonly mode: "read" | "write";
}

export function placeMounts(mounts: readonly Mount[]): PlacedMount[] {
  const placed = mounts.map(({ from, at = from, mode }) => {
    for (const path of [from, at]) mustBePlain(path);
    if (isBelowAny(from, MACHINE) || from === "/") {
      throw new SysError("EINVAL", `${from} of the machine cannot be mounted in a sandbox`);
    }
    if (isBelowAny(at, OWN) || at === "/") {
      throw new SysError(
        "EINVAL",
        `${at} is reserved by the sandbox: nothing can be mounted there`,
      );
    }
    return { from, at, mode };
  });
  const depth = ({ at }: PlacedMount) => at.split("/").length;
  return placed.sort((a, b) => depth(a) - depth(b));
}

/** Absolute, without `..`, without anything that is written in two ways. */
function mustBePlain(path: string): void {
  if (!path.startsWith("/") || posix.normalize(path) !== path || path.includes("\0")) {
    throw new SysError("EINVAL", `${JSON.stringify(path)} is not a plain absolute path`);
  }
  if (path.length > 1 && path.endsWith("/")) {
    throw new SysError("EINVAL", `${JSON.stringify(path)} ends with a slash`);
  }
}

export const isInFolder = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);

const isBelowAny = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => isInFolder(path, folder));

/** SOURCES-1 */
export function openSource(path: string): number {
  let fd: number;
  try {
    fd = openSync(path, O_PATH | constants.O_NOFOLLOW);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EMFILE" || code === "ENFILE") throw new SysError("EAGAIN", message);
    throw new SysError("EINVAL", `${path} cannot be mounted in a sandbox: ${message}`);
  }
  if (fstatSync(fd).isSymbolicLink()) {
    closeSync(fd);
    throw new SysError("EINVAL", `${path} cannot be mounted in a sandbox: it is a link`);
  }
  return fd;
}

/** Where on the machine something is that a run sees; undefined when it sees nothing there. */
export function onMachine<Path extends string | Buffer>(
  seen: Path,
  mounts: readonly PlacedMount[],
): Path | undefined {
  // Latin-1 has a letter for every byte: a path that is not text is cut as any other.
  const text = typeof seen === "string" ? seen : seen.toString("latin1");
  const spelled = (path: string) =>
    typeof seen === "string" ? path : Buffer.from(path).toString("latin1");
  const nearest = mounts.findLast(({ at }) => isInFolder(text, spelled(at)));
  if (nearest === undefined) return undefined;
  const found = spelled(nearest.from) + text.slice(spelled(nearest.at).length);
  return (typeof seen === "string" ? found : Buffer.from(found, "latin1")) as Path;
}

/** What is at a path of the machine, links followed. */
export function kindOf(path: string | Buffer): "file" | "folder" | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  return stats.isDirectory() ? "folder" : "file";
}
