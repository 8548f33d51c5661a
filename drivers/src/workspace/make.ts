// Make: creates the workspace of a tree at its first call, and finds it later.
//
// MAKE-1  An unfinished workspace left by a crash is discarded and created anew.
// MAKE-2  If the daemon is root, a workspace has its own user for its whole life.
// MAKE-3  A folder that contains the workspaces, or is inside them, cannot be a project.

import { realpath, stat } from "node:fs/promises";
import { SysError } from "@aos/protocol";
import { writeBase } from "./base.ts";
import { type CloneProgress, cloneProject } from "./clone.ts";
import { Folder, overlap } from "./folder.ts";
import { type WorkspaceRoot, PASSABLE, treesIn } from "./workspace-root.ts";
import { findHidden } from "./hidden.ts";
import { AGENT_ROOT } from "./mapping.ts";
import {
  type WorkspaceMetadata,
  readMetadata,
  type WorkspaceKind,
  writeMetadata,
} from "./workspace-metadata.ts";
import type { WorkspaceScope, Workspace } from "./workspaces.ts";
import { throwAway } from "./trash.ts";

export interface MakeOptions {
  /** Where workspaces are: `$AOS_HOME/work`. */
  readonly folder: string;
  /** Of a copy, and of what a commit keeps. */
  readonly maxBytes: number;
  /** Users for workspaces, where the daemon may choose; each is a number of a user and of a group. */
  readonly owner?: { readonly firstUid: number; readonly count: number };
  readonly onProgress?: (tree: string, progress: CloneProgress) => void;
}

/** Work during which no other workspace takes a user, and no project is written to. */
type OneByOne = <Result>(work: () => Promise<Result>) => Promise<Result>;

const OWNERS = { firstUid: 61_000, count: 4000 };

export async function makeWorkspace(
  ground: WorkspaceRoot,
  place: WorkspaceScope,
  mayRead: (path: string) => boolean,
  options: MakeOptions,
  oneByOne: OneByOne,
): Promise<Workspace> {
  const note =
    (await findMade(ground, place)) ?? (await makeAnew(ground, place, mayRead, options, oneByOne));
  const { kind, project } = note;
  const root = kind === "direct" ? project! : `${ground.home.path}/${note.tree}/files`;
  return {
    kind,
    root,
    ...(project === undefined ? {} : { project }),
    user: kind === "direct" ? await ownerOf(project!) : ownerIn(note),
    hidden: async (mayReadNow = mayRead) =>
      kind === "direct" ? findHidden(root, AGENT_ROOT, mayReadNow) : [],
  };
}

export const ownerIn = ({ uid }: WorkspaceMetadata): Workspace["user"] =>
  uid === undefined ? undefined : { uid, gid: uid };

const mayChooseUsers = (): boolean => process.getuid?.() === 0;

async function ownerOf(folder: string): Promise<Workspace["user"]> {
  if (!mayChooseUsers()) return undefined;
  const { uid, gid } = await stat(folder);
  return { uid, gid };
}

/** MAKE-1. */
async function findMade(
  { home, trash }: WorkspaceRoot,
  place: WorkspaceScope,
): Promise<WorkspaceMetadata | undefined> {
  if ((await home.look(place.tree)) === undefined) return undefined;
  await using store = await home.into(place.tree);
  const note = await readMetadata(store);
  if (note?.isReady !== true) {
    await throwAway(home, place.tree, trash);
    return undefined;
  }
  await sameOrRefused(note, place);
  if (note.endedAt === undefined) return note;
  const { endedAt: _ended, ...living } = note;
  await writeMetadata(store, living);
  return living;
}

/** A tree has one workspace; another project or tenant under the same id is a mistake or an attack. */
export async function sameOrRefused(
  note: Pick<WorkspaceMetadata, "tree" | "tenant" | "kind" | "project">,
  place: WorkspaceScope,
): Promise<void> {
  const { folder } = place.workspace;
  const project = folder === undefined ? undefined : await realpath(folder).catch(() => folder);
  if (note.tenant === place.tenant && note.kind === kindOf(place) && note.project === project)
    return;
  throw new SysError(
    "EACCES",
    `the workspace of ${note.tree} belongs to another project or tenant`,
  );
}

const kindOf = ({ workspace: { folder, isCow } }: WorkspaceScope): WorkspaceKind => {
  if (folder === undefined) return "private";
  return isCow ? "copy" : "direct";
};

async function makeAnew(
  { home, trash }: WorkspaceRoot,
  place: WorkspaceScope,
  mayRead: (path: string) => boolean,
  options: MakeOptions,
  oneByOne: OneByOne,
): Promise<WorkspaceMetadata> {
  const { tree, tenant } = place;
  const kind = kindOf(place);
  await using project = await openProject(home, place);
  const note = await oneByOne(async () => {
    const begun: WorkspaceMetadata = {
      version: 1,
      tree,
      tenant,
      kind,
      isReady: false,
      state: "open",
      createdAt: Date.now(),
      ...(project === undefined ? {} : { project: project.path }),
      ...(project === undefined ? {} : { projectIno: String((await project.lookAtSelf()).ino) }),
      ...(kind === "direct" || !mayChooseUsers() ? {} : { uid: await freeUser(home, options) }),
    };
    await home.makeFolder(tree, PASSABLE);
    await using store = await home.into(tree);
    await writeMetadata(store, begun);
    return begun;
  });
  try {
    await using store = await home.into(tree);
    if (kind !== "direct") await fill(store, project, note, mayRead, options);
    await writeMetadata(store, { ...note, isReady: true });
  } catch (error) {
    await throwAway(home, tree, trash);
    throw error;
  }
  return note;
}

async function fill(
  store: Folder,
  project: Folder | undefined,
  note: WorkspaceMetadata,
  mayRead: (path: string) => boolean,
  { maxBytes, onProgress }: MakeOptions,
): Promise<void> {
  await store.makeFolder("files", 0o700);
  await using files = await store.into("files");
  const owner = ownerIn(note);
  if (project !== undefined)
    await writeBase(
      store,
      await cloneProject(project, files, {
        mayRead,
        maxBytes,
        owner,
        onProgress: onProgress && ((progress) => onProgress(note.tree, progress)),
      }),
    );
  if (owner !== undefined) await files.setSelfOwner(owner);
}

async function openProject(home: Folder, place: WorkspaceScope): Promise<Folder | undefined> {
  const { folder } = place.workspace;
  if (folder === undefined) return undefined;
  const path = await realpath(folder).catch((error: NodeJS.ErrnoException) => {
    throw new SysError("ENOENT", `the folder ${folder} does not exist (${error.code})`);
  });
  if (overlap(home.path, path))
    throw new SysError("EINVAL", `${path} contains the workspaces of Agent OS, or is one of them`, {
      hint: "use a folder that does not contain $AOS_HOME",
    });
  return Folder.open(path).catch((error: NodeJS.ErrnoException) => {
    throw new SysError("EINVAL", `${path} cannot be used as a folder (${error.code})`);
  });
}

/** MAKE-2. */
async function freeUser(home: Folder, { owner = OWNERS }: MakeOptions): Promise<number> {
  const taken = new Set<number>();
  for (const tree of await treesIn(home)) {
    await using store = await home.into(tree);
    const note = await readMetadata(store);
    if (note?.uid !== undefined) taken.add(note.uid);
  }
  for (let uid = owner.firstUid; uid < owner.firstUid + owner.count; uid += 1)
    if (!taken.has(uid)) return uid;
  throw new SysError("EAGAIN", `all ${owner.count} user ids for workspaces are in use`, {
    hint: "remove workspaces of processes that have ended: aos gc",
  });
}
