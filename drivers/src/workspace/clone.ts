// Clone: copies a project folder for an agent, with the base for comparison.
//
// WORKSPACE-CLONE-1  Files that the policy does not let the agent read, and those in `.aosignore`, are not copied.
// WORKSPACE-CLONE-2  Nothing is copied before the whole is known to fit.
// WORKSPACE-CLONE-3  Files that are not copied are named.

import { SysError } from "@aos/protocol";
import type { Base, BaseEntry, OmittedEntry } from "./base.ts";
import { copyEntry, type CopyJob, type FileOwner, startCopyJob } from "./copy-entry.ts";
import type { Folder } from "./folder.ts";
import { IGNORE_FILE, type Ignores, MAX_IGNORE_BYTES, readIgnore } from "./ignore.ts";
import { inParallel } from "./in-parallel.ts";
import { AGENT_ROOT } from "./mapping.ts";
import { formatBytes, joinNames } from "./format.ts";
import type { PathState } from "./path-state.ts";
import { type Snapshot, splitPath, skipReasonText, walkTree } from "./walk.ts";

export interface CloneOptions {
  /** By the name that agents have for it: `/work/src/a.ts`. */
  readonly mayRead: (path: string) => boolean;
  readonly maxBytes: number;
  readonly owner: FileOwner | undefined;
  readonly onProgress?: ((done: CloneProgress) => void) | undefined;
}

export interface CloneProgress {
  readonly found: number;
  readonly copied: number;
}

export async function cloneProject(
  project: Folder,
  copy: Folder,
  options: CloneOptions,
): Promise<Base> {
  const { onProgress } = options;
  const leftOut: OmittedEntry[] = [];
  const ignores = await ignoresOf(project);
  const snapshot = await walkTree(project, {
    takes: (path, seen) => takes(path, seen, ignores, options, leftOut),
    onEntry: (found) => onProgress?.({ found, copied: 0 }),
  });
  fitsOrRefused(project, snapshot, options.maxBytes);
  shallowOrRefused(project, snapshot);
  leftOut.push(
    ...snapshot.skipped.map(({ path, reason }) => ({ path, why: skipReasonText[reason] })),
  );

  const entries = new Map<string, BaseEntry>();
  const cloning = {
    children: childrenOf(snapshot),
    entries,
    copying: startCopyJob(options.owner),
    done: () => onProgress?.({ found: snapshot.entries.size, copied: entries.size }),
  };
  await cloneFolder(project, copy, "", cloning);
  const inOrder = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  return { entries: new Map(inOrder), leftOut };
}

interface Cloning {
  readonly children: Map<string, { path: string; name: string; seen: PathState }[]>;
  readonly entries: Map<string, BaseEntry>;
  readonly copying: CopyJob;
  readonly done: () => void;
}

async function cloneFolder(
  from: Folder,
  to: Folder,
  path: string,
  cloning: Cloning,
): Promise<void> {
  const { children, entries, copying, done } = cloning;
  const here = children.get(path) ?? [];
  await inParallel(here, async ({ path, name }) => {
    const entry = await copyEntry(from, to, name, copying);
    if (entry !== undefined) entries.set(path, entry);
    done();
  });
  for (const { path, name, seen } of here) {
    if (seen.kind !== "folder" || entries.get(path)?.kind !== "folder") continue;
    await using inFrom = await from.into(name);
    await using inTo = await to.into(name);
    await cloneFolder(inFrom, inTo, path, cloning);
    await to.setMode(name, entries.get(path)!.mode);
    await to.setTime(name, entries.get(path)!.mtimeNs);
  }
}

function childrenOf({ entries }: Snapshot): Cloning["children"] {
  const children: Cloning["children"] = new Map();
  for (const [path, seen] of entries) {
    const { parent, name } = splitPath(path);
    const siblings = children.get(parent) ?? [];
    siblings.push({ path, name, seen });
    children.set(parent, siblings);
  }
  return children;
}

/** WORKSPACE-CLONE-1. A folder that the policy refuses is entered all the same: it may allow what is in it. */
function takes(
  path: string,
  seen: PathState,
  ignores: Ignores,
  { mayRead }: CloneOptions,
  leftOut: OmittedEntry[],
): boolean {
  const isFolder = seen.kind === "folder";
  const why = ignores(path, isFolder)
    ? `${IGNORE_FILE} names it`
    : !isFolder && seen.kind !== "other" && !mayRead(`${AGENT_ROOT}/${path}`)
      ? "the process may not read it"
      : undefined;
  if (why !== undefined) leftOut.push({ path, why });
  return why === undefined;
}

async function ignoresOf(project: Folder): Promise<Ignores> {
  const stats = await project.look(IGNORE_FILE);
  if (stats === undefined) return () => false;
  await using file = await project.openFile(IGNORE_FILE);
  if (stats.size > MAX_IGNORE_BYTES)
    throw new SysError("EINVAL", `${IGNORE_FILE} has more than ${MAX_IGNORE_BYTES} bytes`);
  return readIgnore(await file.readFile("utf8"));
}

/** WORKSPACE-CLONE-2. */
function fitsOrRefused(project: Folder, { entries }: Snapshot, maxBytes: number): void {
  const parts = new Map<string, number>();
  let bytes = 0;
  for (const [path, { size }] of entries) {
    bytes += size;
    const [part = ""] = path.split("/");
    parts.set(part, (parts.get(part) ?? 0) + size);
  }
  if (bytes <= maxBytes) return;
  const biggest = [...parts].sort(([, a], [, b]) => b - a).slice(0, 3);
  throw new SysError(
    "EINVAL",
    `${project.path} has ${formatBytes(bytes)} in ${entries.size} files and folders; a copy may have ${formatBytes(maxBytes)}`,
    {
      hint: `exclude files with ${IGNORE_FILE} (the largest: ${biggest.map(([name, size]) => `${name} ${formatBytes(size)}`).join(", ")}), or give a smaller folder`,
      detail: { bytes, maxBytes },
    },
  );
}

/** A copy that silently ends somewhere would be taken for the project. */
function shallowOrRefused(project: Folder, { skipped }: Snapshot): void {
  const deep = skipped.filter(({ reason }) => reason === "too-deep");
  if (deep.length === 0) return;
  throw new SysError(
    "EINVAL",
    `${project.path} is too deep: ${joinNames(deep.map((d) => d.path))}`,
  );
}
