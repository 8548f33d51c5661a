import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { bootKernel, schemaOfFile } from "@aos/kernel";
import type { SysError } from "@aos/protocol";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { homeOf, type Home } from "./home.ts";
import { backUpBeforeUpgrade } from "./upgrade-backup.ts";

const journals = join(import.meta.dirname, "../../tests/fixtures/journals/v1");
let home: Home;
let said: string[];

const start = (more: { keep?: number; freeBytes?: () => number } = {}) =>
  backUpBeforeUpgrade(home, { keep: 3, say: (what) => said.push(what), ...more });

const failure = (act: () => void): SysError => {
  try {
    act();
  } catch (error) {
    return error as SysError;
  }
  throw new Error("nothing was thrown");
};

beforeEach(() => {
  said = [];
  const folder = mkdtempSync(join(tmpdir(), "aos-backup-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  home = homeOf({ AOS_HOME: folder });
  for (const name of ["aos.db", "aos.db-wal", "audit"])
    cpSync(join(journals, name), join(folder, name), { recursive: true });
  chmodSync(home.database, 0o644);
});

async function upgrade(): Promise<void> {
  const kernel = await bootKernel({ store: { file: home.database } });
  await kernel.close();
}

test("an earlier database is copied whole, with its signed log, before it is changed (UPGRADE-BACKUP-1)", async () => {
  const before = schemaOfFile(home.database).found;
  start();
  await upgrade();

  const [name] = readdirSync(home.backups);
  const backup = join(home.backups, name!);
  expect(schemaOfFile(join(backup, "aos.db")).found).toBe(before);
  expect(schemaOfFile(home.database).found).toBeGreaterThan(before);
  expect(existsSync(join(backup, "audit", "checkpoint"))).toBe(true);
  expect(statSync(join(backup, "aos.db")).mode & 0o777).toBe(0o600);
  const rows = (file: string) => {
    const db = new DatabaseSync(file);
    const { n } = db.prepare("select count(*) as n from journal").get()!;
    db.close();
    return n;
  };
  expect(rows(join(backup, "aos.db"))).toBe(rows(home.database)); // what was in the WAL too
  expect(said).toEqual([expect.stringContaining("it was backed up")]);
});

test("a database of this release, a new home and `keep: 0` make no backup", async () => {
  start({ keep: 0 });
  expect(said).toEqual([expect.stringContaining("without a backup")]);
  await upgrade();
  start();
  rmSync(home.database);
  start();

  expect(existsSync(home.backups)).toBe(false);
});

test("without the space for it nothing is touched, and it is said how much is missing (UPGRADE-BACKUP-1)", () => {
  const before = readFileSync(home.database);

  const error = failure(() => start({ freeBytes: () => 1024 }));

  expect(error).toMatchObject({
    code: "ESTORE",
    message: expect.stringMatching(/\d+ MB are needed/) as string,
  });
  expect(readdirSync(home.backups)).toEqual([]);
  expect(readFileSync(home.database)).toEqual(before);
});

test("a newer database is refused with the backup to go back to (UPGRADE-BACKUP-2)", async () => {
  start();
  await upgrade();
  const db = new DatabaseSync(home.database);
  db.exec("insert into aos_version values (999, 'later')");
  db.close();

  const error = failure(() => start());

  expect(error.message).toContain("a newer release wrote it");
  expect(error.hint).toContain(join(home.backups, readdirSync(home.backups)[0]!));
  rmSync(home.backups, { recursive: true });
  expect(failure(() => start()).hint).toContain("there is no backup");
});

test("the newest are kept (UPGRADE-BACKUP-3)", () => {
  for (const day of ["01", "02", "03", "04"])
    cpSync(journals, join(home.backups, `202001${day}T000000Z-schema-1`), { recursive: true });

  start({ keep: 2 });

  expect(readdirSync(home.backups).toSorted()).toEqual([
    "20200104T000000Z-schema-1",
    expect.stringMatching(/-schema-\d$/),
  ]);
});
