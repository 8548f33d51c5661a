// Leftovers: removes what killed daemons left on the machine: cgroups with their processes, folders, user claims,
// processes. Those of a living daemon are left alone (owner.ts).

import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { findFolders, removeAbandoned } from "./cgroup/folder.ts";
import { isAlive, readMark } from "./owner.ts";
import { isAbandonedClaim } from "./users.ts";
import { tryTo } from "./try-to.ts";

export interface LeftoverPaths {
  /** Where hierarchies of cgroups are mounted. The dead daemon may have been in any part of them. */
  readonly cgroups: readonly string[];
  /** Where folders and claims are made. */
  readonly folders: string;
}

/** Says what was removed; for the log. */
export async function removeLeftovers({ cgroups, folders }: LeftoverPaths): Promise<string[]> {
  const removed: string[] = [];
  for (const pid of abandonedProcesses()) {
    tryTo(() => process.kill(pid, "SIGKILL"));
    removed.push(`process ${pid}`);
  }
  for (const path of cgroups.flatMap((root) => findFolders(root, isAbandoned))) {
    if (await removeCgroup(path)) removed.push(path);
  }
  for (const name of readdirSync(folders)) {
    const path = join(folders, name);
    if (!(isAbandoned(name) && isOurs(path)) && !isAbandonedClaim(folders, name)) continue;
    if (tryTo(() => rmSync(path, { recursive: true, force: true }))) removed.push(path);
  }
  return removed;
}

function isAbandoned(name: string): boolean {
  const owner = readMark(name);
  return owner !== undefined && !isAlive(owner);
}

/** In a folder where everybody writes, a name alone proves nothing. */
const isOurs = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();

/** Its processes must die first, which takes a moment. */
async function removeCgroup(path: string): Promise<boolean> {
  for (let waitMs = 1; waitMs < 1000; waitMs *= 2) {
    if (removeAbandoned(path)) return true;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  return false;
}

/** Processes of bubblewrap whose mark names a daemon that no longer runs. */
function abandonedProcesses(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return basename(words[0] ?? "") === "bwrap" && words.some(isAbandoned);
      } catch {
        return false;
      }
    });
}
