// Results: of compacted runs only so many keep their rows (operator/result-retention.ts). What was removed is
// signed; what somebody else removed is found.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { bootKernel, type Kernel, type Retention } from "@aos/kernel";
import type { Program } from "@aos/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newPlatform } from "@aos/kernel/parts";

const quick: Program = async (sys) => {
  await sys.now();
  return "done";
};

/** Ends after its child. */
const parent: Program = async (sys) => {
  const child = await sys.spawn("quick", null);
  await sys.wait(child);
  return child;
};

let folder: string;
let setMs = 0;
const booted: Kernel[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "aos-results-"));
  setMs = 0;
});

afterEach(async () => {
  for (const kernel of booted.splice(0)) await kernel.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

const file = () => join(folder, "aos.db");

async function boot(retention: Partial<Retention>): Promise<Kernel> {
  const real = newPlatform();
  const kernel = await bootKernel({
    store: { file: file() },
    auditFolder: join(folder, "audit"),
    programs: { quick, parent },
    retention: { maxAgeMs: 1e15, maxBytes: 1e15, maxRuns: 1e9, maxResults: 1e9, ...retention },
    platform: { ...real, now: () => real.now() + setMs },
  });
  booted.push(kernel);
  return kernel;
}

async function stop(kernel: Kernel): Promise<void> {
  booted.splice(booted.indexOf(kernel), 1);
  await kernel.close();
}

async function runs(kernel: Kernel, count: number, agent = "quick"): Promise<string[]> {
  const pids: string[] = [];
  for (let n = 0; n < count; n++) {
    const pid = await kernel.spawn({ agent, capabilities: ["agent:*:spawn"] });
    await kernel.wait(pid);
    pids.push(pid);
  }
  return pids;
}

const twoMinutesLater = () => (setMs += 120_000);

const behindItsBack = (sql: string) => {
  using db = new DatabaseSync(file());
  db.exec(sql);
};

const thereAre = async (kernel: Kernel) => (await kernel.list()).length;

test("beyond the limit the oldest results go, and no others", async () => {
  const kernel = await boot({ maxRuns: 2, maxResults: 3 });
  const pids = await runs(kernel, 9);
  twoMinutesLater();

  expect(await kernel.collect()).toMatchObject({ kept: 2, resultsRemoved: 4 });

  await expect(kernel.show(pids[3]!)).rejects.toMatchObject({ code: "ENOENT" });
  await expect(kernel.wait(pids[3]!)).rejects.toMatchObject({ code: "ENOENT" });
  expect(await kernel.show(pids[4]!)).toMatchObject({ compacted: true, output: "done" });
  expect(await kernel.verify()).toMatchObject({ ok: true, findings: [] });
});

test("the rows of a store do not become more with every run", async () => {
  const kernel = await boot({ maxRuns: 5, maxResults: 10 });
  const counts: number[] = [];

  for (let round = 0; round < 4; round++) {
    await runs(kernel, 20);
    twoMinutesLater();
    await kernel.collect();
    counts.push(await thereAre(kernel));
  }

  expect(counts).toEqual([15, 15, 15, 15]);
});

test("a result is there for a minute, whatever the limit says (RESULT-RETENTION-2)", async () => {
  const kernel = await boot({ maxRuns: 0, maxResults: 0 });
  const [pid] = await runs(kernel, 1);

  expect(await kernel.collect()).toMatchObject({ kept: 0, resultsRemoved: 0 });

  expect(await kernel.show(pid!)).toMatchObject({ output: "done" });
  twoMinutesLater();
  expect(await kernel.collect()).toMatchObject({ resultsRemoved: 1 });
});

test("a tree goes whole", async () => {
  const kernel = await boot({ maxRuns: 0, maxResults: 0 });
  await runs(kernel, 2, "parent");
  twoMinutesLater();

  expect(await kernel.collect()).toMatchObject({ kept: 0, resultsRemoved: 4 });

  expect(await thereAre(kernel)).toBe(0);
  expect(await kernel.verify()).toMatchObject({ ok: true });
});

test("what was removed is missed neither at the next start nor by an audit", async () => {
  const first = await boot({ maxRuns: 0, maxResults: 1 });
  await runs(first, 4);
  twoMinutesLater();
  await first.collect();
  await stop(first);

  const second = await boot({ maxRuns: 0, maxResults: 1 });

  expect(await second.storeReport()).toMatchObject({ ok: true, lost: [] });
  expect(await second.verify()).toMatchObject({ ok: true, findings: [] });
});

test.for([
  ["without a word", () => ""],
  [
    "with a removal that nobody signed",
    (pid: string) => `; insert into removal select 900, 1, 'n', 1, '${pid}', 0, 0, 0, 0, 0, null`,
  ],
  [
    "with the signature of another removal",
    (pid: string) =>
      `; insert into removal select 900, 1, node, at, '${pid}', 0, 0, 0, 0, 0, signature from removal`,
  ],
  ["by a name more in a removal", (pid: string) => `; update removal set pids = pids || ' ${pid}'`],
] as const)("a result that somebody deletes is missed: %s", async ([, more]) => {
  const first = await boot({ maxRuns: 0, maxResults: 2 });
  const pids = await runs(first, 3);
  twoMinutesLater();
  await first.collect();
  await stop(first);
  const victim = pids[2]!;
  const its = `(select key from process where pid = '${victim}')`;
  behindItsBack(
    `delete from chain where process = ${its}; delete from process where pid = '${victim}'${more(victim)}`,
  );

  const second = await boot({ maxRuns: 0, maxResults: 2 });

  const { findings } = await second.verify();
  expect(findings.filter(({ kind }) => kind === "missing").map(({ pid }) => pid)).toContain(victim);
  expect((await second.storeReport()).lost.map(({ pid }) => pid)).toContain(victim);
});

test("a sum of what removed runs have spent that somebody changes is found", async () => {
  const first = await boot({ maxRuns: 0, maxResults: 0 });
  await runs(first, 1);
  twoMinutesLater();
  await first.collect();
  await stop(first);
  behindItsBack("update removal set micro_usd = 5; update spend set micro_usd = micro_usd + 5");

  const second = await boot({ maxRuns: 0, maxResults: 0 });

  expect((await second.verify()).findings.map(({ message }) => message)).toContainEqual(
    expect.stringContaining("was not signed as it is"),
  );
});
