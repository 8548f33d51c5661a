// Workspaces: `/work` of each process tree.
//
//   const { root, user } = await workspaces.of(place, mayRead);   made at the first call
//   await workspaces.diff(tree);                                  its changes
//   await workspaces.commit(tree, { mayWrite });                  to the project
//   await workspaces.undo(tree);                                  as if it had never run
//
// WORKSPACES-1  A tree has one workspace, and operations on it are serialised. So are commits.
// WORKSPACES-2  Before anything else, an operation that a crash interrupted is completed.
// WORKSPACES-3  A project folder is never removed, and is written to only by `commit` and its `undo`.

import { lstat } from "node:fs/promises";
import { SysError, type WorkPlace, type WorkspaceActReport } from "@aos/protocol";
import { EMPTY_BASE } from "./base.ts";
import { describeChanges, notesOn, type WorkspaceChanges } from "./changes-report.ts";
import { type CollectReport, type IsAlive, isStillNeeded, notesIn } from "./collect.ts";
import { commit, undoCommit } from "./commit.ts";
import { compareTrees } from "./compare.ts";
import { type WorkspaceRoot, openWorkspaceRoot, treesIn } from "./workspace-root.ts";
import {
  comparableOrRefused,
  OpenWorkspace,
  type OpenWorkspaceOptions,
  noWorkspace,
  resetToBase,
  recoverIfProjectIsThere,
  recoverTree,
  withProject,
} from "./open-workspace.ts";
import type { MachinePath } from "./hidden.ts";
import { type MakeOptions, makeWorkspace, sameOrRefused } from "./make.ts";
import { AGENT_ROOT } from "./mapping.ts";
import { type WorkspaceMetadata, treeOrRefused, type WorkspaceKind } from "./workspace-metadata.ts";
import { joinNames } from "./format.ts";
import { emptyTrash, throwAway } from "./trash.ts";
import { SerialQueue } from "./serial-queue.ts";
import { walkTree } from "./walk.ts";

export interface WorkspacesOptions extends MakeOptions, OpenWorkspaceOptions {
  /** How long a workspace stays after its tree has ended. */
  readonly ttlMs: number;
}

export interface WorkspaceScope {
  readonly tree: string;
  readonly tenant: string;
  readonly workspace: WorkPlace;
}

export interface Workspace {
  readonly kind: WorkspaceKind;
  /** What `/work` is on the machine: a real path. */
  readonly root: string;
  readonly project?: string;
  /** Whose files they are: who a program that works on them has to be. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  /** Files below the root that must not be shown, by their paths on the machine; found anew each time. */
  hidden(mayRead?: (path: string) => boolean): Promise<MachinePath[]>;
}

export interface WorkspaceInfo {
  readonly tree: string;
  readonly tenant: string;
  readonly kind: WorkspaceKind;
  readonly project: string | null;
  readonly state: WorkspaceMetadata["state"];
  readonly createdAt: number;
  readonly endedAt: number | null;
}

export interface ActReport extends WorkspaceActReport {
  /** What a reader should know: what was left out, kept or not put back. */
  readonly notes: readonly string[];
}

export interface Workspaces {
  /** `mayRead` is asked about files of a project by the names that agents have for them. */
  of(place: WorkspaceScope, mayRead: (path: string) => boolean): Promise<Workspace>;
  /** Where the files of a workspace are that was made already; it is not made for this. */
  find(tree: string): Promise<string | undefined>;
  diff(tree: string, options?: { readonly text?: boolean }): Promise<WorkspaceChanges>;
  undo(tree: string, options?: { readonly force?: boolean }): Promise<ActReport>;
  commit(
    tree: string,
    options: { readonly force?: boolean; readonly mayWrite: (path: string) => boolean },
  ): Promise<ActReport>;
  /** Finishes what a crash left. To be called once at the start; later calls do it for their tree. */
  recover(): Promise<{ readonly tree: string; readonly what: string }[]>;
  collect(now: number, isAlive: IsAlive): Promise<CollectReport>;
  list(): Promise<WorkspaceInfo[]>;
  remove(tree: string): Promise<{ readonly bytes: number }>;
}

export function createWorkspaces(options: WorkspacesOptions): Workspaces {
  const trees = new SerialQueue();
  const writers = new SerialQueue();
  const opened = new Map<string, Promise<{ workspace: Workspace; place: WorkspaceScope }>>();

  const onGround = async <Result>(
    use: (ground: WorkspaceRoot) => Promise<Result>,
  ): Promise<Result> => {
    await using ground = await openWorkspaceRoot(options.folder, options.step);
    return await use(ground);
  };

  /** WORKSPACES-1, WORKSPACES-2. */
  const inTree = <Result>(
    tree: string,
    use: (held: OpenWorkspace) => Promise<Result>,
  ): Promise<Result> =>
    trees.take(treeOrRefused(tree), () =>
      onGround(async (ground) => {
        await using held = await OpenWorkspace.open(ground, tree, options);
        await writers.take("", () => recoverTree(held));
        return await use(held);
      }),
    );

  /** WORKSPACES-2 before all: with the workspace would go what a commit needs to come to its end. */
  const drop = async (ground: WorkspaceRoot, tree: string): Promise<number> => {
    await using held = await OpenWorkspace.openIfReady(ground, tree, options);
    if (held !== undefined) await writers.take("", () => recoverIfProjectIsThere(held));
    opened.delete(tree);
    await throwAway(ground.home, tree, ground.trash);
    return emptyTrash(ground.trash);
  };

  const open = (place: WorkspaceScope, mayRead: (path: string) => boolean) =>
    trees.take(treeOrRefused(place.tree), () =>
      onGround(async (ground) => {
        const oneByOne = <Result>(work: () => Promise<Result>) => writers.take("", work);
        const workspace = await makeWorkspace(ground, place, mayRead, options, oneByOne);
        await using held = await OpenWorkspace.open(ground, place.tree, options);
        await oneByOne(() => recoverTree(held));
        return { workspace, place };
      }),
    );

  return {
    async of(place, mayRead) {
      const { tree } = place;
      const opening = opened.get(tree) ?? open(place, mayRead);
      opened.set(tree, opening);
      const { workspace, place: first } = await opening.catch((error: unknown) => {
        if (opened.get(tree) === opening) opened.delete(tree);
        throw error;
      });
      const { kind, project } = workspace;
      const { tenant } = first;
      await sameOrRefused(
        { tree, tenant, kind, ...(project === undefined ? {} : { project }) },
        place,
      );
      return workspace;
    },

    async find(tree) {
      const known = await opened.get(treeOrRefused(tree))?.catch(() => undefined);
      if (known !== undefined) return known.workspace.root;
      return onGround(async ({ home }) => {
        const root = `${home.path}/${tree}/files`;
        return (await lstat(root).catch(() => undefined))?.isDirectory() === true
          ? root
          : undefined;
      });
    },

    diff: (tree, { text = true } = {}) =>
      inTree(tree, async (held) => {
        comparableOrRefused(held.note);
        const { kind, project: path = null, state } = held.note;
        await using project = await held.projectIfThere();
        await using copy = await held.copy();
        const sides = { base: await held.base(), project, copy };
        const snapshot = await walkTree(copy);
        const differences = await compareTrees(sides, snapshot);
        const { changes, notes } = await describeChanges(sides, differences, text);
        return {
          tree,
          kind,
          project: path,
          changes,
          state: changes.length === 0 ? state : "open",
          notes: [...notes, ...notesOn(sides.base, snapshot)],
        };
      }),

    undo: (tree, { force = false } = {}) =>
      inTree(tree, (held) =>
        writers.take("", async () => {
          comparableOrRefused(held.note);
          const undone = held.note.kind === "copy" ? await undoCommits(held, force) : NOTHING;
          const { files, refreshed } = await resetToBase(held);
          return report(
            held.note,
            [...undone.files, ...files],
            [
              ...note("left unchanged in the project", undone.left),
              ...note("now with the current content of the project", refreshed),
            ],
          );
        }),
      ),

    commit: (tree, { force = false, mayWrite }) =>
      inTree(tree, (held) =>
        writers.take("", async () => {
          comparableOrRefused(held.note);
          projectOrRefused(held.note);
          return withProject(held, async (committing) => {
            const { maxBytes } = options;
            const snapshot = await walkTree(committing.copy);
            const differences = await compareTrees(committing, snapshot);
            const done = await commit(committing, differences, { force, mayWrite, maxBytes });
            if (done.files.length > 0) await held.writeNote({ state: "committed" });
            return report(held.note, done.files, [
              ...notesOn(EMPTY_BASE, snapshot),
              ...note("kept, because they contain files that were not copied", done.kept),
            ]);
          });
        }),
      ),

    async recover() {
      const done: { tree: string; what: string }[] = [];
      for (const { tree } of await onGround(notesIn)) {
        const said = await trees
          .take(tree, () =>
            onGround(async (ground) => {
              await using held = await OpenWorkspace.open(ground, tree, options);
              return await writers.take("", () => recoverTree(held));
            }),
          )
          // One that cannot be finished now must not keep the others from it.
          .catch((error: Error) => [`not completed: ${error.message}`]);
        done.push(...said.map((what) => ({ tree, what })));
      }
      return done;
    },

    collect: (now, isAlive) =>
      onGround(async (ground) => {
        const removed: string[] = [];
        let bytes = await emptyTrash(ground.trash);
        let kept = 0;
        for (const tree of await treesIn(ground.home)) {
          await trees.take(tree, async () => {
            if (await isStillNeeded(ground.home, tree, now, await isAlive(tree), options.ttlMs)) {
              kept += 1;
              return;
            }
            bytes += await drop(ground, tree);
            removed.push(tree);
          });
        }
        return { removed, kept, bytes };
      }),

    list: async () =>
      (await onGround(notesIn)).map(({ tree, tenant, kind, state, createdAt, ...more }) => {
        const { project = null, endedAt = null } = more;
        return { tree, tenant, kind, state, createdAt, project, endedAt };
      }),

    remove: (tree) =>
      trees.take(treeOrRefused(tree), () =>
        onGround(async (ground) => {
          if ((await ground.home.look(tree)) === undefined) throw noWorkspace(tree);
          return { bytes: await drop(ground, tree) };
        }),
      ),
  };
}

const NOTHING = { files: [], left: [] };

/** The last first. */
async function undoCommits(
  held: OpenWorkspace,
  force: boolean,
): Promise<{ files: string[]; left: string[] }> {
  const [files, left]: [string[], string[]] = [[], []];
  for (;;) {
    const undone = await withProject(held, (committing) => undoCommit(committing, { force }));
    if (undone === undefined) return { files, left };
    files.push(...undone.files);
    left.push(...undone.left);
  }
}

function projectOrRefused({ tree, kind }: WorkspaceMetadata): void {
  if (kind !== "private") return;
  throw new SysError("ESTATE", `${tree} has a private workspace without a project`, {
    hint: "start it with --dir DIR --cow to work on a copy of a project",
  });
}

const note = (what: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${what}: ${joinNames(names)}`];

function report(
  { tree, project }: WorkspaceMetadata,
  files: readonly string[],
  notes: string[],
): ActReport {
  const named = [...new Set(files)].sort().map((path) => `${AGENT_ROOT}/${path}`);
  return { tree, project: project ?? null, files: named, notes };
}
