// Places: where the daemon may create cgroups: below its own.
//
//   findCgroups(mountinfo, ownCgroups)   the daemon's folder in each mounted hierarchy

import { posix } from "node:path";

export interface CgroupPaths {
  /** Version 1: a folder for each controller. */
  readonly v1: ReadonlyMap<string, string>;
  /** Version 2: one folder, which may be there beside version 1 and then has few controllers. */
  readonly v2?: string;
  /** Where hierarchies are mounted. */
  readonly roots: readonly string[];
}

/** From /proc/self/mountinfo and /proc/self/cgroup. */
export function findCgroups(mountinfo: string, ownCgroups: string): CgroupPaths {
  const own = new Map<string, string>();
  for (const line of ownCgroups.split("\n")) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined) continue;
    for (const controller of controllers.split(",")) own.set(controller, path);
  }
  const v1 = new Map<string, string>();
  const roots: string[] = [];
  let v2: string | undefined;
  for (const line of mountinfo.split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const [, , , root = "/", at = "/"] = before.split(" ").map(unescape);
    const [type, , options = ""] = after.split(" ");
    if (type === "cgroup2" || type === "cgroup") roots.push(at);
    if (type === "cgroup2" && own.has("")) v2 ??= below(at, root, own.get("")!);
    if (type !== "cgroup") continue;
    for (const controller of options.split(",")) {
      const path = own.get(controller);
      if (path !== undefined && !v1.has(controller)) v1.set(controller, below(at, root, path));
    }
  }
  return { v1, roots, ...(v2 === undefined ? {} : { v2 }) };
}

/** A container sees only a part of the hierarchy, whose root is said by the mount. */
function below(at: string, root: string, path: string): string {
  const inside = root !== "/" && path.startsWith(root) ? path.slice(root.length) : path;
  return posix.join(at, inside).replace(/(.)\/$/, "$1");
}

/** Spaces and the like are written as octal numbers. */
const unescape = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCodePoint(Number.parseInt(octal, 8)),
  );
