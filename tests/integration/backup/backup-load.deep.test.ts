// A backup while 200 agents run, restored elsewhere, and moved to PostgreSQL and back.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { homeOf, migrateHome } from "@aos/daemon/parts";
import { afterAll, expect, test } from "vitest";
import { tryPostgres } from "../../helpers/postgres.ts";
import { backUpTo, greet, kernelOn, newFolder, restoreTo, usedHome } from "./backup-home.ts";

const AGENTS = 200;
/** A slow machine takes longer to back up: without a limit it would have all the more to replay. */
const MOST_RUNS = 4 * AGENTS;
const server = await tryPostgres();
afterAll(async () => {
  if ("stop" in server) await server.stop();
});

test("BACKUP-3: with 200 agents running, nothing that was acknowledged before the end is missing, here and on PostgreSQL", async () => {
  const { home, kernel } = await usedHome(1);
  const acknowledged: { pid: string; at: number }[] = [];
  const over = new AbortController();
  const load = Promise.all(
    Array.from({ length: AGENTS }, async (_, n) => {
      while (!over.signal.aborted && acknowledged.length < MOST_RUNS) {
        const pid = await greet(kernel, `load ${n}`);
        acknowledged.push({ pid, at: Date.now() });
        await kernel.wait(pid);
        await sleep(500);
      }
    }),
  );
  await expect.poll(() => acknowledged.length).toBeGreaterThan(AGENTS);

  const folder = newFolder();
  const report = await backUpTo(kernel, home, join(folder, "b"));
  over.abort();
  await load;
  await kernel.close();
  const restored = await restoreTo(join(folder, "home"), join(folder, "b"));

  const before = acknowledged.filter(({ at }) => at < Date.parse(report.endedAt));
  expect(before.length).toBeGreaterThan(AGENTS);
  expect(restored).toMatchObject({ findings: [], different: [], notReplayed: [] });
  expect(restored.identical).toBe(restored.processes);
  const there = homeOf({ AOS_HOME: join(folder, "home") });
  if (!("missing" in server)) {
    const { url } = await server.createDatabase();
    expect((await migrateHome(there, { to: url }, {}, () => {})).findings).toEqual([]);
    const back = await migrateHome(there, { to: "sqlite", from: url }, {}, () => {});
    expect(back.findings).toEqual([]);
  }
  const other = await kernelOn(there);
  for (const { pid } of before) await other.wait(pid);
  for (const { pid } of before.slice(-20))
    expect(await other.replay(pid)).toMatchObject({ identical: true });
  expect(await other.verify()).toMatchObject({ ok: true });
});
