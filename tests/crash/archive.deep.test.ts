// A host is killed at every commit while it archives: those of its database, and those of the bundle that it makes. A run
// is in the database, in the archive or in both, whole and verified; and the next host archives what is left.

import { spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { homeOf } from "@aos/daemon/parts";
import { expect, test } from "vitest";
import { archivingKernel, newArchiveHome, runs } from "../integration/backup/archive-home.ts";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

test.each(["before", "after"])("ARCHIVE-RETENTION-1: killed %s each commit", async (when) => {
  const home = newArchiveHome(undefined);
  const first = await archivingKernel(home);
  const pids = await runs(first.kernel, 3);
  const journals = await Promise.all(pids.map((pid) => first.kernel.journal(pid)));
  await first.kernel.close();
  const above = join(home.folder, "..");

  for (let at = 1, isKilled = true; isKilled; at++) {
    const folder = join(above, `${when}-${at}`);
    const archive = join(folder, "archive");
    cpSync(home.home.folder, join(folder, "home"), { recursive: true });
    cpSync(home.folder, archive, { recursive: true });
    const counter = join(folder, "commits");
    writeFileSync(counter, "");
    const { signal, status, stderr } = spawnSync(
      process.execPath,
      [
        "--import",
        path("kill-switch.program.ts"),
        path("archive.program.ts"),
        join(folder, "home"),
        archive,
      ],
      {
        encoding: "utf8",
        env: { ...process.env, AOS_TEST_KILL: `${at}:${when}`, AOS_TEST_KILL_COUNT: counter },
      },
    );
    isKilled = signal === "SIGKILL";
    expect([at, isKilled ? 0 : status, stderr]).toEqual([at, 0, ""]);
    if (!isKilled) expect(at).toBeGreaterThan(10);

    const there = { ...home, home: homeOf({ AOS_HOME: join(folder, "home") }), folder: archive };
    const next = await archivingKernel({ ...there, store: { file: there.home.database } });
    for (const [nth, pid] of pids.entries())
      expect(await next.seen.journal(pid)).toEqual(journals[nth]);
    expect(await next.kernel.verify()).toMatchObject({ ok: true, findings: [] });
    expect(await next.archive.verify()).toMatchObject({ ok: true });
    await next.kernel.archiveRuns({ endedBefore: Date.now() + 1_000_000 });
    expect(await next.kernel.list()).toEqual([]);
    for (const pid of pids) expect(await next.seen.replay(pid)).toMatchObject({ identical: true });
    await next.archive.close();
    await next.kernel.close();
    rmSync(folder, { recursive: true });
  }
});
