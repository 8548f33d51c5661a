// Plan: what a commit would do to the project, and every reason against it. The project is not changed.
//
// WORKSPACE-PLAN-1  A project file that differs from the copy's base is a conflict.
// WORKSPACE-PLAN-2  All reasons are found before anything is done.
// WORKSPACE-PLAN-3  `force` overrides conflicts and power files, never the policy.

import { SysError } from "@aos/protocol";
import { originalIsStill } from "./base.ts";
import type { Difference, ComparedTrees } from "./compare.ts";
import { type Folder, noneIfMissing } from "./folder.ts";
import { inParallel } from "./in-parallel.ts";
import { AGENT_ROOT } from "./mapping.ts";
import { powerOf } from "./power-files.ts";
import { joinNames } from "./format.ts";
import { type ByteAllowance, stage } from "./stage.ts";
import { inspectPath } from "./path-state.ts";
import { ABSENT, type PathChange, inFolderOf, isSameState, type State, stateAt } from "./state.ts";
import { entryPath, splitPath } from "./walk.ts";

export interface PlanOptions {
  /** By the name that agents have for it. */
  readonly mayWrite: (path: string) => boolean;
  readonly force: boolean;
  readonly maxBytes: number;
}

export interface Plan {
  readonly changes: PathChange[];
  /** Folders that were removed in the copy, and stay: they hold what the copy never had. */
  readonly kept: string[];
}

const MAX_CONFIG_BYTES = 262_144;

export async function planCommit(
  sides: ComparedTrees & { readonly project: Folder },
  differences: readonly Difference[],
  blobs: Folder,
  options: PlanOptions,
): Promise<Plan> {
  const refused = differences.filter(({ path }) => !options.mayWrite(`${AGENT_ROOT}/${path}`));
  if (refused.length > 0)
    throw new SysError("EPOLICY", `the policy does not allow writing: ${said(refused)}`);

  const room: ByteAllowance = { bytes: options.maxBytes };
  const conflicts: string[] = [];
  const changes: PathChange[] = [];
  await inParallel(differences.entries(), async ([at, difference]) => {
    const change = await changeOf(sides, difference, blobs, at, room);
    if (isSameState(change.old, change.new)) return;
    changes.push(change);
    if (!(await isAsInBase(sides, difference, change.old))) conflicts.push(change.path);
  });
  changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  const { kept, inTheWay } = await foldersThatStay(sides, changes);
  const planned = changes.filter(({ path }) => !kept.includes(path));
  conflicts.push(...inTheWay, ...alikeIn(planned));
  conflicts.push(...(await missingParents(sides.project, planned)).map(({ path }) => path));

  const power = await powerIn(sides.copy, planned, blobs);
  if (!options.force) refuseFor([...new Set(conflicts)].sort(), power);
  if (inTheWay.length > 0) refuseFor(inTheWay, []);
  return { changes: options.force ? await withParents(sides.project, planned) : planned, kept };
}

/** Both sides, with their bytes where they differ. */
async function changeOf(
  { project, copy }: ComparedTrees & { readonly project: Folder },
  { path, new: seen, isContent }: Difference,
  blobs: Folder,
  at: number,
  room: ByteAllowance,
): Promise<PathChange> {
  if (!isContent && seen?.kind === "file") {
    const old = await stateAt(project, path);
    if (old.kind === "file") return { path, old, new: { ...old, mode: seen.mode } };
  }
  const old = await stage(project, path, blobs, `${at}.old`, room);
  if (seen === undefined) return { path, old, new: ABSENT };
  const now = await stage(copy, path, blobs, `${at}.new`, room);
  if (now.kind === "other") throw new SysError("ESTATE", `${path} changes while it is read`);
  return { path, old, new: await ownedAs(project, path, old, now) };
}

/** What is new belongs to whoever had it before, or has the folder that it is in. */
async function ownedAs(project: Folder, path: string, old: State, now: State): Promise<State> {
  if (now.kind === "absent" || now.kind === "other") return now;
  const owned = "uid" in old ? old : await nearestFolder(project, path);
  const { uid, gid } = owned as { uid?: number; gid?: number };
  return uid === undefined || gid === undefined ? now : { ...now, uid, gid };
}

async function nearestFolder(project: Folder, path: string): Promise<{ uid: number; gid: number }> {
  for (let { parent } = splitPath(path); parent !== ""; { parent } = splitPath(parent)) {
    const state = await stateAt(project, parent);
    if (state.kind === "folder") return { uid: state.uid!, gid: state.gid! };
  }
  const { uid, gid } = await project.lookAtSelf();
  return { uid: Number(uid), gid: Number(gid) };
}

/** WORKSPACE-PLAN-1. */
async function isAsInBase(
  { project }: ComparedTrees & { readonly project: Folder },
  { path, old }: Difference,
  now: State,
): Promise<boolean> {
  return old === undefined ? now.kind === "absent" : originalIsStill(old, project, path);
}

/** Of folders that go: those that hold something the copy never had, and those that must not. */
async function foldersThatStay(
  { project, base }: ComparedTrees & { readonly project: Folder },
  changes: readonly PathChange[],
): Promise<{ kept: string[]; inTheWay: string[] }> {
  const going = new Set(changes.filter(({ new: now }) => now.kind === "absent").map((c) => c.path));
  const leftOut = new Set(base.leftOut.map(({ path }) => path));
  const kept: string[] = [];
  const inTheWay: string[] = [];
  const folders = changes.filter(
    ({ old, new: now }) => old.kind === "folder" && now.kind !== "folder",
  );
  for (const { path, new: now } of [...folders].sort((a, b) => (a.path > b.path ? -1 : 1))) {
    const strange: string[] = [];
    await using folder = await project.along(path.split("/"));
    for await (const name of folder.names()) {
      const inside = entryPath(path, name.toString());
      if (!going.has(inside) || kept.includes(inside)) strange.push(inside);
    }
    if (strange.length === 0) continue;
    if (now.kind === "absent" && strange.every((s) => leftOut.has(s) || kept.includes(s)))
      kept.push(path);
    else inTheWay.push(...strange);
  }
  return { kept, inTheWay };
}

/** Names that many volumes take for one: the second would be written over the first. */
function alikeIn(changes: readonly PathChange[]): string[] {
  const seen = new Map<string, string>();
  return changes.flatMap(({ path, new: now }) => {
    if (now.kind === "absent") return [];
    const folded = path.normalize("NFC").toLowerCase();
    const other = seen.get(folded);
    seen.set(folded, path);
    return other === undefined ? [] : [other, path];
  });
}

/** With force: the folders on the way are made again. */
async function withParents(project: Folder, changes: readonly PathChange[]): Promise<PathChange[]> {
  const added = (await missingParents(project, changes)).map(({ path, now }): PathChange => {
    const folder: State = { kind: "folder", mode: 0o755 };
    return { path, old: now, new: folder };
  });
  return [...changes, ...added].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Folders that are gone from the project, or are none there, and are not of this commit. */
async function missingParents(
  project: Folder,
  changes: readonly PathChange[],
): Promise<{ path: string; now: State }[]> {
  const planned = new Set(changes.map(({ path }) => path));
  const missing = new Map<string, State>();
  for (const { path, new: now } of changes) {
    if (now.kind === "absent") continue;
    for (let { parent } = splitPath(path); parent !== ""; { parent } = splitPath(parent)) {
      if (planned.has(parent) || missing.has(parent)) continue;
      const state = await stateAt(project, parent);
      if (state.kind !== "folder") missing.set(parent, state);
    }
  }
  return [...missing].map(([path, now]) => ({ path, now }));
}

async function powerIn(
  copy: Folder,
  changes: readonly PathChange[],
  blobs: Folder,
): Promise<string[]> {
  const found: string[] = [];
  for (const { path, old, new: now } of changes) {
    const why = await powerOf({
      path,
      isFolder: (now.kind === "absent" ? old : now).kind === "folder",
      ...(now.kind === "link" ? { target: now.target } : {}),
      isRepository: async (folder) =>
        (await stateKind(copy, entryPath(folder, "HEAD"))) !== undefined &&
        (await stateKind(copy, entryPath(folder, "objects"))) === "folder",
      texts: async () => {
        const [before, after] = [await textIn(old, blobs), await textIn(now, blobs)];
        return before === undefined || after === undefined ? undefined : [before, after];
      },
    });
    if (why !== undefined) found.push(`${path} (${why})`);
  }
  return found;
}

const stateKind = async (top: Folder, path: string): Promise<string | undefined> =>
  (await inFolderOf(top, path, inspectPath))?.kind;

async function textIn(state: State, blobs: Folder): Promise<string | undefined> {
  if (state.kind === "absent") return "";
  if (state.kind !== "file" || state.blob === undefined || state.size > MAX_CONFIG_BYTES)
    return undefined;
  await using file = await blobs.openFile(state.blob);
  return await file.readFile("utf8").catch(noneIfMissing);
}

function refuseFor(conflicts: readonly string[], power: readonly string[]): void {
  if (conflicts.length === 0 && power.length === 0) return;
  const reasons = [
    ...(conflicts.length === 0
      ? []
      : [
          `changed in the project since the copy was made, or names that differ only in case: ${joinNames(conflicts)}`,
        ]),
    ...(power.length === 0 ? [] : [`would give power outside the sandbox: ${joinNames(power)}`]),
  ];
  throw new SysError("ESTATE", `nothing was committed. ${reasons.join("; ")}`, {
    hint: "review them with `aos diff`; --force commits them anyway",
    detail: { conflicts: [...conflicts], power: [...power] },
  });
}

const said = (differences: readonly Difference[]): string =>
  joinNames(differences.map(({ path }) => path));
