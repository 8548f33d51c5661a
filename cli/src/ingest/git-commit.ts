// Git commit: the commit that is checked out around a folder, read from the files of git. `git` itself is not run: the
// configuration of a repository can name programs, and the folder may be a stranger's.

import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const REF = /^ref: (refs\/[^\s]+)$/;

/** Undefined where there is no repository, or no commit in it yet. */
export async function gitCommitOf(folder: string): Promise<string | undefined> {
  const git = await gitFolderOf(folder);
  const head = git === undefined ? undefined : await textOf(join(git, "HEAD"));
  if (git === undefined || head === undefined) return undefined;
  if (COMMIT.test(head)) return head;
  const name = REF.exec(head)?.[1];
  if (name === undefined || name.split("/").includes("..")) return undefined;
  const common = await textOf(join(git, "commondir"));
  const places = common === undefined ? [git] : [git, resolve(git, common)];
  for (const place of places) {
    const loose = await textOf(join(place, name));
    if (loose !== undefined && COMMIT.test(loose)) return loose;
    const packed = (await textOf(join(place, "packed-refs"))) ?? "";
    const line = packed.split("\n").find((one) => one.endsWith(` ${name}`));
    const [commit = ""] = line?.split(" ") ?? [];
    if (COMMIT.test(commit)) return commit;
  }
  return undefined;
}

/** `.git` is a folder, or in a worktree a file that names one. */
async function gitFolderOf(folder: string): Promise<string | undefined> {
  const git = join(folder, ".git");
  const found = await stat(git).catch(() => undefined);
  if (found?.isDirectory() === true) return git;
  if (found?.isFile() === true) {
    const place = /^gitdir: (.+)$/.exec((await textOf(git)) ?? "")?.[1];
    return place === undefined ? undefined : resolve(folder, place);
  }
  const above = dirname(folder);
  return above === folder ? undefined : gitFolderOf(above);
}

const textOf = async (file: string): Promise<string | undefined> =>
  readFile(file, "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
