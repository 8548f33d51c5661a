// ArchiveFolder: bundles that finished runs leave the database for. `retention.archive` in config.yaml names the folder.
//
//   FOLDER/TENANT/TIME_FIRST_LAST.bundle   runs of one tenant, whose pids are from FIRST to LAST
//   FOLDER/TENANT/TIME_FIRST_LAST.json     what is in it; made again from the bundle where it is missing
//
// ARCHIVE-FOLDER-1  `keep` resolves once the bundle and its name are on the disk, and the bundle was read back from there
//     and compared with the store. Of one that fails nothing stays.
// ARCHIVE-FOLDER-2  Folders have mode 0700 and are the daemon's own, files have 0600. The sandbox hides them.
// ARCHIVE-FOLDER-3  A folder outside the home is never made: where a disk is not mounted, nothing goes to the disk below.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, open, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { join, sep } from "node:path";
import {
  SCHEMA_VERSION,
  type ArchiveBatch,
  type ArchivedBundle,
  type RunArchive,
} from "@aos/kernel";
import { SysError, type ArchivedRun } from "@aos/protocol";
import type { Home } from "../home.ts";
import { openBundle, packBundle } from "./bundle.ts";

const SCRATCH = ".scratch-";
/** Then it is what a daemon left that was killed. */
const STALE_MS = 3_600_000;
const NEARLY_FULL_BYTES = 1024 * 1024;
const NAME = /^\d{8}T\d{9}Z_(agt_[0-9a-z]+)_(agt_[0-9a-z]+)\.bundle$/;

export interface BundleName {
  readonly tenant: string;
  /** Within the folder of the archive. */
  readonly bundle: string;
  readonly first: string;
  readonly last: string;
}

type Contents = readonly Omit<ArchivedRun, "bundle">[];

export class ArchiveFolder implements RunArchive {
  readonly folder: string;
  readonly #isOurs: boolean;

  constructor(folder: string, home: Pick<Home, "folder">) {
    this.folder = folder;
    this.#isOurs = folder.startsWith(home.folder + sep);
  }

  async keep(batch: ArchiveBatch): Promise<ArchivedBundle> {
    const pids = batch.runs.map(({ pid }) => pid).toSorted();
    const time = new Date().toISOString().replaceAll(/[-:.]/g, "");
    const bundle = `${batch.tenant}/${time}_${pids[0]}_${pids.at(-1)}.bundle`;
    const file = join(this.folder, bundle);
    const scratch = await this.scratch();
    try {
      await this.#prepare(batch.tenant);
      const database = join(scratch, "written.db");
      const { runs, records } = await batch.write(database);
      const about = { schema: SCHEMA_VERSION, runs, records, signer: batch.signer };
      const half = join(scratch, "half");
      await packBundle({ database, half, file, about, sign: batch.sign });
      try {
        await this.#compare(file, scratch, batch); // ARCHIVE-FOLDER-1
        await this.writeContents(bundle, batch.runs);
        return { bundle, sha256: await digestOfFile(file) };
      } catch (error) {
        await rm(file, { force: true });
        throw error;
      }
    } catch (error) {
      throw await this.#failure(error);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }

  async has(tenant: string, pids: readonly string[]): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for (const name of await this.names(tenant)) {
      const between = pids.filter((pid) => name.first <= pid && pid <= name.last);
      if (between.length === 0) continue;
      const inside = new Set((await this.contents(name.bundle))?.map(({ pid }) => pid as string));
      for (const pid of between) if (inside.has(pid)) found.add(pid);
    }
    return found;
  }

  /** Newest first, by the time at which they were made. */
  async names(tenant?: string): Promise<BundleName[]> {
    const tenants = tenant === undefined ? await namesIn(this.folder) : [tenant];
    const all: BundleName[] = [];
    for (const one of tenants.filter((name) => !name.startsWith(".")))
      for (const name of await namesIn(join(this.folder, one))) {
        const [, first, last] = NAME.exec(name) ?? [];
        if (first !== undefined && last !== undefined)
          all.push({ tenant: one, bundle: `${one}/${name}`, first, last });
      }
    const time = ({ bundle, tenant: of }: BundleName) => bundle.slice(of.length);
    return all.toSorted((a, b) => (time(a) < time(b) ? 1 : -1));
  }

  /** Undefined where that is not known without the bundle. */
  async contents(bundle: string): Promise<Contents | undefined> {
    try {
      const pieces: Buffer[] = [];
      for await (const piece of createReadStream(this.#contentsFile(bundle)))
        pieces.push(piece as Buffer);
      const read = JSON.parse(Buffer.concat(pieces).toString("utf8")) as Contents;
      return Array.isArray(read) ? read : undefined;
    } catch {
      return undefined;
    }
  }

  async writeContents(bundle: string, runs: Contents): Promise<void> {
    const file = this.#contentsFile(bundle);
    const half = `${file}.new`;
    await rm(half, { force: true });
    const out = await open(half, "wx", 0o600);
    try {
      await out.writeFile(`${JSON.stringify(runs)}\n`);
      await out.sync();
    } finally {
      await out.close();
    }
    await rename(half, file);
    await syncFolder(join(file, "..")); // the bundle's name too
  }

  /** A folder on the disk of the archive, for whoever removes it. */
  async scratch(): Promise<string> {
    try {
      if (this.#isOurs) await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await this.#removeStale();
      return await mkdtemp(join(this.folder, SCRATCH));
    } catch (error) {
      throw await this.#failure(error);
    }
  }

  async #prepare(tenant: string): Promise<void> {
    const folder = join(this.folder, tenant);
    await mkdir(folder, { mode: 0o700 }).then(
      () => syncFolder(this.folder),
      (error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
      },
    );
    const { mode, uid } = await stat(folder);
    if ((mode & 0o077) !== 0 || uid !== process.getuid?.())
      throw new SysError("EACCES", `${folder} is open to other users of this machine`, {
        hint: `chmod 700 ${folder}; it must belong to the user that the daemon runs as`,
      }); // ARCHIVE-FOLDER-2
  }

  async #compare(file: string, scratch: string, batch: ArchiveBatch): Promise<void> {
    const into = join(scratch, "read");
    await mkdir(into);
    const { database, signer } = await openBundle(file, into, SCHEMA_VERSION);
    if (signer !== batch.signer) throw new SysError("ECORRUPT", `${file} has another signer`);
    await batch.compare(database);
  }

  async #removeStale(): Promise<void> {
    for (const name of await namesIn(this.folder)) {
      if (!name.startsWith(SCRATCH)) continue;
      const path = join(this.folder, name);
      const made = (await stat(path).catch(() => undefined))?.mtimeMs ?? Infinity;
      if (Date.now() - made > STALE_MS) await rm(path, { recursive: true, force: true });
    }
  }

  #contentsFile(bundle: string): string {
    return join(this.folder, bundle.replace(/\.bundle$/, ".json"));
  }

  /** What keeps the archive from taking runs, in its own words; any other failure as it is. */
  async #failure(error: unknown): Promise<unknown> {
    const { code } = error as NodeJS.ErrnoException;
    // A database that is being written fails as the store does, where the disk is full.
    const isFull = code === "ENOSPC" || (code === "ESTORE" && (await this.#isFull()));
    if (error instanceof SysError && !isFull) return error;
    const isMissing = code === "ENOENT";
    const reason = isFull
      ? "its disk is full"
      : isMissing
        ? "it is not there"
        : (error as Error).message;
    return new SysError("ESTATE", `the archive ${this.folder} takes no runs: ${reason}`, {
      hint: isMissing
        ? "nothing was removed; mount its disk, or make the folder (mkdir -m 700)"
        : "nothing was removed; check its disk: the daemon tries again",
    });
  }

  async #isFull(): Promise<boolean> {
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize < NEARLY_FULL_BYTES;
  }
}

export async function digestOfFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest("hex");
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

async function syncFolder(folder: string): Promise<void> {
  const opened = await open(folder, "r");
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
