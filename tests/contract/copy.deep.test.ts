// Everything that a home has, from SQLite to PostgreSQL and back: the same bytes.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createKernel } from "@aos/daemon";
import { homeOf, migrateHome, type Home } from "@aos/daemon/parts";
import type { Kernel } from "@aos/kernel";
import { afterAll, describe, expect, test } from "vitest";
import { tryPostgres, type PostgresServer } from "../helpers/postgres.ts";
import {
  backUpTo,
  greet,
  newFolder,
  restoreTo,
  usedHome,
  kernelOn,
} from "../integration/backup/backup-home.ts";

const server = await tryPostgres();

/** Every row of every table, as text. */
function dumpOf(file: string): Record<string, string[]> {
  const database = new DatabaseSync(file);
  try {
    const tables = database
      .prepare(
        "select name from sqlite_master where type = 'table' and name not in ('aos_version', 'redo')",
      )
      .all()
      .map(({ name }) => String(name));
    return Object.fromEntries(
      tables.toSorted().map((table) => {
        const rows = database.prepare(`select * from ${table}`).all();
        const texts = rows.map((row) =>
          JSON.stringify(Object.entries(row).toSorted(), (_, value: unknown) =>
            value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
          ),
        );
        return [table, texts.toSorted()];
      }),
    );
  } finally {
    database.close();
  }
}

const silent = () => {};

async function variedHome(): Promise<{ home: Home; pids: string[] }> {
  const { home, kernel, pids } = await usedHome(3);
  const fork = await kernel.fork(pids[0]!, { at: 3 });
  await kernel.wait(fork);
  const again = await kernel.fork(fork, { at: 5 });
  await kernel.wait(again);
  await kernel.setSecret({ name: "TOKEN", value: "a-secret-value", bindings: [] }, "test");
  await kernel.addTenant("acme", { ceiling: "default" }, "test");
  await kernel.close();
  return { home, pids: [...pids, fork, again] };
}

describe.skipIf("missing" in server)("a copy between databases", () => {
  const { createDatabase, stop } = server as PostgresServer;
  afterAll(() => stop());

  test("COPY-2, MIGRATE-1: SQLite to PostgreSQL and back has the same rows in every table, byte for byte", async () => {
    const { home } = await variedHome();
    const before = dumpOf(home.database);
    const { url } = await createDatabase();

    const there = await migrateHome(home, { to: url }, {}, silent);
    const isAside = !existsSync(home.database) && existsSync(there.movedAside!);
    const back = await migrateHome(home, { to: "sqlite", from: url }, {}, silent);

    expect(isAside).toBe(true);
    expect(there).toMatchObject({ findings: [], rows: back.rows });
    expect(back.findings).toEqual([]);
    expect(dumpOf(home.database)).toEqual(before);
  });

  test("what went to PostgreSQL goes on there, replays, and comes back with what was added", async () => {
    const { home, pids } = await variedHome();
    const { url } = await createDatabase();
    await migrateHome(home, { to: url }, {}, silent);

    const kernel = await kernelOn(home, { store: { url } });
    const added = await greet(kernel, "on the server");
    await kernel.wait(added);
    for (const pid of pids) expect(await kernel.replay(pid)).toMatchObject({ identical: true });
    const journals = await journalsOf(kernel, [...pids, added]);
    expect(await kernel.verify()).toMatchObject({ ok: true });
    await kernel.close();
    await migrateHome(home, { to: "sqlite", from: url }, {}, silent);

    const back = await kernelOn(home);
    expect(await journalsOf(back, [...pids, added])).toEqual(journals);
    expect(await back.verify()).toMatchObject({ ok: true });
    expect(await back.replay(added)).toMatchObject({ identical: true });
    await back.close();
  });

  test("MIGRATE-2: no daemon goes on from a database that was moved away", async () => {
    const { home } = await variedHome();
    const { url } = await createDatabase();
    await migrateHome(home, { to: url }, {}, silent);
    await migrateHome(home, { to: "sqlite", from: url }, {}, silent);

    const booted = createKernel({ store: { url } });

    await expect(booted).rejects.toThrow(/was moved to another database/);
  });

  test("a target that is not empty is refused and keeps what it has; a running node too", async () => {
    const { home } = await variedHome();
    const { url, execute } = await createDatabase();
    const other = await createKernel({ store: { url } });

    const toUsed = migrateHome(home, { to: url }, {}, silent);
    await expect(toUsed).rejects.toMatchObject({ code: "EEXIST" });
    const fromRunning = migrateHome(
      homeOf({ AOS_HOME: newFolder() }),
      { to: "sqlite", from: url },
      {},
      silent,
    );
    await expect(fromRunning).rejects.toThrow(/is in use by/);
    await other.close();

    expect(existsSync(home.database)).toBe(true);
    expect(await execute("select 1 from aos_version where version = 1000000")).toEqual([]);
  });

  test("POSTGRES-TABLES-2, POSTGRES-TABLES-3: a text that PostgreSQL cannot keep stops a migration, which leaves nothing there", async () => {
    const { home } = await variedHome();
    const database = new DatabaseSync(home.database);
    database.exec(
      "insert into file values (1, 0, '/mem/shared/x', 'a' || char(0) || 'b', 'w', '{}', 1)",
    );
    database.close();
    const { url, execute } = await createDatabase();

    const moved = migrateHome(home, { to: url }, {}, silent);

    await expect(moved).rejects.toThrow(/U\+0000/);
    expect(existsSync(home.database)).toBe(true);
    expect(await execute("select to_regclass('aos_version') as found")).toEqual([{ found: null }]);
  });

  test("a backup of PostgreSQL is restored to SQLite, and one of SQLite to PostgreSQL", async () => {
    const { home, pids } = await variedHome();
    const { url } = await createDatabase();
    const second = await createDatabase();
    await migrateHome(home, { to: url }, {}, silent);
    const kernel = await kernelOn(home, { store: { url } });
    const journals = await journalsOf(kernel, pids);
    const folder = newFolder();

    await backUpTo(kernel, home, join(folder, "b"));
    await kernel.close();
    const report = await restoreTo(join(folder, "file"), join(folder, "b"));
    const onServer = { database: second.url };
    const placed = await restoreTo(join(folder, "server"), join(folder, "b"), onServer);

    expect(report).toMatchObject({ database: "sqlite", findings: [], different: [] });
    expect(placed).toMatchObject({ database: "postgres", findings: [], different: [] });
    expect(existsSync(join(folder, "server/aos.db"))).toBe(false);
    const there = homeOf({ AOS_HOME: join(folder, "server") });
    const restored = await kernelOn(there, { store: { url: second.url } });
    expect(await journalsOf(restored, pids)).toEqual(journals);
    await restored.close();
  });
});

const journalsOf = async (kernel: Kernel, pids: readonly string[]) =>
  Promise.all(pids.map((pid) => kernel.journal(pid)));
