// Retention: finished runs beyond an age, a number or a size are compacted to their result and the end
// of their chain, without anybody asking, and the audit stays whole.

import { cp, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { bootKernel, type Kernel, type KernelOptions, type Retention } from "@aos/kernel";
import type { Program } from "@aos/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checked } from "../../helpers/reference.ts";

const worker: Program = async (sys, input) => {
  const { size } = input as { size: number };
  await sys.write("/mem/working/note", "x".repeat(size));
  await sys.now();
  return { size };
};

const quick: Program = async (sys) => {
  await sys.now();
  return "done";
};

const CAPABILITIES = ["memory:/mem/**:read,write"];
const WITHOUT_LIMITS: Retention = { maxRuns: 1e9, maxAgeMs: 1e15, maxBytes: 1e15, maxResults: 1e9 };

let folder: string;
const booted: Kernel[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "aos-retention-"));
});

afterEach(async () => {
  for (const kernel of booted.splice(0)) await kernel.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
});

async function boot(retention: Partial<Retention>, more: KernelOptions = {}): Promise<Kernel> {
  const kernel = checked(
    await bootKernel({
      store: { file: join(folder, "aos.db") },
      auditFolder: join(folder, "audit"),
      programs: { worker, quick },
      retention: { ...WITHOUT_LIMITS, ...retention },
      ...more,
    }),
    more,
  );
  booted.push(kernel);
  return kernel;
}

async function run(kernel: Kernel, size = 10): Promise<string> {
  const pid = await kernel.spawn({ agent: "worker", input: { size }, capabilities: CAPABILITIES });
  await kernel.wait(pid);
  return pid;
}

async function runs(kernel: Kernel, count: number, size?: number): Promise<string[]> {
  const pids: string[] = [];
  for (let n = 0; n < count; n++) pids.push(await run(kernel, size));
  return pids;
}

const compactedOf = async (kernel: Kernel, pids: readonly string[]): Promise<boolean[]> =>
  Promise.all(pids.map(async (pid) => (await kernel.show(pid)).compacted));

/** All files below a folder; what was renamed or removed since it was seen has no bytes. */
async function bytesIn(path: string): Promise<number> {
  try {
    const found = await stat(path);
    if (!found.isDirectory()) return found.size;
    const sizes = await Promise.all((await readdir(path)).map((name) => bytesIn(join(path, name))));
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return 0;
  }
}

test("only so many finished runs keep their history, the youngest", async () => {
  const kernel = await boot({ maxRuns: 3 });
  const pids = await runs(kernel, 5);

  const report = await kernel.collect();

  expect(report).toMatchObject({ compacted: 2, kept: 3 });
  expect(report.recordsRemoved).toBeGreaterThan(6);
  expect(await compactedOf(kernel, pids)).toEqual([true, true, false, false, false]);
});

test("finished runs that are older than the limit lose their history", async () => {
  const kernel = await boot({ maxAgeMs: 4000 });
  const old = await runs(kernel, 2);
  await delay(4100);
  const young = await runs(kernel, 2);

  await kernel.collect();

  expect(await compactedOf(kernel, [...old, ...young])).toEqual([true, true, false, false]);
});

test("only so many bytes of finished history are kept", async () => {
  const kernel = await boot({ maxBytes: 5000 });
  const pids = await runs(kernel, 6, 1500);

  await kernel.collect();

  const compacted = await compactedOf(kernel, pids);
  expect(compacted.filter(Boolean).length).toBeGreaterThan(2);
  expect(compacted.at(-1)).toBe(false);
  expect(compacted).toEqual(compacted.toSorted((a, b) => Number(b) - Number(a)));
});

test("large values count for the size, whether they are in the record or beside it", async () => {
  const kernel = await boot({ maxBytes: 50_000 });
  const pids = await runs(kernel, 6, 20_000);

  await kernel.collect();

  expect((await compactedOf(kernel, pids)).filter(Boolean).length).toBeGreaterThanOrEqual(3);
});

test("what a compacted run had of its own in memory is said to be gone; before, it can be read", async () => {
  const kernel = await boot({ maxRuns: 0 });
  const pid = await run(kernel);
  const before = await kernel.memory(pid, "/mem/working/note");

  await kernel.collect();

  expect(before.file).toMatchObject({ data: "x".repeat(10), writer: pid });
  for (const path of ["/mem/working/note", "/mem/working"])
    await expect(kernel.memory(pid, path)).rejects.toMatchObject({ code: "ESTATE" });
  expect(await kernel.memory(pid, "/mem/shared")).toMatchObject({ file: null, files: [] });
});

test("a compacted run keeps its result and the end of its chain, and stays verifiable", async () => {
  const kernel = await boot({ maxRuns: 0 });
  const pid = await run(kernel);
  const before = await kernel.show(pid);

  await kernel.collect();

  const { compacted, ...rest } = await kernel.show(pid);
  expect(compacted).toBe(true);
  expect(rest).toEqual({ ...before, compacted: undefined } satisfies object);
  expect(rest.head).toBe(before.head);
  expect(await kernel.wait(pid)).toMatchObject({ state: "completed", output: { size: 10 } });
  expect(await kernel.journal(pid)).toEqual([]);
  await expect(kernel.replay(pid)).rejects.toMatchObject({ code: "ESTATE" });
  await expect(kernel.fork(pid)).rejects.toMatchObject({ code: "ESTATE" });
  expect((await kernel.verify()).findings).toEqual([]);
});

test("the large values of a compacted run go with it, those that another run uses stay", async () => {
  const kernel = await boot({ maxRuns: 1 });
  const [first, second] = await runs(kernel, 2, 30_000); // the same text in both
  const before = await bytesIn(folder);

  await kernel.collect();

  expect((await kernel.replay(second!)).identical).toBe(true);
  expect((await kernel.show(first!)).compacted).toBe(true);
  expect(await bytesIn(folder)).toBeLessThanOrEqual(before);
  expect((await kernel.verify()).findings).toEqual([]);
});

test("a history that a fork shares is kept as long as the fork keeps its own", async () => {
  const kernel = await boot({ maxRuns: 0 });
  const origin = await run(kernel);
  const fork = await kernel.fork(origin, { at: 1 });
  await kernel.wait(fork);

  await kernel.collect(); // the fork's
  const between = await compactedOf(kernel, [origin, fork]);
  const verified = await kernel.verify();
  await kernel.collect(); // and now nobody shares the origin's

  expect(between).toEqual([false, true]);
  expect(verified.findings).toEqual([]);
  expect(await compactedOf(kernel, [origin, fork])).toEqual([true, true]);
  expect((await kernel.verify()).findings).toEqual([]);
});

test("a dry run says what would go and changes nothing", async () => {
  const kernel = await boot({ maxRuns: 1 });
  const pids = await runs(kernel, 4);
  const before = await Promise.all(pids.map((pid) => kernel.journal(pid)));

  const dry = await kernel.collect({ dryRun: true });

  expect(dry).toMatchObject({ dryRun: true, compacted: 3, kept: 1 });
  expect(await Promise.all(pids.map((pid) => kernel.journal(pid)))).toEqual(before);
  expect(await compactedOf(kernel, pids)).toEqual([false, false, false, false]);
  expect(await kernel.collect()).toMatchObject({
    compacted: 3,
    recordsRemoved: dry.recordsRemoved,
  });
});

test("what an earlier boot left is compacted too", async () => {
  const first = await boot({});
  const pids = await runs(first, 4);
  await booted.pop()!.close();

  const second = await boot({ maxRuns: 1 });

  await expect
    .poll(() => compactedOf(second, pids), { timeout: 120_000 })
    .toEqual([true, true, true, false]);
});

test("a kernel that is killed between the log and the removal is sound, and removes at the next boot", async () => {
  const first = await boot({});
  const pids = await runs(first, 3);
  await booted.pop()!.close();
  await cp(join(folder, "aos.db"), join(folder, "before.db"));
  const second = await boot({ maxRuns: 0 });
  await second.collect();
  await booted.pop()!.close();
  await rename(join(folder, "before.db"), join(folder, "aos.db")); // the log is signed, nothing is gone

  const kernel = await boot({ maxRuns: 0 });

  expect((await kernel.verify()).findings).toEqual([]);
  expect(await kernel.collect()).toMatchObject({ compacted: 3 });
  expect(await compactedOf(kernel, pids)).toEqual([true, true, true]);
  expect((await kernel.verify()).findings).toEqual([]);
});

const RUNS = 3000;
/** What a compacted run may cost on the disk, all files together. Also in docs/retention.md. */
const BYTES_PER_COMPACTED_RUN = 1500;
const BYTES_FOR_THE_REST = 6 * 1024 * 1024;

test(`${RUNS} quick runs stay under a bound that nobody has to watch`, async () => {
  const kernel = await boot({ maxRuns: 100 }, { unloadAfterMs: 1000 });
  let peak = 0;
  const lane = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const pid = await kernel.spawn({ agent: "quick", input: n });
      await kernel.wait(pid);
      if (n % 50 === 0) peak = Math.max(peak, await bytesIn(folder));
    }
  };

  await Promise.all(Array.from({ length: 20 }, () => lane(RUNS / 20)));

  await expect
    .poll(async () => (await kernel.collect({ dryRun: true })).compacted, { timeout: 120_000 })
    .toBe(0);
  // While they run it may lag behind them by a good deal, on a slow machine by more.
  expect(peak).toBeLessThan(2 * (RUNS * BYTES_PER_COMPACTED_RUN + BYTES_FOR_THE_REST));
  await expect // what was freed is given back to the disk a moment later
    .poll(() => bytesIn(folder), { timeout: 120_000 })
    .toBeLessThan(RUNS * BYTES_PER_COMPACTED_RUN + BYTES_FOR_THE_REST / 2);
  expect((await kernel.verify()).ok).toBe(true);
});
