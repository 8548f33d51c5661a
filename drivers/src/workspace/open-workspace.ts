// OpenWorkspace: the folder of one workspace while it is in use.
//
// OPEN-WORKSPACE-1  It is held exclusively (serial-queue.ts).

import { type MarkKeeper, SysError } from "@aos/protocol";
import { type Base, EMPTY_BASE, isPathGone, readBase, writeBase } from "./base.ts";
import { commitNumbers, openCommitFolder, readState } from "./commit-folder.ts";
import { type CommitJob, recoverCommits } from "./commit.ts";
import type { ComparedTrees } from "./compare.ts";
import { type FileOwner, startCopyJob } from "./copy-entry.ts";
import { Folder, noneIfMissing, type ChangeHook } from "./folder.ts";
import type { WorkspaceRoot } from "./workspace-root.ts";
import { type WorkspaceMetadata, readMetadata, writeMetadata } from "./workspace-metadata.ts";
import { reset, type ResetReport } from "./reset.ts";
import { emptyTrash } from "./trash.ts";

export interface OpenWorkspaceOptions {
  /** Told before every change to a file; tests stop here. */
  readonly step?: ChangeHook;
  /** Keeps the labels of files; absent where they are not kept. */
  readonly marks?: () => MarkKeeper;
}

export class OpenWorkspace implements AsyncDisposable {
  readonly store: Folder;
  readonly trash: Folder;
  readonly options: OpenWorkspaceOptions;
  #note: WorkspaceMetadata;

  private constructor(
    store: Folder,
    trash: Folder,
    note: WorkspaceMetadata,
    options: OpenWorkspaceOptions,
  ) {
    this.store = store;
    this.trash = trash;
    this.#note = note;
    this.options = options;
  }

  static async open(
    ground: WorkspaceRoot,
    tree: string,
    options: OpenWorkspaceOptions,
  ): Promise<OpenWorkspace> {
    const held = await OpenWorkspace.openIfReady(ground, tree, options);
    if (held === undefined) throw noWorkspace(tree);
    return held;
  }

  static async openIfReady(
    { home, trash }: WorkspaceRoot,
    tree: string,
    options: OpenWorkspaceOptions,
  ): Promise<OpenWorkspace | undefined> {
    if ((await home.look(tree)) === undefined) return undefined;
    const store = await home.into(tree);
    try {
      const note = await readMetadata(store);
      if (note?.isReady === true) return new OpenWorkspace(store, trash, note, options);
    } catch (error) {
      await store[Symbol.asyncDispose]();
      throw error;
    }
    await store[Symbol.asyncDispose]();
    return undefined;
  }

  get note(): WorkspaceMetadata {
    return this.#note;
  }

  async writeNote(changed: Partial<WorkspaceMetadata>): Promise<void> {
    const note = { ...this.#note, ...changed };
    await writeMetadata(this.store, note);
    this.#note = note;
  }

  base(): Promise<Base> {
    return this.#note.kind === "copy" ? readBase(this.store) : Promise.resolve(EMPTY_BASE);
  }

  copy(): Promise<Folder> {
    return this.store.into("files");
  }

  /** Undefined where there is none, or it is gone. */
  async projectIfThere(): Promise<Folder | undefined> {
    const { kind, project, projectIno } = this.#note;
    if (kind !== "copy" || project === undefined) return undefined;
    const folder = await Folder.open(project, this.options.step).catch(noneIfMissing);
    if (folder === undefined || String((await folder.lookAtSelf()).ino) === projectIno)
      return folder;
    await folder[Symbol.asyncDispose]();
    return undefined;
  }

  async project(): Promise<Folder> {
    const folder = await this.projectIfThere();
    if (folder !== undefined) return folder;
    throw new SysError("ESTATE", `${this.#note.project} was removed or replaced`, {
      hint: "restore the project folder",
    });
  }

  owner(): FileOwner | undefined {
    const { uid } = this.#note;
    return uid === undefined ? undefined : { uid, gid: uid };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store[Symbol.asyncDispose]();
  }
}

/** All that a commit or its undo needs, open for as long as `use` runs. */
export async function withProject<Result>(
  held: OpenWorkspace,
  use: (committing: CommitJob) => Promise<Result>,
): Promise<Result> {
  await using project = await held.project();
  await using copy = await held.copy();
  const { store, trash, note, options } = held;
  const marks = options.marks === undefined ? {} : { marks: options.marks() };
  const base = await held.base();
  return await use({ base, project, copy, store, trash, tree: note.tree, ...marks });
}

/** Puts the workspace back to its base. */
export async function resetToBase(held: OpenWorkspace): Promise<ResetReport> {
  await held.writeNote({ isUndoing: true });
  await using project = held.note.kind === "copy" ? await held.project() : undefined;
  await using copy = await held.copy();
  const sides: ComparedTrees = { base: await held.base(), project, copy };
  const copying = startCopyJob(held.owner());
  const done = await reset({ ...sides, trash: held.trash, copying }).catch(
    async (error: unknown) => {
      // No crash: whoever asked is told, and nothing goes on behind their back.
      await held.writeNote({ isUndoing: false });
      throw stillChanging(held.note.tree, error);
    },
  );
  if (held.note.kind === "copy") await writeBase(held.store, done.base);
  await held.writeNote({ isUndoing: false, state: "undone" });
  await emptyTrash(held.trash);
  return done;
}

const MEANWHILE = new Set(["EEXIST", "ENOTEMPTY", "EISDIR", "ENOTSUP", "EOPNOTSUPP"]);

/** Something came to stand, or went away, where there was no such thing a moment ago. */
function stillChanging(tree: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const isRefused = error instanceof SysError && code === "EINVAL";
  if (!MEANWHILE.has(code ?? "") && !isPathGone(error) && !isRefused) return error;
  return new SysError("ESTATE", `the workspace of ${tree} changes while it is being restored`, {
    hint: "stop or pause the process and undo again",
  });
}

/** Finishes what a crash left. Says what it did. */
export async function recoverTree(held: OpenWorkspace): Promise<string[]> {
  const done: string[] = [];
  if (await hasOpenCommit(held.store)) done.push(...(await withProject(held, recoverCommits)));
  if (held.note.isUndoing === true) {
    await resetToBase(held);
    done.push("an interrupted undo was completed");
  }
  return done;
}

/** A project that is gone needs no end of its commits. */
export async function recoverIfProjectIsThere(held: OpenWorkspace): Promise<void> {
  await using project = await held.projectIfThere();
  if (project !== undefined || held.note.kind !== "copy") await recoverTree(held);
}

async function hasOpenCommit(store: Folder): Promise<boolean> {
  for (const number of await commitNumbers(store)) {
    await using folder = await openCommitFolder(store, number);
    const state = await readState(folder);
    if (state?.progress !== "done" && state?.progress !== "undone") return true;
  }
  return false;
}

export const noWorkspace = (tree: string): SysError =>
  new SysError("ENOENT", `${tree} has no workspace`, {
    hint: "a workspace is created at the first use of files and removed after its lifetime (workspaces.ttl)",
  });

/** What can be compared with how it began. */
export function comparableOrRefused({ tree, kind, project }: WorkspaceMetadata): void {
  if (kind !== "direct") return;
  throw new SysError(
    "ESTATE",
    `${tree} was not started with --cow: it works on ${project} itself`,
    {
      hint: "its changes apply at once; use --dir DIR --cow for a copy",
    },
  );
}
