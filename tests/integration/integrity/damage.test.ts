// Damage that is not at the end: pages, records and values. Found at a start where that is quick, and by
// the slow check where it is not.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";
import type { Program } from "@aos/protocol";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { until } from "../../helpers/kernel.ts";

/** Leaves a large value in its journal, and waits. */
const keeper: Program = async (sys) => {
  for (let n = 0; n < 5; n++) await sys.write(`/mem/working/${n}`, `${n}`.repeat(20_000));
  await sys.receive();
  return null;
};

let folder: string;
let file: string;
let pid: string;

const boot = async (more: KernelOptions = {}): Promise<Kernel> => {
  const kernel = await bootKernel({
    store: { file },
    auditFolder: join(folder, "audit"),
    programs: { keeper },
    ...more,
  });
  onTestFinished(() => kernel.close());
  return kernel;
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "aos-damage-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  file = join(folder, "aos.db");
  const kernel = await boot();
  const capabilities = ["memory:/mem/**:read,write", "message:*:receive"];
  pid = await kernel.spawn({ agent: "keeper", capabilities });
  await until(async () => (await kernel.show(pid)).waitingOn === "message");
  await kernel.close();
});

const behindItsBack = (sql: string) => {
  using database = new DatabaseSync(file);
  database.exec(sql);
};

test("a living process whose stored value is gone is held, and said", async () => {
  behindItsBack("delete from blob where rowid = (select max(rowid) from blob)");

  const kernel = await boot();

  expect(await kernel.storeReport()).toMatchObject({ ok: false, held: [{ pid }] });
  expect((await kernel.status()).trouble).toContain("damaged");
});

test("a value that was changed is found by the slow check", async () => {
  behindItsBack("update blob set body = body || ' ' where rowid = (select max(rowid) from blob)");
  const troubles: string[] = [];

  const kernel = await boot({ patrolRestMs: 1, onTrouble: (what) => troubles.push(what) });

  await until(async () => (await kernel.storeReport()).damage.length > 0);
  expect((await kernel.storeReport()).damage[0]).toContain(pid);
  expect(troubles[0]).toContain("the store is damaged");
});

test("damaged pages are refused at the start, in words", async () => {
  behindItsBack("pragma wal_checkpoint(truncate)");
  const bytes = readFileSync(file);
  const pageSize = bytes.readUInt16BE(16);
  // The header of each page in the middle of the file says what is on it.
  for (let page = 8; page < Math.min(40, bytes.length / pageSize); page++)
    bytes.fill(0xee, page * pageSize, page * pageSize + 64);
  writeFileSync(file, bytes);

  await expect(boot()).rejects.toMatchObject({
    code: "ESTORE",
    message: expect.stringMatching(/damaged|malformed/),
  });
});

test("retention in the middle of an audit is no finding", async () => {
  const quick: Program = async (sys) => sys.now();
  const kernel = await boot({ programs: { keeper, quick }, retention: { maxRuns: 0 } });
  for (let n = 0; n < 20; n++)
    await kernel.wait(await kernel.spawn({ agent: "quick" }), { timeoutMs: 60_000 });

  const [report] = await Promise.all([kernel.verify(), kernel.collect(), kernel.collect()]);

  expect(report.findings).toEqual([]);
  expect((await kernel.verify()).findings).toEqual([]);
});
