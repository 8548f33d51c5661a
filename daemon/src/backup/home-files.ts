// Home files: what of a home is in a backup, beside the database and the signed log.
//
// HOME-FILES-1  Only plain files that lie in the home are read. A link is not followed, wherever it is and whenever it
//     was made: a program that runs meanwhile must not put a file of the machine into its own workspace by way of a
//     backup. Links are counted and left out.
// HOME-FILES-2  Nothing that an agent puts into its workspace stops a backup: a folder that cannot be read and a name
//     that is not UTF-8 are left out and counted, and a file that grows is read to the length that it had when it was opened.
// HOME-FILES-3  What a running daemon makes anew at each start, its log and its own copies of old databases are left
//     out; whatever else is in the home is in the backup.

import { constants } from "node:fs";
import { lstat, open, readdir, readlink, realpath, type FileHandle } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import type { Home } from "../home.ts";

const PIECE_BYTES = 1024 * 1024;

export interface HomeFile {
  /** Relative to the home. */
  readonly name: string;
  readonly mode: number;
  /** One with nothing in it. */
  readonly isFolder?: true;
  readonly content: AsyncIterable<Uint8Array>;
}

interface HomeWalk {
  readonly files: AsyncIterable<HomeFile>;
  /** How many links, special files and unreadable files were left out so far. */
  readonly skipped: () => number;
}

/** HOME-FILES-3. Names directly below the home. */
const LEFT_OUT: readonly RegExp[] = [
  /^aos\.db/,
  /^daemon\.(json|lock|log)/,
  /^backups$/,
  /\.(sock|half|new|part)$/,
];

/** The workspaces, which are large and go first; or all else of the home. */
export function homeFiles(home: Home, part: "workspaces" | "settings", not: string): HomeWalk {
  let skipped = 0;
  async function* below(root: string, folder: string): AsyncGenerator<HomeFile> {
    const names = await readdir(folder).catch(() => undefined);
    if (names === undefined) {
      skipped += 1; // HOME-FILES-2
      return;
    }
    if (names.length === 0) yield emptyFolder(home, folder);
    for (const name of names.toSorted()) {
      const path = join(folder, name);
      if (folder === home.folder && isLeftOut(home, name, part)) continue;
      if (path === not || path === home.socket || isSignedLog(home, path)) continue;
      const found = await lstat(path).catch(() => undefined);
      if (found === undefined) {
        if (name.includes("\uFFFD")) skipped += 1; // HOME-FILES-2; any other is gone meanwhile
        continue;
      }
      if (found.isDirectory()) yield* below(root, path);
      else {
        const file = found.isFile() ? await openPlain(root, path) : undefined;
        if (file === undefined) skipped += 1;
        else
          yield {
            name: nameOf(home, path),
            mode: found.mode & 0o777,
            content: contentOf(file),
          };
      }
    }
  }
  async function* files() {
    const start = part === "workspaces" ? home.work : home.folder;
    const isThere = (await lstat(start).catch(() => undefined))?.isDirectory() === true;
    if (isThere) yield* below(await realpath(home.folder), start);
  }
  return { files: files(), skipped: () => skipped };
}

const nameOf = (home: Home, path: string): string =>
  relative(home.folder, path).split(sep).join("/");

const emptyFolder = (home: Home, folder: string): HomeFile => ({
  name: nameOf(home, folder),
  mode: 0o700,
  isFolder: true,
  content: nothing(),
});

async function* nothing(): AsyncGenerator<Uint8Array> {}

const isLeftOut = (home: Home, name: string, part: "workspaces" | "settings"): boolean =>
  part === "settings" &&
  (name === basename(home.work) || LEFT_OUT.some((pattern) => pattern.test(name)));

const isSignedLog = (home: Home, path: string): boolean =>
  path === home.audit || path === `${home.audit}.intents`;

/** HOME-FILES-1. Where the system can say what was opened, that counts. */
async function openPlain(root: string, path: string): Promise<FileHandle | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  const real = await readlink(`/proc/self/fd/${file.fd}`).catch(() =>
    realpath(path).catch(() => ""),
  );
  if ((await file.stat()).isFile() && real.startsWith(`${root}${sep}`)) return file;
  await file.close();
  return undefined;
}

async function* contentOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  try {
    let rest = (await file.stat()).size; // HOME-FILES-2
    while (rest > 0) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const { bytesRead } = await file.read(piece, 0, Math.min(rest, PIECE_BYTES));
      if (bytesRead === 0) return;
      rest -= bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** The files of the signed log, while it is still. */
export async function* signedLogFiles(home: Home): AsyncGenerator<HomeFile> {
  async function* below(folder: string): AsyncGenerator<HomeFile> {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) yield* below(path);
      else if (entry.isFile())
        yield {
          name: nameOf(home, path),
          mode: 0o600,
          content: contentOf(await open(path, "r")),
        };
    }
  }
  const isThere = async (path: string) => (await lstat(path).catch(() => undefined)) !== undefined;
  if (await isThere(home.audit)) yield* below(home.audit);
  const intents = `${home.audit}.intents`;
  if (await isThere(intents))
    yield { name: basename(intents), mode: 0o600, content: contentOf(await open(intents, "r")) };
}
