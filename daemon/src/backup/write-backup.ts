// Write backup: one file with everything that a home has, while agents run.
//
//   await writeBackup(kernel, home, { file, passphrase, onProgress });
//
// In this order: workspaces, signed log, database, the rest of the home. What comes first is older than what comes last,
// and each is at least as new as what refers to it.
//
// BACKUP-1  Everything is sealed under the passphrase: no key, token or journal leaves the home readable.
// BACKUP-2  The file is there whole, with mode 0600, or not at all; one that is there already is never replaced.
// BACKUP-3  Whatever was acknowledged before `endedAt` of the report is in it.

import { createWriteStream } from "node:fs";
import { link, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { dirname, join } from "node:path";
import { SysError, type BackupReport } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import type { Home } from "../home.ts";
import { DAEMON_VERSION } from "../version.ts";
import { ArchiveWriter } from "./archive.ts";
import { BACKUP_FORMAT, BACKUP_MAGIC, signedText } from "./backup-format.ts";
import { fileFailure } from "./file-failure.ts";
import { homeFiles, signedLogFiles, type HomeFile } from "./home-files.ts";
import { MIN_PASSPHRASE, SealedWriter } from "./sealed-file.ts";

export interface BackupProgress {
  readonly doing: string;
  readonly bytes: number;
}

interface Wishes {
  /** Absolute. */
  readonly file: string;
  readonly passphrase: string;
  readonly schema: number;
  readonly onProgress?: (progress: BackupProgress) => void;
  readonly signal?: AbortSignal;
}

export async function writeBackup(
  kernel: Pick<Kernel, "backUp">,
  home: Home,
  { file, passphrase, schema, onProgress = () => {}, signal }: Wishes,
): Promise<BackupReport> {
  checkPassphrase(passphrase);
  await mustNotExist(file);
  const startedAt = Date.now();
  const half = `${file}.part`;
  await mkdir(home.backups, { recursive: true, mode: 0o700 });
  const scratch = join(home.backups, `.scratch-${process.pid}-${startedAt}.db`);
  const out = createWriteStream(half, { flags: "wx", mode: 0o600, flush: true });
  const isClosed = finished(out);
  isClosed.catch(() => {}); // said by whoever writes, and below
  let isOurs = false; // `half` is there, and nobody else's
  out.once("open", () => (isOurs = true));
  try {
    const about = {
      format: BACKUP_FORMAT,
      version: DAEMON_VERSION,
      schema,
      createdAt: new Date(startedAt).toISOString(),
    };
    const sealed = await SealedWriter.begin(out, BACKUP_MAGIC, about, passphrase);
    let bytes = 0;
    const archive = new ArchiveWriter(async (piece) => {
      signal?.throwIfAborted();
      bytes += piece.length;
      await sealed.write(piece);
    });
    const add = async (doing: string, files: AsyncIterable<HomeFile>) => {
      for await (const { name, content, mode, isFolder = false } of files) {
        onProgress({ doing, bytes });
        await archive.add(`home/${name}`, content, { mode, isFolder });
      }
    };
    const work = homeFiles(home, "workspaces", file);
    await add("workspaces", work.files);
    const { store, node, endedAt, sign } = await kernel.backUp({
      scratch,
      signedLog: () => add("signed log", signedLogFiles(home)),
      file: (name, content) => {
        onProgress({ doing: "database", bytes });
        return archive.add(`home/${name}`, content);
      },
    });
    const rest = homeFiles(home, "settings", file);
    await add("settings", rest.files);
    const manifest = { ...about, store, node, endedAt, home: home.folder };
    await archive.end({ ...manifest, signature: sign(signedText(manifest, archive.files)) });
    await sealed.end();
    out.end();
    await isClosed;
    await place(half, file);
    return {
      file,
      bytes: out.bytesWritten,
      files: archive.files.length,
      skipped: work.skipped() + rest.skipped(),
      store,
      schema,
      version: DAEMON_VERSION,
      startedAt: new Date(startedAt).toISOString(),
      endedAt: new Date(endedAt).toISOString(),
    };
  } catch (error) {
    out.destroy();
    await isClosed.catch(() => {});
    if (isOurs) await rm(half, { force: true });
    throw fileFailure(error, `the backup ${file} was not made`);
  }
}

export function checkPassphrase(passphrase: string): void {
  if (passphrase.length >= MIN_PASSPHRASE) return;
  throw new SysError("EINVAL", `a passphrase has at least ${MIN_PASSPHRASE} characters`);
}

async function mustNotExist(file: string): Promise<void> {
  const found = await lstat(file).catch(() => undefined);
  if (found !== undefined)
    throw new SysError("EEXIST", `${file} already exists`, {
      hint: "a backup never replaces another file: choose another name, or remove it",
    });
}

/** BACKUP-2. A link fails where there is something; some file systems have none. */
async function place(half: string, file: string): Promise<void> {
  try {
    await link(half, file);
    await rm(half);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    await mustNotExist(file);
    await rename(half, file);
  }
  const folder = await open(dirname(file), "r");
  await folder.sync().catch(() => {}); // not every file system can
  await folder.close();
}
