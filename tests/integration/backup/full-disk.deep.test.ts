// A disk that fills up in the middle of a backup, a restore, a migration, an export or an import: a clear error, and
// nothing half done. Each is tried on disks from too small for the first file to large enough.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { homeOf, importBundle, migrateHome } from "@aos/daemon/parts";
import { SysError } from "@aos/protocol";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { tryPostgres, type PostgresServer } from "../../helpers/postgres.ts";
import { backUpTo, exportTo, kernelOn, newFolder, restoreTo, usedHome } from "./backup-home.ts";

const mount = (...words: string[]): boolean => spawnSync("/bin/mount", words).status === 0;
const canMount = mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", "/mnt");
if (canMount) spawnSync("/bin/umount", ["/mnt"]);
const server = await tryPostgres();
const missing = "missing" in server ? server.missing : undefined;
afterAll(async () => {
  if ("stop" in server) await server.stop();
});

const SIZES_KB = [16, 64, 128, 192, 256, 320, 384, 448, 512, 640, 768, 1024, 1536, 2048, 4096];

function disk(kilobytes: number): string {
  const place = newFolder();
  const options = `mode=700,size=${kilobytes}k`;
  expect(mount("-t", "tmpfs", "-o", options, "tmpfs", place)).toBe(true);
  onTestFinished(() => void spawnSync("/bin/umount", ["-l", place]));
  return place;
}

const filesIn = (place: string): string[] =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name);

/** Tries it on every disk; what failed did so with an error of ours and left nothing. */
async function onEveryDisk(attempt: (place: string) => Promise<unknown>): Promise<void> {
  const outcomes: string[] = [];
  for (const size of SIZES_KB) {
    const place = disk(size);
    let outcome = "done";
    try {
      await attempt(place);
    } catch (error) {
      outcome = (error as SysError).code ?? "";
      expect({ size, error }).toEqual({ size, error: expect.any(SysError) });
      expect((error as SysError).message).toMatch(/space|full/);
      expect((error as SysError).hint).toBeTruthy();
      expect({ size, left: filesIn(place) }).toEqual({ size, left: [] });
    }
    outcomes.push(outcome);
  }
  // There were disks of both kinds, and none that was too small after one that was not.
  expect(outcomes[0]).not.toBe("done");
  expect(outcomes.at(-1)).toBe("done");
  expect(outcomes.slice(outcomes.indexOf("done")).every((one) => one === "done")).toBe(true);
}

test.skipIf(!canMount)("a backup", async () => {
  const { home, kernel } = await usedHome(20);

  await onEveryDisk((place) => backUpTo(kernel, home, join(place, "b")));

  expect(readdirSync(home.backups)).toEqual([]);
});

test.skipIf(!canMount)("a restore", async () => {
  const { home, kernel } = await usedHome(20);
  const file = join(newFolder(), "b");
  await backUpTo(kernel, home, file);

  await onEveryDisk((place) => restoreTo(join(place, "home"), file));
});

test.skipIf(!canMount)("a bundle", async () => {
  const { home, kernel } = await usedHome(20);

  await onEveryDisk((place) => exportTo(kernel, home, join(place, "b"), { agent: "hello" }));
});

test.skipIf(!canMount)("an import", async () => {
  const { home, kernel } = await usedHome(20);
  const file = join(newFolder(), "b");
  await exportTo(kernel, home, file, { agent: "hello" });

  await onEveryDisk((place) =>
    importBundle(homeOf({ AOS_HOME: join(place, "home") }), file, {}, () => {}),
  );
});

test.skipIf(!canMount || missing !== undefined)(
  `a migration back from PostgreSQL${missing ? ` (${missing})` : ""}`,
  async () => {
    const { home, kernel } = await usedHome(20);
    await kernel.close();
    const { url } = await (server as PostgresServer).createDatabase();
    await migrateHome(home, { to: url }, {}, () => {});

    // The server is marked once its rows are back: the last disk is the one that is large enough.
    let done = false;
    for (const size of SIZES_KB) {
      if (done) break;
      const there = homeOf({ AOS_HOME: join(disk(size), "home") });
      mkdirSync(there.folder, { mode: 0o700 });
      try {
        await migrateHome(there, { to: "sqlite", from: url }, {}, () => {});
        done = true;
        copyFileSync(home.key, there.key);
        const other = await kernelOn(there, { auditFolder: home.audit, keyFile: home.key });
        expect((await other.list({ limit: 100 })).length).toBe(20);
      } catch (error) {
        expect({ size, error }).toEqual({ size, error: expect.any(SysError) });
        expect((error as SysError).message).toMatch(/space|full/);
        expect(existsSync(there.database)).toBe(false);
      }
    }
    expect(done).toBe(true);
  },
);
