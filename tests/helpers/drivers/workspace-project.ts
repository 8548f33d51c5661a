// A project for tests: planted from a few lines, and looked at whole afterwards.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  createWorkspaces,
  type Workspaces,
  type WorkspacesOptions,
} from "../../../drivers/src/workspace/workspaces.ts";

/** What is planted at a path: text of a file, a link (`-> target`), or a folder (its path ends in /). */
export type Planted = Readonly<Record<string, string>>;

/** A volume in memory, where there is one: these tests wait for the disk a great deal. */
const MEMORY = ["/dev/shm"].find((folder) => existsSync(folder));

export const ALL = (): boolean => true;

export interface TestProject extends Disposable {
  readonly top: string;
  readonly project: string;
  readonly workspaces: Workspaces;
  /** The same folders, as after a restart. */
  again(options?: Partial<WorkspacesOptions>): Workspaces;
  /** Opens the workspace of a tree on a copy of the project; gives its folder on the machine. */
  copy(tree?: string, mayRead?: (path: string) => boolean): Promise<string>;
}

export function testProject(
  planted: Planted,
  options: Partial<WorkspacesOptions> = {},
): TestProject {
  const top = realpathSync(mkdtempSync(join(MEMORY ?? tmpdir(), "aos-workspace-")));
  const project = join(top, "project");
  mkdirSync(project);
  plant(project, planted);
  const again = (more: Partial<WorkspacesOptions> = {}) =>
    createWorkspaces({
      folder: join(top, "work"),
      ttlMs: 1000,
      maxBytes: 100_000_000,
      ...options,
      ...more,
    });
  const workspaces = again();
  return {
    top,
    project,
    workspaces,
    again,
    copy: async (tree = "agt_1", mayRead = ALL) => {
      const workspace = { folder: project, isCow: true };
      return (await workspaces.of({ tree, tenant: "default", workspace }, mayRead)).root;
    },
    [Symbol.dispose]: () => rmSync(top, { recursive: true, force: true, maxRetries: 20 }),
  };
}

export function plant(folder: string, planted: Planted): void {
  for (const [path, what] of Object.entries(planted)) {
    const at = join(folder, path);
    mkdirSync(path.endsWith("/") ? at : dirname(at), { recursive: true });
    if (path.endsWith("/")) continue;
    if (what.startsWith("-> ")) symlinkSync(what.slice(3), at);
    else writeFileSync(at, what);
  }
}

/** Everything below a folder, with its mode and its bytes. */
export function folderSnapshot(folder: string): Record<string, string> {
  const seen: Record<string, string> = {};
  const look = (path: string) => {
    for (const name of readdirSync(join(folder, path)).sort()) {
      const at = join(path, name);
      const stats = lstatSync(join(folder, at));
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) seen[at] = `-> ${readlinkSync(join(folder, at))}`;
      else if (stats.isDirectory()) seen[`${at}/`] = mode;
      else if (stats.isFile())
        seen[at] = `${mode} ${readFileSync(join(folder, at)).toString("latin1")}`;
      else seen[at] = "special";
      if (stats.isDirectory()) look(at);
    }
  };
  look("");
  return seen;
}

export const modeOf = (path: string): number => lstatSync(path).mode & 0o7777;

export const setMode = (path: string, mode: number): void => chmodSync(path, mode);

/** A project, and a copy of it in which every kind of change was made. */
export async function changedCopy(): Promise<{ here: TestProject; root: string }> {
  const here = testProject({
    changed: "old",
    removed: "old",
    mode: "same",
    "folder/in/it": "old",
    "becomes-file/x": "old",
    "becomes-folder": "old",
    link: "-> changed",
  });
  const root = await here.copy();
  for (const path of ["removed", "folder", "becomes-file", "becomes-folder", "link"])
    rmSync(join(root, path), { recursive: true });
  plant(root, {
    changed: "new",
    "added/deep/file": "new",
    "becomes-file": "new",
    "becomes-folder/x": "new",
    link: "-> mode",
  });
  setMode(join(root, "mode"), 0o755);
  return { here, root };
}

/** What a crash left beside files of the project. */
export const leftBeside = ({ project }: TestProject): string[] =>
  readdirSync(project, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.includes(".aos-tmp"),
  );
