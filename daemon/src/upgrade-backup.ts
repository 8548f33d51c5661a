// Upgrade backup: copies the database and its signed log before a release changes the schema.
//
//   $AOS_HOME/backups/20261116T023012Z-schema-4/    aos.db, audit/, backup.json
//
// UPGRADE-BACKUP-1  The backup is complete and on the disk before the database is changed: without space for it
//     nothing starts.
// UPGRADE-BACKUP-2  A database of a newer release is refused with the name of the usable backup.
// UPGRADE-BACKUP-3  The newest `backups.keep` are kept; 0 makes none.

import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { copyDatabase, schemaOfFile } from "@aos/kernel";
import { SysError } from "@aos/protocol";
import type { Home } from "./home.ts";
import { DAEMON_VERSION } from "./version.ts";

const SPARE_BYTES = 16 * 1024 * 1024;
const NAME = /^\d{8}T\d{6}Z-schema-(\d+)$/;

interface Options {
  readonly keep: number;
  readonly say: (what: string, more: object) => void;
  /** Bytes that are free where a folder lies. */
  readonly freeBytes?: (folder: string) => number;
}

/** To be called with the home locked and the database closed. */
export function backUpBeforeUpgrade(home: Home, options: Options): void {
  if (!existsSync(home.database) || statSync(home.database).size === 0) return;
  const { found, ours } = schemaOfFile(home.database);
  if (found > ours) throw newer(home, found, ours); // UPGRADE-BACKUP-2
  if (found === 0 || found === ours) return;
  const change = `the database of ${home.folder} goes from schema ${found} to ${ours}`;
  if (options.keep === 0) return options.say(`${change}, without a backup (backups.keep is 0)`, {});
  const folder = backUp(home, found, options);
  options.say(`${change}; before that it was backed up`, { backup: folder });
  for (const old of backupsOf(home).slice(0, -options.keep))
    rmSync(join(home.backups, old), { recursive: true, force: true });
}

function backUp(home: Home, schema: number, { freeBytes = free }: Options): string {
  mkdirSync(home.backups, { recursive: true, mode: 0o700 });
  const needed =
    SPARE_BYTES +
    [home.database, `${home.database}-wal`, home.audit].reduce(
      (sum, path) => sum + sizeOf(path),
      0,
    );
  const left = freeBytes(home.backups);
  if (left < needed) throw noSpace(home, needed, left); // UPGRADE-BACKUP-1
  const at = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const folder = join(home.backups, `${at}-schema-${schema}`);
  const half = `${folder}.half`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { mode: 0o700 });
  copyDatabase(home.database, join(half, "aos.db"));
  chmodSync(join(half, "aos.db"), 0o600);
  if (existsSync(home.audit)) cpSync(home.audit, join(half, "audit"), { recursive: true });
  const about = { schema, at, before: DAEMON_VERSION };
  writeFileSync(join(half, "backup.json"), `${JSON.stringify(about)}\n`, { mode: 0o600 });
  for (const name of ["aos.db", "backup.json"]) sync(join(half, name));
  renameSync(half, folder);
  sync(home.backups);
  return folder;
}

function backupsOf(home: Home): string[] {
  if (!existsSync(home.backups)) return [];
  return readdirSync(home.backups)
    .filter((name) => NAME.test(name))
    .toSorted();
}

/** UPGRADE-BACKUP-2. */
function newer(home: Home, found: number, ours: number): SysError {
  const usable = backupsOf(home).findLast((name) => Number(NAME.exec(name)![1]) <= ours);
  const message = `the database ${home.database} has schema ${found}, and Agent OS ${DAEMON_VERSION} knows schemas up to ${ours}: a newer release wrote it`;
  if (usable === undefined)
    return new SysError("ESTORE", message, {
      hint: `use that release, or another AOS_HOME; there is no backup of an earlier schema in ${home.backups}`,
    });
  const folder = join(home.backups, usable);
  const { before } = JSON.parse(readFileSync(join(folder, "backup.json"), "utf8")) as {
    before: string;
  };
  return new SysError("ESTORE", message, {
    hint:
      `use that release; or go back to how it was before ${before} was first started, which forgets everything since: ` +
      `move aos.db, aos.db-wal, aos.db-shm and audit out of ${home.folder} and copy aos.db and audit from ${folder}`,
    detail: { backup: folder },
  });
}

function noSpace(home: Home, needed: number, left: number): SysError {
  const mb = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MB`;
  return new SysError(
    "ESTORE",
    `the database is of an earlier release, and there is no space to back it up before it is changed: ${mb(needed)} are needed in ${home.backups}, ${mb(left)} are free`,
    { hint: "free some space; or go without a backup: `backups: { keep: 0 }` in config.yaml" },
  );
}

function sizeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

function free(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function sync(path: string): void {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}
