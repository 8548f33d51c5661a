// A backup while 200 agents run, on SQLite and on PostgreSQL, restored elsewhere; and the rows of a home that was killed
// under that load, moved to PostgreSQL and back.

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { homeOf, migrateHome } from "@aos/daemon/parts";
import type { Kernel } from "@aos/kernel";
import { afterAll, describe, expect, test } from "vitest";
import { tryPostgres, type PostgresServer } from "../../helpers/postgres.ts";
import { backUpTo, greet, kernelOn, newFolder, restoreTo } from "./backup-home.ts";

const AGENTS = 200;
/** A slow machine takes longer to back up: without a limit it would have all the more to replay. */
const MOST_RUNS = 4 * AGENTS;
const server = await tryPostgres();
const missing = "missing" in server ? server.missing : undefined;
const newDatabase = async () => (await (server as PostgresServer).createDatabase()).url;
afterAll(async () => {
  if ("stop" in server) await server.stop();
});

/** Agents that start others of their kind until they are told to stop, and when each start was acknowledged. */
async function load(kernel: Kernel) {
  const acknowledged: { pid: string; at: number }[] = [];
  const over = new AbortController();
  const running = Promise.all(
    Array.from({ length: AGENTS }, async (_, n) => {
      while (!over.signal.aborted && acknowledged.length < MOST_RUNS) {
        const pid = await greet(kernel, `load ${n}`);
        acknowledged.push({ pid, at: Date.now() });
        await kernel.wait(pid);
        await sleep(500);
      }
    }),
  );
  running.catch(() => {}); // it is waited for below
  await expect.poll(() => acknowledged.length).toBeGreaterThan(AGENTS);
  const stop = async () => {
    over.abort();
    await running;
  };
  return { acknowledged, stop };
}

describe.each([
  ["SQLite", "SQLite"],
  ["PostgreSQL", "SQLite"],
  ["PostgreSQL", "PostgreSQL"],
])("BACKUP-3: with 200 agents running on %s, restored to %s", (from, to) => {
  const isOnServer = from === "PostgreSQL" || to === "PostgreSQL";
  const skipped = isOnServer ? missing : undefined;

  test.skipIf(skipped !== undefined)(
    `nothing that was acknowledged before the end is missing, and every run replays${skipped ? ` (${skipped})` : ""}`,
    async () => {
      const home = homeOf({ AOS_HOME: newFolder() });
      const store = from === "SQLite" ? {} : { store: { url: await newDatabase() } };
      const kernel = await kernelOn(home, store);
      const { acknowledged, stop } = await load(kernel);

      const folder = newFolder();
      const report = await backUpTo(kernel, home, join(folder, "b"));
      await stop();
      const target = to === "SQLite" ? "sqlite" : await newDatabase();
      const restored = await restoreTo(join(folder, "home"), join(folder, "b"), {
        database: target,
      });

      const before = acknowledged.filter(({ at }) => at < Date.parse(report.endedAt));
      expect(before.length).toBeGreaterThan(AGENTS);
      expect(restored).toMatchObject({ findings: [], different: [], notReplayed: [] });
      expect(restored.identical).toBe(restored.processes);
      const there = homeOf({ AOS_HOME: join(folder, "home") });
      const other = await kernelOn(there, to === "SQLite" ? {} : { store: { url: target } });
      for (const { pid } of before) await other.wait(pid); // those in progress go on
      for (const { pid } of before.slice(-20)) {
        expect(await other.replay(pid)).toMatchObject({ identical: true });
        const journal = await kernel.journal(pid);
        expect((await other.journal(pid)).slice(0, 1)).toEqual(journal.slice(0, 1));
      }
      expect(await other.verify()).toMatchObject({ ok: true });
    },
  );
});

/** Every row of every table, as the file has it. */
function rowsOf(file: string): Map<string, string[]> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const names = database
      .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
      .all() as { name: string }[];
    return new Map(
      names.map(({ name }) => {
        const rows = database.prepare(`select * from "${name}"`);
        rows.setReadBigInts(true);
        const texts = rows
          .all()
          .map((row) =>
            JSON.stringify(row, (_, value: unknown) =>
              typeof value === "bigint"
                ? `${value}`
                : value instanceof Uint8Array
                  ? Buffer.from(value).toString("hex")
                  : value,
            ),
          );
        return [name, texts.toSorted()];
      }),
    );
  } finally {
    database.close();
  }
}

test.skipIf(missing !== undefined)(
  `a home with 200 agents in progress goes to PostgreSQL and back: every row is the same, and all go on${missing ? ` (${missing})` : ""}`,
  async () => {
    const home = homeOf({ AOS_HOME: newFolder() });
    const kernel = await kernelOn(home);
    const { acknowledged, stop } = await load(kernel);
    // As a kill would leave it: the file and what was written ahead of it, in one moment between two commits.
    const there = homeOf({ AOS_HOME: newFolder() });
    const folder = newFolder();
    const report = await backUpTo(kernel, home, join(folder, "b"));
    await stop();
    await kernel.close();
    await restoreTo(there.folder, join(folder, "b"));
    const original = join(folder, "original.db");
    copyFileSync(there.database, original);

    const url = await newDatabase();
    const gone = await migrateHome(there, { to: url }, {}, () => {});
    const back = await migrateHome(there, { to: "sqlite", from: url }, {}, () => {});

    expect([gone.findings, back.findings]).toEqual([[], []]);
    const [first, last] = [rowsOf(original), rowsOf(there.database)];
    expect([...last.keys()].toSorted()).toEqual([...first.keys()].toSorted());
    expect(first.get("journal")!.length).toBeGreaterThan(AGENTS);
    const differ = [...first].filter(([name, rows]) => !isDeepStrictEqual(rows, last.get(name)));
    // When each step of the schema was taken: a new file has its own times.
    expect(differ.map(([name]) => name)).toEqual(["aos_version"]);
    const other = await kernelOn(there);
    const before = acknowledged.filter(({ at }) => at < Date.parse(report.endedAt));
    for (const { pid } of before) await other.wait(pid);
  },
);
