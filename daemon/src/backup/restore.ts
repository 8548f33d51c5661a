// Restore: a home out of a backup, verified before it is one.
//
//   unpack into a folder beside the home → audit → replay of every run → one rename
//
// RESTORE-1  A home that has runs is never touched, and one that a daemon holds neither.
// RESTORE-2  Until the rename nothing is where the home is: whatever fails before leaves what was there, and no rest.
// RESTORE-3  What the audit or a replay finds wrong is not restored, unless that is asked for.

import { createPrivateKey, createPublicKey, verify } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { migrateToPostgres, SCHEMA_VERSION, type KernelExamination } from "@aos/kernel";
import { SysError, type RestoreReport } from "@aos/protocol";
import { homeOf, type Home } from "../home.ts";
import { lockHome } from "../home-lock.ts";
import type { ArchivedFile } from "./archive.ts";
import { readBackupHeader, signedText } from "./backup-format.ts";
import { chooseDatabase } from "./choose-database.ts";
import { examineHome } from "./examine-home.ts";
import { mustBeUnused } from "./unused-home.ts";
import { unpackBackup } from "./unpack.ts";
import { checkPassphrase } from "./write-backup.ts";

export interface RestoreOptions {
  readonly file: string;
  readonly passphrase: string;
  /** `sqlite`, or a URL; what the backup's own configuration says, unless said. */
  readonly database?: string;
  /** Also what an audit or a replay finds wrong. */
  readonly force?: boolean;
  readonly skipReplay?: boolean;
  /** Everything but the rename. */
  readonly dryRun?: boolean;
}

type OnProgress = (doing: string, done: number, of?: number) => void;

export async function restore(
  home: Home,
  options: RestoreOptions,
  env: Readonly<Record<string, string | undefined>>,
  onProgress: OnProgress,
): Promise<RestoreReport> {
  const { file, passphrase, dryRun = false } = options;
  const header = await readBackupHeader(file, SCHEMA_VERSION);
  checkPassphrase(passphrase);
  mustBeUnused(home); // RESTORE-1
  const parent = dirname(resolve(home.folder));
  mkdirSync(parent, { recursive: true });
  const half = `${resolve(home.folder)}.restoring-${process.pid}`;
  makeEmpty(half);
  try {
    const manifest = await unpackBackup(file, passphrase, half, (bytes) =>
      onProgress("unpack", bytes),
    );
    const there = homeOf({ AOS_HOME: half });
    mustBeSigned(there, manifest, file);
    const database = chooseDatabase(there, env, options.database);
    const examined = await examineHome(there, env, {
      replays: options.skipReplay !== true,
      onProgress,
    });
    const count = (outcome: string) =>
      examined.runs.filter((run) => run.outcome === outcome).length;
    if (options.force !== true) mustBeSound(examined); // RESTORE-3
    noteRestored(there, header, manifest);
    const put = () => replaceHome(home, half);
    let movedAside: string | null = null;
    if (!dryRun) {
      if (database === undefined) movedAside = put();
      else movedAside = await toServer(home, there, database, put, onProgress);
    }
    return {
      home: home.folder,
      dryRun,
      version: header.version,
      schema: header.schema,
      endedAt: new Date(manifest["endedAt"] as number).toISOString(),
      database: database === undefined ? "sqlite" : "postgres",
      processes: examined.processes,
      living: examined.living,
      records: examined.audit.records,
      identical: count("identical"),
      compacted: count("compacted"),
      notReplayed: examined.runs.filter(({ outcome }) => outcome === "not-replayed"),
      different: examined.runs.filter(({ outcome }) => outcome === "different"),
      findings: [...examined.audit.findings],
      movedAside,
    };
  } finally {
    rmSync(half, { recursive: true, force: true }); // RESTORE-2
  }
}

function makeEmpty(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SysError("ESTORE", `the folder ${folder} cannot be made (${code})`, {
      hint: "a home is restored beside its place and then renamed: its parent folder must be writable",
    });
  }
}

/** Whoever knows the passphrase could have written the file: the key of the signed log says that its owner did. */
function mustBeSigned(home: Home, manifest: Readonly<Record<string, unknown>>, file: string): void {
  const { signature, files, ...about } = manifest as {
    signature: string | null;
    files: ArchivedFile[];
  };
  if (signature === null || !existsSync(home.key)) return;
  const [, bytes = ""] = signature.split(":");
  const key = createPublicKey(createPrivateKey(readFileSync(home.key)));
  const text = signedText(about, files);
  if (verify(null, Buffer.from(text), key, Buffer.from(bytes, "base64"))) return;
  throw new SysError("EINVAL", `${file} was not signed with the key that it contains`, {
    hint: "use another one",
  });
}

function mustBeSound({ audit, runs }: KernelExamination): void {
  const hint = "nothing was restored; --force restores it all the same";
  const [finding] = audit.findings;
  if (finding !== undefined)
    throw new SysError(
      "ECORRUPT",
      `the audit of the backup has ${audit.findings.length} findings: ${finding.message}`,
      { hint },
    );
  const different = runs.filter(({ outcome }) => outcome === "different");
  if (different.length > 0)
    throw new SysError(
      "ECORRUPT",
      `${different.length} runs of the backup do not replay as recorded: ${different[0]!.pid}`,
      { hint },
    );
}

/** For the next daemon, which enters it in the ledger: this history was continued from a copy. */
function noteRestored(
  home: Home,
  header: object,
  manifest: Readonly<Record<string, unknown>>,
): void {
  const { node, endedAt, home: from } = manifest;
  const note = { ...header, kdf: undefined, node, endedAt, from, restoredAt: Date.now() };
  writeFileSync(home.restored, `${JSON.stringify(note)}\n`, { mode: 0o600 });
}

/** The rows go to the server in one transaction, which counts once the home is in its place. */
async function toServer(
  home: Home,
  there: Home,
  url: string,
  put: () => string | null,
  onProgress: OnProgress,
): Promise<string | null> {
  let placed: { readonly aside: string | null } | undefined;
  const beforeCommit = () => {
    for (const end of ["", "-wal", "-shm", "-lock"])
      rmSync(`${there.database}${end}`, { force: true });
    placed = { aside: put() };
  };
  const tell = (table: string, rows: number) => onProgress(`copy ${table}`, rows);
  try {
    await migrateToPostgres({ file: there.database, url, onProgress: tell, beforeCommit });
  } catch (error) {
    if (placed !== undefined) rmSync(home.folder, { recursive: true, force: true });
    if (placed?.aside !== null && placed !== undefined) renameSync(placed.aside, home.folder);
    throw error;
  }
  return placed?.aside ?? null;
}

/** RESTORE-2. A home without runs is kept aside: it may have settings that somebody wants back. */
function replaceHome(home: Home, half: string): string | null {
  const place = resolve(home.folder);
  if (!existsSync(place)) {
    renameSync(half, place);
    return null;
  }
  const lock = lockHome(home); // RESTORE-1
  try {
    mustBeUnused(home);
    const isEmpty = readdirSync(place).every((name) => name.startsWith("daemon.lock"));
    const aside = `${place}.before-restore-${Date.now()}`;
    renameSync(place, aside);
    try {
      renameSync(half, place);
    } catch (error) {
      renameSync(aside, place);
      throw error;
    }
    if (!isEmpty) return aside;
    rmSync(aside, { recursive: true, force: true });
    return null;
  } catch (error) {
    if (error instanceof SysError) throw error;
    throw new SysError(
      "ESTORE",
      `${place} cannot be replaced (${(error as NodeJS.ErrnoException).code})`,
      {
        hint: `nothing was restored; restore to another folder with --home, e.g. ${join(place, "home")}`,
      },
    );
  } finally {
    lock.release();
  }
}
