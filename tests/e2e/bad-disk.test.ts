// Disks that are full, read-only or in use by another: the daemon says so in one line and ends.
// They are made with mounts, which need root; elsewhere those tests are skipped.

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestHome, daemonPid, type TestHome } from "./home.ts";

const mount = (...words: string[]): boolean => spawnSync("/bin/mount", words).status === 0;
const canMount = mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", "/mnt");
if (canMount) spawnSync("/bin/umount", ["/mnt"]);

let home: TestHome;
let mounted: string[];

beforeEach(() => {
  home = createTestHome();
  mounted = [];
  mkdirSync(home.folder, { mode: 0o700 });
});
afterEach(async () => {
  await home.aos("down");
  for (const place of mounted.toReversed()) spawnSync("/bin/umount", ["-l", place]);
  await home.remove();
});

function mountTmpfs(place: string, options: string): void {
  expect(mount("-t", "tmpfs", "-o", options, "tmpfs", place)).toBe(true);
  mounted.push(place);
}

async function expectRefusal(said: RegExp): Promise<void> {
  const ran = await home.aos("up", "-d");

  expect(ran.stderr).toMatch(said);
  expect(ran.stderr).toMatch(/\nhint: .+\n$/);
  expect(ran.stderr).not.toMatch(/\n\s+at /);
  expect(ran.code).toBe(1);
  expect(daemonPid(home.folder)).toBeUndefined();
}

test.skipIf(!canMount)("a home on a read-only file system", async () => {
  mountTmpfs(home.folder, "ro,size=1m");

  await expectRefusal(/^aos: the home .* is on a read-only file system/);
});

test.skipIf(!canMount)("a home on a full disk", async () => {
  mountTmpfs(home.folder, "size=32k");

  await expectRefusal(/^aos: .*(space|full)/);
});

test.skipIf(!canMount)("a disk that fills up: it is said, and all goes on with space", async () => {
  mountTmpfs(home.folder, "size=1500k");
  await home.aos("run", "examples/hello", "before");
  writeFileSync(join(home.folder, "ballast"), Buffer.alloc(700 * 1024));
  const input = join(dirname(home.folder), "input");
  writeFileSync(input, randomBytes(300_000).toString("hex"));

  const full = await home.aos("run", "examples/hello", "--input", `@${input}`);
  rmSync(join(home.folder, "ballast"));
  const again = await home.aos("run", "examples/hello", "after");
  const audit = await home.aos("audit", "verify", "-o", "json");

  expect(full.stderr).toMatch(/^aos: there is no space left for .*aos\.db\nhint: /m);
  expect(full.code).toBe(1);
  expect(again.stdout).toContain("after");
  expect(audit.json()).toMatchObject({ ok: true });
});

test.skipIf(!canMount)("a database that is read-only", async () => {
  await home.aos("up", "-d");
  await home.aos("down");
  const database = join(home.folder, "aos.db");
  expect(mount("--bind", database, database)).toBe(true);
  mounted.push(database);
  expect(mount("-o", "remount,ro,bind", database)).toBe(true);

  await expectRefusal(/^aos: .*aos\.db cannot be written/);
});

test("a database that another program has locked", async () => {
  await home.aos("up", "-d");
  await home.aos("down");
  const other = new DatabaseSync(join(home.folder, "aos.db"));
  other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");

  await expectRefusal(/^aos: .*aos\.db is in use by another/);

  other.close();
});
