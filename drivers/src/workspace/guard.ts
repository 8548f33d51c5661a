// WorkspaceGuard: prevents sandboxed programs from writing power files in a writable folder.
//
//   const guard = await openGuard("/p", "/work", { quarantine });
//   guard.mounts                    over the mount of the folder
//   await guard.settle()            after the run: new power files go to quarantine, moved ones are restored
//
// WORKSPACE-GUARD-1  Power files that exist at the start are mounted read-only: they cannot be written, removed,
//     renamed or linked. The folder of a repository is mounted onto itself: it can be written to but not replaced.
// WORKSPACE-GUARD-2  New power files, and those reached by renaming a parent folder, are found after the run. They go
//     to quarantine, the originals are restored, and the location is reported (`taken`), so that a person can restore
//     them.
// WORKSPACE-GUARD-3  Changes from outside the sandbox stay: a mounted file cannot have been changed from inside while
//     its folder is the same.
// WORKSPACE-GUARD-4  A parent folder may have a name that is not UTF-8. An existing power file below it cannot be
//     mounted, and the run is refused; a new one goes to quarantine like the rest.

import { constants } from "node:fs";
import { cp, mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SysError } from "@aos/protocol";
import { isText, pathOf, walkBytes, type WalkedFolder } from "./byte-walk.ts";
import { Folder } from "./folder.ts";
import { type GuardedFile, guardedIn } from "./guard-scan.ts";
import { powerInGitConfig } from "./git-config.ts";
import { hiddenIn, type MachinePath } from "./hidden.ts";

/** More than this cannot be held by mounts. */
const MOST_GUARDED = 2000;

export interface GuardMount {
  readonly from: string;
  readonly at: string;
  readonly mode: "read" | "write";
}

/** What was taken away: where it stood, and where it lies now. */
export interface QuarantinedFile {
  readonly from: string;
  readonly to: string;
}

export interface WorkspaceGuard {
  readonly mounts: readonly GuardMount[];
  /** What the run must not see, by its paths on the machine. */
  readonly hidden: readonly MachinePath[];
  /** What was taken away or put back, in words; nothing where nothing was wrong. */
  settle(): Promise<string[]>;
  /** Of that, what is in quarantine. */
  readonly taken: readonly QuarantinedFile[];
}

export interface WorkspaceGuardOptions {
  /** Where what is taken away goes. */
  readonly quarantine: string;
  readonly mayRead: (path: string) => boolean;
}

/** `at` is where the run sees the folder, which is also what agents call it. */
export async function openGuard(
  root: string,
  at: string,
  options: WorkspaceGuardOptions,
): Promise<WorkspaceGuard> {
  const hidden: MachinePath[] = [];
  const before = await scan(root, {
    visit: (walked) => void hidden.push(...hiddenIn(walked, root, at, options.mayRead)),
  });
  if (before.size > MOST_GUARDED)
    throw new SysError("EINVAL", `${root} has more than ${MOST_GUARDED} power files`, {
      hint: "work on a copy with --cow, or on a smaller folder",
    });
  for (const one of before.values()) textOrRefused(root, one); // WORKSPACE-GUARD-4
  const taken: QuarantinedFile[] = [];
  return {
    hidden,
    taken,
    mounts: [...before.values()].flatMap(({ path, bind }) => mountOf(root, at, path, bind)),
    settle: () => settle(root, before, options.quarantine, taken),
  };
}

/** The paths below a folder of what has power there. */
export async function powerBelow(folder: string): Promise<string[]> {
  return [...(await scan(folder, {})).values()].map(({ path }) => path);
}

/** WORKSPACE-GUARD-1. */
const mountOf = (root: string, at: string, path: string, bind: GuardedFile["bind"]): GuardMount[] =>
  bind === "none"
    ? []
    : [{ from: `${root}/${path}`, at: `${at}/${path}`, mode: bind === "read" ? "read" : "write" }];

/** WORKSPACE-GUARD-4. */
function textOrRefused(root: string, { path, where }: GuardedFile): void {
  if (isText(where)) return;
  throw new SysError(
    "EINVAL",
    `${root} has the power file ${path} in a folder whose name is not UTF-8`,
    {
      hint: "rename that folder, or work on a copy with --cow",
    },
  );
}

/** By the letters that Latin-1 has for the bytes of a path. */
type Scan = Map<string, GuardedFile>;

const keyOf = ({ where }: GuardedFile): string => where.toString("latin1");

interface ScanOptions {
  readonly visit?: (walked: WalkedFolder) => void;
  /** What cannot be looked at is passed over: the next run refuses to start with it. */
  readonly isLenient?: boolean;
}

async function scan(root: string, { visit, isLenient = false }: ScanOptions): Promise<Scan> {
  const found: Scan = new Map();
  await using folder = await Folder.open(root);
  const look = async (walked: WalkedFolder) => {
    visit?.(walked);
    for (const one of await guardedIn(walked)) found.set(keyOf(one), one);
  };
  await walkBytes(folder, look, { isLenient });
  return found;
}

/** WORKSPACE-GUARD-2. */
async function settle(
  root: string,
  before: Scan,
  quarantine: string,
  taken: QuarantinedFile[],
): Promise<string[]> {
  const said: string[] = [];
  const after = await scan(root, { isLenient: true });
  const isKept = (known: GuardedFile): boolean => {
    const now = after.get(keyOf(known));
    return now !== undefined && isSound(known, now);
  };
  const displaced = new Map(
    [...before.values()].filter((known) => !isKept(known)).map((known) => [known.identity, known]),
  );
  const found: Moved[] = [];
  for (const now of after.values()) {
    const known = before.get(keyOf(now));
    const original = displaced.get(now.identity);
    if (known !== undefined && isSound(known, now)) {
      if (await putBackBytes(root, known, now)) said.push(`${now.path} was restored`);
    } else if (original !== undefined) {
      found.push({ from: now, to: original });
    } else if (hasPower(known, now)) {
      taken.push(await takeAway(root, now, quarantine));
      said.push(`${now.path} was moved to quarantine`);
    }
  }
  await moveBack(root, found);
  return [...said, ...found.map(({ from, to }) => `${from.path} was moved back to ${to.path}`)];
}

/** The same file, or one that only a process outside can have put there (WORKSPACE-GUARD-3). */
const isSound = (known: GuardedFile, now: GuardedFile): boolean =>
  (known.bind !== "none" && known.parent === now.parent) ||
  (known.identity === now.identity && known.kind === now.kind && known.target === now.target);

/** New ones. Git makes settings and todo lists by itself; most of them say nothing that it would run. */
function hasPower(known: GuardedFile | undefined, now: GuardedFile): boolean {
  const { path, kind, bytes, bind, isSampleOnly = false } = now;
  const name = basename(path);
  if (kind === "folder") return bind !== "pinned" && !isSampleOnly;
  if (kind !== "file" || bytes === undefined) return true;
  if (name === "git-rebase-todo") return /^\s*(x|exec)\s/m.test(bytes.toString("utf8"));
  if (!name.startsWith("config")) return true;
  const settings = powerInGitConfig(known?.bytes?.toString("utf8") ?? "", bytes.toString("utf8"));
  return settings?.some((setting) => !NEW_REPOSITORY.test(setting)) ?? false;
}

/** What `git clone` writes: where it came from. */
const NEW_REPOSITORY = /^(remote\.[^.]*\.(url|fetch)|core\.bare|submodule\.active)$/;

/** By another name of the same file. */
async function putBackBytes(root: string, known: GuardedFile, now: GuardedFile): Promise<boolean> {
  const { bytes } = known;
  if (bytes === undefined || known.identity !== now.identity || now.bytes === undefined)
    return false;
  if (bytes.equals(now.bytes) || !hasPower(known, now)) return false;
  await writeFile(pathOf(root, now.where), bytes);
  return true;
}

async function takeAway(
  root: string,
  now: GuardedFile,
  quarantine: string,
): Promise<QuarantinedFile> {
  const to = join(quarantine, `${Date.now()}-${process.hrtime.bigint()}`, now.path);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await using place = await reach(root, now);
  await cp(place.path, to, { recursive: true, verbatimSymlinks: true, force: false });
  await rm(place.path, { recursive: true, force: true });
  return { from: join(root, now.path), to };
}

const { O_DIRECTORY, O_RDONLY } = constants;

/** WORKSPACE-GUARD-4: a path in text to what has one in bytes only, for as long as the folder that it is in is held. */
async function reach(root: string, { path, where }: GuardedFile) {
  if (isText(where)) return { path: join(root, path), [Symbol.asyncDispose]: async () => {} };
  const parent = await open(parentOf(pathOf(root, where)), O_RDONLY | O_DIRECTORY);
  return {
    path: `/proc/self/fd/${parent.fd}/${basename(path)}`,
    [Symbol.asyncDispose]: () => parent.close(),
  };
}

const parentOf = (path: MachinePath): MachinePath =>
  typeof path === "string" ? dirname(path) : path.subarray(0, path.lastIndexOf("/"));

interface Moved {
  readonly from: GuardedFile;
  readonly to: GuardedFile;
}

/** Two folders may have changed places: all of them step aside first. */
async function moveBack(root: string, found: readonly Moved[]): Promise<void> {
  const aside = (index: number) => join(root, `.aos-moved-${process.pid}-${index}`);
  for (const [index, { from }] of found.entries())
    await rename(pathOf(root, from.where), aside(index));
  for (const [index, { to }] of found.entries()) {
    await mkdir(dirname(join(root, to.path)), { recursive: true }); // it was bound: its name is text
    await rename(aside(index), join(root, to.path));
  }
}
