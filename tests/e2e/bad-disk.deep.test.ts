// Disks that are full, read-only or in use by another: a daemon that starts says so in one line and ends;
// one that runs says so, takes nothing meanwhile, and goes on from the disk.
// They are made with mounts, which need root; elsewhere those tests are skipped.

import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../helpers/kernel.ts";
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
  expect(mount("-t", "tmpfs", "-o", `mode=700,${options}`, "tmpfs", place)).toBe(true);
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

test.skipIf(!canMount)("a home on a read-only file system is refused with a hint", async () => {
  mountTmpfs(home.folder, "ro,size=1m");

  await expectRefusal(/^aos: the home .* is on a read-only file system/);
});

test.skipIf(!canMount)("a home on a full disk is refused with a hint", async () => {
  mountTmpfs(home.folder, "size=32k");

  await expectRefusal(/^aos: .*(space|full)/);
});

/** To the last byte. */
function fill(file: string): void {
  const ballast = openSync(file, "w");
  try {
    for (;;) writeSync(ballast, Buffer.alloc(1024));
  } catch (error) {
    expect(error).toMatchObject({ code: "ENOSPC" });
  } finally {
    closeSync(ballast);
  }
}

const isReady = async () => {
  const status = await home.aos("status", "-o", "json");
  return !Object.hasOwn(status.json() as object, "trouble");
};

test.skipIf(!canMount)(
  "a disk that fills up under a daemon: it stays, says why, and goes on with space",
  async () => {
    mountTmpfs(home.folder, "size=3m");
    const ballast = join(home.folder, "ballast");
    await home.aos("run", "examples/hello", "before");
    const daemon = daemonPid(home.folder);

    fill(ballast);
    const full = await home.aos("run", "examples/hello", "meanwhile");
    const status = await home.aos("status", "-o", "json");
    const second = await home.aos("up", "-d");
    rmSync(ballast);
    await until(isReady);
    const again = await home.aos("run", "examples/hello", "after");
    const audit = await home.aos("audit", "verify", "-o", "json");
    fill(ballast);
    await home.aos("run", "examples/hello", "once more");
    const down = await home.aos("down");

    expect(full.stderr).toMatch(/^aos: there is no space left for .*\nhint: /m);
    expect(full.code).toBe(1);
    expect(status.json()).toMatchObject({
      daemon: { pid: daemon },
      trouble: expect.stringMatching(/^there is no space left for /) as string,
    });
    expect(second.stderr).toContain(`is up already (pid ${daemon})`);
    expect(again.stdout).toContain("after");
    expect(audit.json()).toMatchObject({ ok: true });
    expect(down.code).toBe(0);
    expect(daemonPid(home.folder)).toBeUndefined();
  },
);

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

test.skipIf(!canMount)(
  "an archive on a full disk takes nothing, and nothing is removed",
  async () => {
    const place = join(home.folder, "..", "archive");
    mkdirSync(place);
    mountTmpfs(place, "size=200k");
    writeFileSync(join(home.folder, "config.yaml"), `retention: { archive: ${place} }\n`);
    await home.aos("run", "examples/hello", "hi");

    const refused = await home.aos("archive", "@last");

    expect(refused.stderr).toMatch(
      /^aos: the archive .* takes no runs: its disk is full\nhint: nothing/,
    );
    expect(refused.code).toBe(1);
    expect((await home.aos("replay", "@last")).stdout).toContain("identical");
    expect((await home.aos("audit", "verify")).code).toBe(0);
    expect((await home.aos("archive", "ls", "-o", "json")).json()).toEqual([]);
  },
);
