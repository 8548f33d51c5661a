// Guard scan: finds the power files in a folder that programs may write to: by name at any depth, and the files that
// git obeys in repositories.
//
// GUARD-SCAN-1  Such a name is found at any depth; in node_modules only `.agents` is.
// GUARD-SCAN-2  A file whose own name is not UTF-8 is no power file. Its parent folders may have such names: `where`
//     has the bytes of the whole path.

import type { BigIntStats } from "node:fs";
import type { WalkedEntry, WalkedFolder } from "./byte-walk.ts";
import type { Folder } from "./folder.ts";
import { foldName, isPowerName } from "./power-files.ts";

export interface GuardedFile {
  /** Below the folder, as text: for people. */
  readonly path: string;
  /** The same in bytes: two paths that are not text can have one nearest text. */
  readonly where: Buffer;
  readonly kind: "file" | "folder" | "link";
  /** How a run is given it. A pinned folder may be written to, and neither renamed nor replaced. */
  readonly bind: "read" | "pinned" | "none";
  readonly identity: string;
  /** Of the folder that it is in. */
  readonly parent: string;
  readonly target?: string;
  /** Of hooks: nothing but the samples that git brings along. */
  readonly isSampleOnly?: boolean;
  /** Of what could be changed although it is bound: a second name, or a repository's settings. */
  readonly bytes?: Buffer;
}

const MOST_BYTES = 1024 * 1024;
const PACKAGES = /(^|\/)node_modules(\/|$)/;
const REPOSITORY = ["HEAD", "objects", "refs"];
/** In a repository's own folder. */
const GIT_FILES = /^(config|config\.worktree|commondir|gitdir)$/;
/** Where repositories of submodules and of more working trees are. */
const IN_GIT = /(^|\/)(\.git|git~1)(\/|$)/;
/** Names of branches and the like: whatever they are, git only reads data there. */
const GIT_DATA = /(^|\/)(\.git|git~1)\/(.*\/)?(refs|logs|objects|lfs)(\/|$)/;

export async function guardedIn({ text, folder, entries }: WalkedFolder): Promise<GuardedFile[]> {
  const isPackages = PACKAGES.test(text);
  const isInside = text.split("/").some((part) => isPowerName(part, "folder"));
  const isGit = isRepository(text, entries);
  const found: GuardedFile[] = [];
  let parent: string | undefined;
  for (const entry of entries) {
    const name = entry.name.toString("utf8");
    if (!Buffer.from(name).equals(entry.name)) continue; // GUARD-SCAN-2
    const bind = bindOf(name, entry, { isPackages, isGit });
    if (bind === undefined || (isInside && bind !== "none")) continue;
    parent ??= inodeKey(await folder.lookAtSelf());
    const one = await guarded(folder, entry, name, bind, parent);
    if (one !== undefined) found.push(one);
  }
  return found;
}

const isRepository = (path: string, entries: readonly WalkedEntry[]): boolean => {
  const names = new Set(entries.map(({ name }) => name.toString("utf8")));
  if (GIT_DATA.test(`${path}/`)) return false;
  return REPOSITORY.every((name) => names.has(name)) || IN_GIT.test(path);
};

/** Undefined for what has no power. */
function bindOf(
  name: string,
  { kind, text }: WalkedEntry,
  { isPackages, isGit }: { isPackages: boolean; isGit: boolean },
): GuardedFile["bind"] | undefined {
  if (kind === "other") return undefined;
  if (isPackages && foldName(name) !== ".agents") return undefined;
  if (foldName(name) === ".git" || foldName(name) === "git~1")
    return kind === "folder" ? "pinned" : "read";
  if (isGit && kind === "folder" && name === "hooks") return "read";
  if (isGit && kind !== "folder" && GIT_FILES.test(name)) return "read";
  if (isGit && name === "git-rebase-todo") return "none";
  return isPowerName(name, kind) && !IN_GIT.test(text) ? "read" : undefined;
}

async function guarded(
  folder: Folder,
  { kind, name, text, path }: WalkedEntry,
  called: string,
  bind: GuardedFile["bind"],
  parent: string,
): Promise<GuardedFile | undefined> {
  const stats = await folder.look(name);
  if (stats === undefined) return undefined;
  const one = { path: text, where: path, identity: inodeKey(stats), parent };
  if (stats.isSymbolicLink()) {
    // A mount would follow it: it is looked at after the run.
    const target = (await folder.linkTarget(name)).toString("utf8");
    return { ...one, kind: "link", bind: "none", target };
  }
  if (stats.isDirectory()) {
    const more = called === "hooks" ? { isSampleOnly: await hasSamplesOnly(folder, name) } : {};
    return { ...one, kind: "folder", bind, ...more };
  }
  if (!stats.isFile() || kind === "other") return undefined;
  const isKept = stats.nlink > 1n || called.startsWith("config") || called === "git-rebase-todo";
  const bytes = isKept ? await bytesOf(folder, name, stats) : undefined;
  return { ...one, kind: "file", bind, ...(bytes === undefined ? {} : { bytes }) };
}

async function hasSamplesOnly(folder: Folder, name: Buffer): Promise<boolean> {
  await using hooks = await folder.into(name);
  const isSample = (hook: Buffer) => hook.toString("latin1").endsWith(".sample");
  return (await hooks.entries()).every((hook) => hook.kind === "file" && isSample(hook.name));
}

async function bytesOf(folder: Folder, name: Buffer, stats: BigIntStats) {
  if (stats.size > MOST_BYTES) return undefined;
  await using file = await folder.openFile(name);
  return file.readFile();
}

export const inodeKey = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;
