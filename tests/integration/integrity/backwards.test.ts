// A store that went backwards: its write-ahead log is cut, flipped or removed while nobody looks, or an
// older copy is put in its place. What was done outside is never done again without a question.

import {
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";
import type { Program, Tool } from "@aos/protocol";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../helpers/kernel.ts";

const CAPABILITIES = ["tool:pay:call", "agent:*:spawn", "message:*:receive,send"];

/** Pays so often, and then waits for a message. */
const payer: Program = async (sys, input) => {
  const { count, name } = input as { count: number; name: string };
  for (let n = 0; n < count; n++) await sys.exec("pay", { what: `${name}.${n}` });
  await sys.receive();
  return count;
};

/** Has a child that pays. */
const parent: Program = async (sys, input) => {
  const pid = await sys.spawn("payer", input, { capabilities: CAPABILITIES });
  return (await sys.wait(pid)).output;
};

interface World {
  readonly folder: string;
  readonly paid: string[];
  readonly boot: (folder?: string, more?: KernelOptions) => Promise<Kernel>;
}

function world(): World {
  const folder = mkdtempSync(join(tmpdir(), "aos-backwards-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  const paid: string[] = [];
  const pay: Tool = {
    name: "pay",
    version: "1",
    description: "something outside",
    input: {},
    effect: "external",
    label: { integrity: "trusted", secrecy: "public" },
    touches: () => [],
    run: async (args) => {
      paid.push((args as { what: string }).what);
      return null;
    },
  };
  const boot = async (at = folder, more: KernelOptions = {}) => {
    const kernel = await bootKernel({
      store: { file: join(at, "aos.db") },
      auditFolder: join(at, "audit"),
      programs: { payer, parent },
      tools: [pay],
      unloadAfterMs: 60_000,
      ...more,
    });
    onTestFinished(() => kernel.close());
    return kernel;
  };
  return { folder, paid, boot };
}

/** What is on the disk at this moment, as a kill would leave it. */
function copied(folder: string, without: (name: string) => boolean = () => false): string {
  const copy = mkdtempSync(join(tmpdir(), "aos-backwards-copy-"));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true, maxRetries: 20 }));
  cpSync(folder, copy, { recursive: true, filter: (from) => !without(from) });
  rmSync(join(copy, "aos.db-shm"), { force: true });
  return copy;
}

const spawnPayer = (kernel: Kernel, count: number, name = "a") =>
  kernel.spawn({ agent: "payer", input: { count, name }, capabilities: CAPABILITIES });

const isWaiting = async (kernel: Kernel, pid: string) =>
  (await kernel.show(pid)).waitingOn === "message";

test("a crash alone holds nothing, at whatever moment it comes", async () => {
  const { folder, boot } = world();
  const kernel = await boot();
  const pid = await spawnPayer(kernel, 5);
  for (let look = 0; look < 5; look++) {
    const again = await boot(copied(folder));
    expect(await again.storeReport()).toMatchObject({ ok: true, held: [], lost: [] });
    await again.close();
  }
  await until(() => isWaiting(kernel, pid));
  await kernel.verify(); // signs the heads

  const last = await boot(copied(folder));

  expect(await last.storeReport()).toMatchObject({ ok: true });
  expect((await last.status()).trouble).toBeUndefined();
});

test.each(["signed", "not yet signed"])(
  "without its write-ahead log a process whose effects are %s is held, and asks before it pays again",
  async (signed) => {
    const { folder, paid, boot } = world();
    const first = await boot();
    const pid = await spawnPayer(first, 0, "seed");
    const paying = await spawnPayer(first, 3);
    await until(() => isWaiting(first, paying));
    await first.close(); // all is in the database itself
    const second = await boot();
    await second.send(pid, "end");
    await second.wait(pid, { timeoutMs: 60_000 });
    const later = await spawnPayer(second, 2, "later");
    await second.send(paying, "go");
    await until(() => isWaiting(second, later));
    if (signed === "signed") await second.verify();
    const torn = copied(folder, (name) => name.endsWith("aos.db-wal"));
    const before = [...paid];
    const troubles: string[] = [];

    const third = await boot(torn, { onTrouble: (what) => troubles.push(what) });

    const report = await third.storeReport();
    expect(report.ok).toBe(false);
    expect(report.lost).toContainEqual(expect.objectContaining({ pid: later, kind: "missing" }));
    expect((await third.status()).trouble).toContain("has lost commits");
    expect(troubles[0]).toContain("aos store");
    await third.acceptStore({ by: "ann" });
    expect(await third.storeReport()).toMatchObject({ ok: true, held: [], lost: [] });
    expect((await third.verify()).findings).toEqual([]);
    expect(paid).toEqual(before);
  },
);

test("a process that lost its last records does nothing until its loss is accepted; then it asks, and goes on", async () => {
  const { folder, paid, boot } = world();
  const first = await boot();
  const pid = await spawnPayer(first, 8);
  const born = statSync(join(folder, "aos.db-wal")).size;
  await until(() => isWaiting(first, pid));
  const torn = copied(folder);
  await first.close();
  const wal = join(torn, "aos.db-wal");
  truncateSync(wal, born + Math.floor((statSync(wal).size - born) * 0.6));
  const before = [...paid];

  const second = await boot(torn);
  const report = await second.storeReport();

  expect(report.held).toMatchObject([{ pid }]);
  expect(await second.show(pid)).toMatchObject({ state: "paused", held: expect.any(String) });
  await second.send(pid, "hello?");
  expect(paid).toEqual(before);
  const stored = (await second.journal(pid)).filter(({ kind }) => kind === "outcome").length;
  expect(stored).toBeLessThan(8);
  const { released } = await second.acceptStore({ by: "ann", pids: [pid] });
  expect(released).toBe(1);
  let asked = 0;
  await until(async () => {
    for (const { id, kind } of await second.questions()) {
      expect(kind).toBe("doubt");
      asked += 1;
      await second.answer(id, { by: "ann", choice: "done" });
    }
    return (await second.show(pid)).state === "completed";
  });
  expect(asked).toBeGreaterThanOrEqual(8 - stored - 1);
  expect(paid).toEqual(before);
  expect((await second.replay(pid)).difference).toBeNull();
  expect((await second.verify()).findings).toEqual([]);
  expect((await second.ledger({})).map(({ what }) => what)).toContain("store.accept");
});

test("whatever bytes of the write-ahead log are flipped, nothing is paid twice without a question", async () => {
  const { folder, paid, boot } = world();
  const kernel = await boot();
  const pids: string[] = [];
  for (let n = 0; n < 4; n++) pids.push(await spawnPayer(kernel, 6, `p${n}`));
  pids.push(
    await kernel.spawn({
      agent: "parent",
      input: { count: 3, name: "child" },
      capabilities: CAPABILITIES,
    }),
  );
  await until(() => paid.length === 27);
  const whole = copied(folder);
  await kernel.close();
  const { size } = statSync(join(whole, "aos.db-wal"));

  for (const part of [0.02, 0.3, 0.55, 0.7, 0.85, 0.97]) {
    const torn = copied(whole);
    const wal = join(torn, "aos.db-wal");
    const bytes = readFileSync(wal);
    const at = Math.floor(size * part);
    for (let n = at; n < at + 64 && n < bytes.length; n++) bytes[n]! ^= 0xff;
    writeFileSync(wal, bytes);
    paid.length = 0;

    const again = await boot(torn);
    if (!(await again.storeReport()).ok) await again.acceptStore({ by: "ann" });
    // Whoever goes on from here asks first: nothing is paid until somebody answers.
    await until(async () => {
      const states = await Promise.all(
        (await again.list()).map(async ({ pid }) => (await again.show(pid)).waitingOn),
      );
      return states.every((waits) => waits !== null && waits !== "tool");
    });
    expect({ part, paid }).toEqual({ part, paid: [] });
    await again.close();
  }
});
