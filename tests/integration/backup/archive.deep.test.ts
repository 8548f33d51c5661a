// Archive: runs leave the database as bundles that still verify and replay.

import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { tenantKernel } from "@aos/daemon/gateway";
import { programRunnerOptionsOf, readConfig } from "@aos/daemon/parts";
import { SysError } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { stores } from "../../helpers/stores.ts";
import { archivingKernel, newArchiveHome, runs } from "./archive-home.ts";

describe.each(stores)("on $name", ({ newStore }) => {
  test("a run leaves the database, and is shown, read, audited and replayed as before", async () => {
    const home = newArchiveHome(await newStore());
    const { kernel, archive, seen } = await archivingKernel(home);
    const pids = await runs(kernel, 2);
    const [pid = "", other = ""] = pids;
    const before = { records: await kernel.journal(pid), detail: await kernel.show(pid) };
    const cost = await kernel.cost({ by: "agent" });

    const report = await kernel.archiveRuns({ pid });

    expect(report).toMatchObject({ archived: 1, removed: 1, dryRun: false, waiting: 0 });
    expect((await kernel.list()).map((run) => run.pid)).toEqual([other]);
    await expect(kernel.show(pid)).rejects.toMatchObject({ code: "ENOENT" });
    expect(await seen.show(pid)).toEqual({ ...before.detail, archive: report.bundles[0] });
    expect(await seen.journal(pid)).toEqual(before.records);
    expect(await seen.journal(pid, { after: 1, limit: 2 })).toEqual(before.records.slice(2, 4));
    expect(await seen.replay(pid)).toMatchObject({ identical: true });
    expect(await seen.replay(other)).toMatchObject({ identical: true });
    expect((await seen.list({ prefix: pid.slice(0, -2) })).map((run) => run.pid)).toEqual([pid]);
    expect(await kernel.verify()).toMatchObject({ ok: true, findings: [] });
    expect(await archive.verify()).toMatchObject({ ok: true, bundles: 1, runs: 1, unlisted: 0 });
    expect(await archive.list()).toMatchObject([{ pid, hasHistory: true }]);
    expect((await kernel.cost({ by: "agent" })).rows).toEqual(cost.rows);
    const file = join(home.folder, report.bundles[0]!);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
    expect(readdirSync(home.folder)).toContain("default");
  });

  test("ARCHIVED-RUNS-2: runs of two tenants are in two folders, and a tenant reads only its own", async () => {
    const home = newArchiveHome(await newStore());
    const { kernel, seen } = await archivingKernel(home);
    const [mine = ""] = await runs(kernel, 1);
    const [theirs = ""] = await runs(kernel, 1, "acme");

    const report = await kernel.archiveRuns({ endedBefore: Date.now() + 1e6 });

    expect(report.bundles.map((name) => name.split("/")[0]).toSorted()).toEqual([
      "acme",
      "default",
    ]);
    const acme = tenantKernel(seen, "acme");
    expect(await acme.replay(theirs)).toMatchObject({ identical: true });
    for (const asked of [acme.show(mine), acme.journal(mine), acme.replay(mine)])
      await expect(asked).rejects.toMatchObject({ code: "ENOENT" });
    expect(await acme.list({ prefix: mine.slice(0, -1) })).toEqual([]);
    await expect(acme.archiveRuns({ pid: theirs })).rejects.toMatchObject({ code: "EACCES" });
  });

  test("ARCHIVE-RETENTION-1: where the archive fails, or the kernel ends after it, nothing is missing", async () => {
    const home = newArchiveHome(await newStore());
    const failing = { before: true, after: true };
    const { kernel, archive, seen } = await archivingKernel(home, {
      wrapped: (inner) => ({
        has: (tenant, pids) => inner.has(tenant, pids),
        async keep(batch) {
          if (failing.before) throw new SysError("ESTATE", "full");
          const kept = await inner.keep(batch);
          if (failing.after) throw new SysError("ESTATE", "killed");
          return kept;
        },
      }),
    });
    const [pid = ""] = await runs(kernel, 1);
    const records = await kernel.journal(pid);

    await expect(kernel.archiveRuns({ pid })).rejects.toThrow("full");
    failing.before = false;
    await expect(kernel.archiveRuns({ pid })).rejects.toThrow("killed");

    expect(await kernel.journal(pid)).toEqual(records); // and in the archive as well
    expect(await archive.verify()).toMatchObject({ ok: true, bundles: 0, unlisted: 1 });
    failing.after = false;
    await new Promise((resolve) => setTimeout(resolve, 2)); // another name
    await kernel.archiveRuns({ pid });
    expect(await seen.journal(pid)).toEqual(records);
    expect(await kernel.verify()).toMatchObject({ ok: true });
  });

  test("ARCHIVE-RETENTION-2: of a tree that still runs, what has ended is archived and keeps its result; later all of it leaves", async () => {
    const home = newArchiveHome(await newStore());
    const first = await archivingKernel(home);
    const top = await first.kernel.spawn({
      agent: "parent",
      capabilities: ["agent:*:spawn", "memory:/mem/working/**:read,write"],
    });
    const ended = () => first.kernel.list({ states: ["completed"] });
    await expect.poll(async () => (await ended()).length).toBe(1);
    const child = (await ended())[0]!.pid;
    const records = await first.kernel.journal(child);
    await expect(first.kernel.archiveRuns({ pid: child })).rejects.toThrow(/has not ended/);
    await first.kernel.close();

    const { kernel, seen } = await archivingKernel(home, { retention: { maxRuns: 0 } });
    await kernel.collect();

    expect(await kernel.show(child)).toMatchObject({ compacted: true });
    expect(await seen.show(child)).toMatchObject({ archive: expect.stringContaining("default/") });
    expect(await seen.journal(child)).toEqual(records);
    expect(await seen.replay(child)).toMatchObject({ identical: true });
    await kernel.send(top, "go on");
    await kernel.wait(top);
    expect(await kernel.archiveRuns({ pid: top })).toMatchObject({ archived: 2, removed: 2 });
    expect(await kernel.list()).toEqual([]);
    expect(await seen.replay(child)).toMatchObject({ identical: true });
    expect(await seen.replay(top)).toMatchObject({ identical: true });
    expect(await kernel.verify()).toMatchObject({ ok: true, findings: [] });
  });
});

test("RUN-RETENTION-1: beyond the limits runs are archived, none is compacted, and a result is archived before it is removed", async () => {
  const home = newArchiveHome(undefined);
  const without = await archivingKernel(home, { retention: { maxRuns: 2 }, isArchiving: false });
  const pids = await runs(without.kernel, 3);
  await without.kernel.collect();
  expect(await without.kernel.show(pids[0]!)).toMatchObject({ compacted: true });
  await without.kernel.close();

  const { kernel, seen, archive } = await archivingKernel(home, {
    retention: { maxRuns: 1, maxResults: 0 },
    laterMs: 120_000, // a result stays for a minute
  });
  await kernel.collect();

  expect((await kernel.list()).map(({ pid }) => pid)).toEqual([pids[2]]);
  expect(await seen.show(pids[0]!)).toMatchObject({ compacted: true, state: "completed" });
  expect(await seen.replay(pids[1]!)).toMatchObject({ identical: true });
  expect((await archive.list()).map(({ pid, hasHistory }) => [pid, hasHistory])).toEqual([
    [pids[1], true],
    [pids[0], false],
  ]);
  expect(await kernel.verify()).toMatchObject({ ok: true, findings: [] });
  expect(await archive.verify()).toMatchObject({ ok: true });
});

test("a run is not archived by itself within a minute of its end", async () => {
  const { kernel } = await archivingKernel(newArchiveHome(undefined), {
    retention: { maxRuns: 0 },
  });
  await runs(kernel, 1);

  expect(await kernel.collect()).toMatchObject({ archived: 0, compacted: 0, kept: 1 });
});

test("a fork keeps what it shares in the database until it is archived itself", async () => {
  const { kernel, seen } = await archivingKernel(newArchiveHome(undefined));
  const [pid = ""] = await runs(kernel, 1);
  const fork = await kernel.fork(pid, { at: 1 });
  await kernel.wait(fork);

  await expect(kernel.archiveRuns({ pid })).rejects.toThrow(/a fork shares/);
  await kernel.archiveRuns({ pid: fork });
  await kernel.archiveRuns({ pid });

  for (const one of [pid, fork]) expect(await seen.replay(one)).toMatchObject({ identical: true });
  expect(await kernel.verify()).toMatchObject({ ok: true });
});

/** A byte more in a record of the oldest run. */
function damage(file: string): void {
  using database = new DatabaseSync(file);
  database.exec(
    `update journal set record = replace(record, '"seq":1,', '"seq": 1,') where process = (select min(key) from process)`,
  );
}

test("ARCHIVE-RETENTION-4: a run whose records were changed stays in the database, and the others go", async () => {
  const home = newArchiveHome(undefined);
  const first = await archivingKernel(home);
  const [bad = "", good = ""] = await runs(first.kernel, 2);
  await first.kernel.close();
  damage(home.home.database);
  const { kernel } = await archivingKernel(home);

  const report = await kernel.archiveRuns({ endedBefore: Date.now() + 1e6 });

  expect(report).toMatchObject({ archived: 1, waiting: 1 });
  expect((await kernel.list()).map(({ pid }) => pid)).toEqual([bad]);
  await expect(kernel.show(good)).rejects.toMatchObject({ code: "ENOENT" });
  await expect(kernel.archiveRuns({ pid: bad })).rejects.toMatchObject({ code: "ECORRUPT" });
  expect(await kernel.verify()).toMatchObject({ ok: false });
});

test("ARCHIVED-RUNS-1: a bundle that was changed, exchanged or lost is found, and nothing of it is shown", async () => {
  const home = newArchiveHome(undefined);
  const { kernel, archive, seen } = await archivingKernel(home);
  const [first = "", second = ""] = await runs(kernel, 2);
  const one = (await kernel.archiveRuns({ pid: first })).bundles[0]!;
  const two = (await kernel.archiveRuns({ pid: second })).bundles[0]!;
  await archive.close();

  copyFileSync(join(home.folder, two), join(home.folder, one)); // signed by the same key
  rmSync(join(home.folder, two));

  await expect(seen.show(first)).rejects.toMatchObject({ code: "ECORRUPT" });
  expect(await archive.verify()).toMatchObject({
    ok: false,
    findings: [
      { bundle: one, message: expect.stringContaining("was changed") },
      { bundle: two, message: "is missing" },
    ],
  });
});

test("ARCHIVE-FOLDER-1: a bundle that is not as the database has it is not kept, and nothing is removed", async () => {
  const home = newArchiveHome(undefined);
  const { kernel } = await archivingKernel(home, {
    wrapped: (inner) => ({
      has: (tenant, pids) => inner.has(tenant, pids),
      keep: (batch) =>
        inner.keep({
          ...batch,
          async write(file) {
            const written = await batch.write(file);
            damage(file);
            return written;
          },
        }),
    }),
  });
  const [pid = ""] = await runs(kernel, 1);

  await expect(kernel.archiveRuns({ pid })).rejects.toMatchObject({ code: "ECORRUPT" });

  expect(await kernel.replay(pid)).toMatchObject({ identical: true });
  expect(readdirSync(join(home.folder, "default"))).toEqual([]);
  expect(readdirSync(home.folder)).toEqual(["default"]);
});

test("ARCHIVE-FOLDER-2: the sandbox hides the folder, wherever it is", () => {
  const { home, folder } = newArchiveHome(undefined);
  writeFileSync(home.config, `retention: { archive: ${folder} }\n`);

  const { private: hidden } = programRunnerOptionsOf(readConfig(home, {}), home);

  expect(hidden).toContain(folder);
});

test("what is in a bundle is read from it where the file beside it is gone", async () => {
  const home = newArchiveHome(undefined);
  const { kernel, seen } = await archivingKernel(home);
  const [pid = ""] = await runs(kernel, 1);
  const { bundles } = await kernel.archiveRuns({ pid });

  rmSync(join(home.folder, bundles[0]!.replace(".bundle", ".json")));

  expect(await seen.show(pid)).toMatchObject({ pid, archive: bundles[0] });
});

test("ARCHIVE-FOLDER-3: a folder that is not there, or that others can open, takes nothing", async () => {
  const home = newArchiveHome(undefined);
  const { kernel, seen } = await archivingKernel(home);
  const [pid = ""] = await runs(kernel, 1);
  rmSync(home.folder, { recursive: true });

  await expect(kernel.archiveRuns({ pid })).rejects.toMatchObject({
    code: "ESTATE",
    message: expect.stringContaining("it is not there"),
  });

  expect(await kernel.replay(pid)).toMatchObject({ identical: true });
  await expect(seen.show("agt_00000000000000000000000000")).rejects.toMatchObject({
    code: "ENOENT",
    hint: expect.stringContaining("the folder of the archive is not there"),
  });
  mkdirSync(join(home.folder, "default"), { recursive: true, mode: 0o755 });
  await expect(kernel.archiveRuns({ pid })).rejects.toMatchObject({ code: "EACCES" });
  expect(await kernel.replay(pid)).toMatchObject({ identical: true });
  expect(readdirSync(home.folder)).toEqual(["default"]);
});
