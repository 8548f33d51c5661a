// What a person asks to be forgotten goes from memory, journals, values, results and the file of the database; what is
// left verifies, and says what went.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";
import { afterEach, describe, expect, test } from "vitest";
import { stores } from "../../helpers/stores.ts";
import {
  ABOUT_HER,
  fillHome,
  filesWith,
  forgettingOptions,
  newHome,
  open,
  run,
  WHO,
} from "./forgetting-home.ts";

const HER_NAME = /alice\W+quillmore/i;

const opened: { folder: string; kernel: Kernel }[] = [];

async function home(store?: { url: string }, more: KernelOptions = {}) {
  const folder = newHome();
  const kernel = await bootKernel({ ...forgettingOptions(folder, store), ...more });
  opened.push({ folder, kernel });
  return { folder, kernel };
}

afterEach(async () => {
  for (const { folder, kernel } of opened.splice(0)) {
    await kernel.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  }
});

const forget = (kernel: Kernel, more: object = {}) =>
  kernel.forgetMemory({ about: WHO, by: "dana", ...more });

describe.each(stores)("forgetting on $name", ({ name, newStore }) => {
  test("finds every place, removes it, and the audit says what went and by whom", async () => {
    const { folder, kernel } = await home(await newStore());
    const pids = await fillHome(kernel);
    const untouched = await kernel.journal(pids.bystander);
    const search = async () => (await kernel.searchRuns({ query: "Harbour Street" })).found.length;
    expect(await search()).toBeGreaterThan(0);

    const found = await forget(kernel, { dryRun: true });
    expect(found).toMatchObject({ dryRun: true, erasures: [], left: [] });
    expect(await kernel.verify()).toMatchObject({ ok: true, erasures: [] });

    const report = await forget(kernel);

    const named = [pids.worker, pids.fork, pids.brief, pids.failed];
    expect({ ...report, dryRun: true, erasures: [] }).toEqual(found);
    expect(report).toMatchObject({ results: 4, left: [] });
    expect(report.files).toBeGreaterThanOrEqual(3);
    expect(report.records).toBeGreaterThan(5);
    expect(report.values).toBeGreaterThan(0);
    expect(new Set(report.runs)).toEqual(new Set(named));
    expect(await forget(kernel, { dryRun: true })).toMatchObject({ runs: [], files: 0, left: [] });
    const audit = await kernel.verify();
    expect(audit.findings).toEqual([]);
    expect(audit.erasures.every(({ by }) => by === "dana")).toBe(true);
    expect(new Set(audit.erasures.flatMap(({ runs }) => runs))).toEqual(new Set(named));
    expect(await search()).toBe(0);
    expect(await kernel.journal(pids.bystander)).toEqual(untouched);
    expect(JSON.stringify(await kernel.journal(pids.worker))).not.toMatch(/quillmore/i);
    expect(JSON.stringify(await kernel.journal(pids.worker))).toContain("[erased]");
    expect(JSON.stringify(await kernel.show(pids.worker))).not.toMatch(/quillmore/i);
    expect((await kernel.ledger()).at(-1)).toMatchObject({ what: "memory.forget", by: "dana" });
    if (name === "SQLite") expect(filesWith(folder, HER_NAME)).toEqual([]);
  });

  test("a replay, fork or retry of a run that lost a part says so", async () => {
    const { kernel } = await home(await newStore());
    const pids = await fillHome(kernel);
    await forget(kernel);

    for (const pid of [pids.worker, pids.fork]) {
      await expect(kernel.replay(pid)).rejects.toMatchObject({ code: "EERASED" });
      await expect(kernel.fork(pid)).rejects.toMatchObject({ code: "EERASED" });
      await expect(kernel.retry(pid, { from: 1 })).rejects.toMatchObject({ code: "EERASED" });
    }
    expect(await kernel.replay(pids.bystander)).toMatchObject({ identical: true });
  });

  test("a process that has not ended keeps what it needs, and is named", async () => {
    const { kernel } = await home(await newStore());
    const pid = await kernel.spawn({ agent: "waiting" });
    await kernel.send(pid, { words: ABOUT_HER });
    await expect.poll(async () => (await kernel.journal(pid)).length).toBeGreaterThan(1);

    const report = await forget(kernel);

    expect(report.left).toMatchObject([{ because: "running", pid }]);
    await kernel.send(pid, "end");
    expect((await kernel.wait(pid)).output).toEqual({ words: ABOUT_HER });
    expect(await forget(kernel)).toMatchObject({ runs: [pid], left: [] });
    expect(await kernel.verify()).toMatchObject({ ok: true });
  });

  test("a fork that has not ended keeps the history that it shares", async () => {
    const { kernel } = await home(await newStore());
    const pid = await kernel.spawn({ agent: "waiting" });
    await kernel.send(pid, { words: ABOUT_HER });
    await kernel.send(pid, "end");
    await kernel.wait(pid);
    const fork = await kernel.fork(pid, { at: 1 });

    const { runs } = await forget(kernel);

    expect(runs).toEqual([]);
    expect(await kernel.replay(pid)).toMatchObject({ identical: true });
    await kernel.send(fork, "end");
    expect((await kernel.wait(fork)).output).toEqual({ words: ABOUT_HER });
    expect(new Set((await forget(kernel)).runs)).toEqual(new Set([pid, fork]));
    expect(await kernel.verify()).toMatchObject({ ok: true });
  });

  test("what is in memory forgets at once: searches, vectors, quotas", async () => {
    const embedded: string[] = [];
    const { kernel } = await home(await newStore(), {
      limits: { spaceFiles: 2 },
      embeddings: {
        model: "fake@1",
        egress: false,
        embed: async (texts) => {
          embedded.push(...texts);
          return texts.map(() => [1, 0]);
        },
      },
    });
    const facts = { "/mem/semantic/a": `about ${ABOUT_HER}`, "/mem/semantic/b": "about tea" };
    expect(await run(kernel, "keeper", facts)).toHaveLength(30);
    const times = () => embedded.filter((text) => text.includes("QUILLMORE")).length;
    expect(times()).toBe(1);

    await forget(kernel, { path: "/mem/agents/keeper/semantic/a", about: undefined });

    const next = await run(kernel, "keeper", { "/mem/semantic/c": "about cake" });
    expect((await kernel.show(next)).output).toEqual(["/mem/semantic/b", "/mem/semantic/c"]);
    await kernel.forgetMemory({ path: "/mem/agents/keeper/semantic/b", by: "dana" });
    await run(kernel, "keeper", { "/mem/semantic/a": `about ${ABOUT_HER}` });
    expect(times()).toBe(2);
  });

  test("what another tenant has stays", async () => {
    const { kernel } = await home(await newStore());
    await kernel.addTenant("acme", {}, "dana");
    const theirs = await run(kernel, "worker", { words: ABOUT_HER }, "acme");
    const ours = await run(kernel, "worker", { words: ABOUT_HER });

    expect((await forget(kernel, { tenant: "acme" })).runs).toEqual([theirs]);

    expect(JSON.stringify(await kernel.journal(ours))).toContain("QUILLMORE");
    expect(await kernel.replay(ours)).toMatchObject({ identical: true });
    expect(await kernel.verify()).toMatchObject({ ok: true });
  });

  test("by path: the file, the copies of its text, and nothing else", async () => {
    const { kernel } = await home(await newStore());
    const pids = await fillHome(kernel);
    const path = "/mem/agents/worker/semantic/facts/alice-quillmore";

    const report = await kernel.forgetMemory({ path, by: "dana" });

    expect(report.paths).toEqual([`${path}/1`]);
    expect(report.runs).toContain(pids.worker);
    expect(report.runs).not.toContain(pids.brief);
    const left = await kernel.memoryRows({});
    expect(left.rows.map((row) => row.path)).toEqual([
      "/mem/agents/worker/episodic/tasks/a",
      "/mem/shared/team/port",
    ]);
    expect(await kernel.verify()).toMatchObject({ ok: true });
  });

  test("a later run may say it again", async () => {
    const { kernel } = await home(await newStore());
    await fillHome(kernel);
    await forget(kernel);

    const again = await run(kernel, "worker", { words: ABOUT_HER });

    expect(await kernel.replay(again)).toMatchObject({ identical: true });
    expect(await kernel.verify()).toMatchObject({ ok: true });
  });
});

test("ERASURES-1, ERASURES-2: nobody without the key can pass a change off as an erasure", async () => {
  const { folder, kernel } = await home();
  const { bystander } = await fillHome(kernel);
  await forget(kernel);
  await kernel.close();
  opened.splice(0);
  const change = (sql: string) => {
    const database = new DatabaseSync(join(folder, "aos.db"));
    database.exec(sql);
    database.close();
  };

  // An erased record is changed once more; a sound one is said to be erased, by a row of the writer's own.
  const states = new DatabaseSync(join(folder, "aos.db"));
  const left = states.prepare("select count(*) as n from blob_use where state_seq is not null");
  expect(left.get()).toEqual({ n: 0 });
  states.close();
  const starts = `where record like '{"kind":"start"%'`;
  change(`update journal set record = replace(record, '[erased]', '[other]') ${starts}`);
  const changed = await open(folder);
  expect((await changed.verify()).findings.map(({ kind }) => kind)).toContain("changed");
  await changed.close();
  change(`update journal set record = replace(record, '[other]', '[erased]') ${starts}`);
  change(`update erasure set items = json_set(items, '$.records', json_array())`);
  const forged = await open(folder);
  const { findings } = await forged.verify();
  expect(findings.map(({ message }) => message).join()).toContain("was not signed as it is");
  expect(findings.length).toBeGreaterThan(1);
  expect(findings.some(({ pid }) => pid === bystander)).toBe(false);
  await forged.close();
  rmSync(folder, { recursive: true, force: true });
});

test("results of compacted runs are erased, and the audit still holds them to the signed log", async () => {
  const folder = newHome();
  const first = await open(folder);
  const pids = await fillHome(first);
  await first.close();
  const kernel = await bootKernel({ ...forgettingOptions(folder), retention: { maxRuns: 0 } });
  opened.push({ folder, kernel });
  await kernel.collect();
  expect((await kernel.show(pids.brief)).output).toContain(WHO);

  const report = await forget(kernel);

  expect(report.results).toBe(4);
  expect((await kernel.show(pids.brief)).output).toBe("[erased]");
  expect(await kernel.verify()).toMatchObject({ ok: true });
  expect(filesWith(folder, HER_NAME)).toEqual([]);
});

test("too little is refused", async () => {
  const { kernel } = await home();

  for (const about of ["", " ", "a", "--", "x1"])
    await expect(kernel.forgetMemory({ about, by: "dana" })).rejects.toMatchObject({
      code: "EINVAL",
    });
});
