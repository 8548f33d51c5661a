// Two kernels on one PostgreSQL in one process: what is asked of one about a process that the other has.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";
import type { Program } from "@aos/protocol";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { tryPostgres, type PostgresDatabase } from "../../helpers/postgres.ts";

const server = await tryPostgres();
afterAll(async () => {
  if ("stop" in server) await server.stop();
});

/** Answers whoever invokes it, until it is told to stop. */
const clerk: Program = async (sys) => {
  for (let answered = 1; ; answered++) {
    const { id, type, body } = await sys.receive();
    if (type !== "invoke") return answered - 1;
    await sys.send("operator", { answered, body }, { replyTo: id });
  }
};

const sleeper: Program = async (sys, input) => {
  await sys.sleep((await sys.now()) + (input as number));
  return "awake";
};

const asker: Program = async (sys) => sys.ask("may I?", { choices: ["yes", "no"] });

async function boot(url: string, node: string, more: KernelOptions = {}): Promise<Kernel> {
  const kernel = await bootKernel({
    store: { url },
    node,
    programs: { clerk, sleeper, asker },
    ...more,
  });
  onTestFinished(() => kernel.close());
  return kernel;
}

const newDatabase = (): Promise<PostgresDatabase> => {
  if ("missing" in server) throw new Error(server.missing);
  return server.createDatabase();
};

describe.skipIf("missing" in server)("two nodes on PostgreSQL", () => {
  test.each([0, 60_000])(
    "an invoke of a process that another node has is answered (unloaded after %i ms)",
    async (unloadAfterMs) => {
      const { url } = await newDatabase();
      const [a, b] = [await boot(url, "a", { unloadAfterMs }), await boot(url, "b")];
      const pid = await a.spawn({ agent: "clerk" });

      const first = await b.invoke(pid, { input: "hi", key: "k", timeoutMs: 60_000 });
      const again = await b.invoke(pid, { input: "hi", key: "k", timeoutMs: 60_000 });
      const third = await a.invoke(pid, { input: "ho", timeoutMs: 60_000 });

      expect(first.output).toEqual({ answered: 1, body: { input: "hi" } });
      expect(again).toMatchObject({ isRepeat: true, output: first.output });
      expect(third.output).toMatchObject({ answered: 2 });
    },
  );

  test("a journal is followed on another node to its end, each record once", async () => {
    const { url } = await newDatabase();
    const [a, b] = [await boot(url, "a"), await boot(url, "b")];
    const pid = await a.spawn({ agent: "clerk" });
    const seqs: number[] = [];
    const watching = (async () => {
      for await (const { seq } of b.watch(pid)) seqs.push(seq);
    })();

    await a.invoke(pid, { input: 1, timeoutMs: 60_000 });
    await b.send(pid, "stop");
    await b.wait(pid, { timeoutMs: 60_000 });
    await watching;

    const written = (await b.journal(pid)).map(({ seq }) => seq);
    expect(seqs).toEqual(written);
  });

  test("a question of a process that another node has is answered here", async () => {
    const { url } = await newDatabase();
    const [a, b] = [await boot(url, "a"), await boot(url, "b")];
    const pid = await a.spawn({ agent: "asker" });
    await expect.poll(() => b.questions(), { timeout: 60_000 }).toHaveLength(1);
    const { id } = (await b.questions())[0]!;

    await b.answer(id, { by: "ann", choice: "yes" });

    expect(await b.wait(pid, { timeoutMs: 60_000 })).toMatchObject({ output: "yes" });
  });

  test("a node with a signed log boots a second time, and goes on", async () => {
    const { url } = await newDatabase();
    const folder = mkdtempSync(join(tmpdir(), "aos-nodes-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
    const auditFolder = join(folder, "audit");
    const first = await boot(url, "a", { auditFolder });
    const pid = await first.spawn({ agent: "clerk" });
    await first.close();

    const second = await boot(url, "a", { auditFolder });

    expect(await second.invoke(pid, { input: 1, timeoutMs: 60_000 })).toMatchObject({
      output: { answered: 1 },
    });
    expect((await second.verify()).findings).toEqual([]);
  });

  test("closing while processes are being loaded says nothing of a closed pool", async () => {
    const { url } = await newDatabase();
    const first = await boot(url, "a");
    for (let n = 0; n < 150; n++) await first.spawn({ agent: "clerk" });
    await first.close();
    const troubles: unknown[] = [];

    const second = await boot(url, "a", {
      onTrouble: (what, error) => troubles.push([what, error]),
    });
    await second.close();

    expect(troubles).toEqual([]);
  });
});
