import { DatabaseSync } from "node:sqlite";
import type { Json, Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, callsOf, codeOf, kindsOf, TOOLS, until } from "../../helpers/kernel.ts";

const capabilities = [...TOOLS, "memory:/mem/**:*", "agent:*:spawn", "message:*:*"];

/** One of nearly everything, and a result that tells whether any of it was lost. */
async function mixed(sys: Sys): Promise<Json> {
  const chance = await sys.random();
  await sys.write("/mem/working/a", { chance });
  const log = await sys.open("/mem/working/log", "append");
  await sys.write(log, "one ");
  const paid = await sys.exec("pay", { give: "paid" });
  await sys.write(log, "two");
  const child = await sys.spawn("child", 7);
  const { output } = await sys.wait(child);
  await sys.subscribe("news");
  await sys.write("/mem/working/b", 1);
  await sys.remove("/mem/working/b");
  const reached = await sys.publish("news", "hello");
  const kept = (await sys.read("/mem/working/a")) as { chance: number };
  const text = await sys.read("/mem/working/log");
  const files = await sys.list("/mem/working");
  return { same: kept.chance === chance, paid, output, reached, text, files };
}

const programs = { mixed, child: async (_sys: Sys, input: Json) => input };

test("a fork at any record comes to the same end, and repeats nothing that lies before it", async () => {
  const { kernel, runs } = await bootForTest({ programs });
  const origin = await kernel.spawn({ agent: "mixed", capabilities });
  const { output } = await kernel.wait(origin);
  const records = await kernel.journal(origin);
  const outcome = records.findIndex((record) => record.kind === "outcome");

  for (const { seq, kind } of records) {
    if (kind === "end" || kind === "intent") continue;
    runs.length = 0;
    const pid = await kernel.fork(origin, { at: seq });

    expect({ seq, ...(await kernel.wait(pid)) }).toMatchObject({ seq, state: "completed", output });
    expect(runs.length).toBe(seq < outcome ? 1 : 0);
    const shared = (await kernel.journal(pid)).slice(0, seq + 2);
    expect(shared.slice(0, -1)).toEqual(records.slice(0, seq + 1));
    expect(shared.at(-1)).toMatchObject({ kind: "fork", from: origin, shared: seq });
  }
});

test("a fork between an intent and its outcome is in doubt, as after a crash", async () => {
  const { kernel, runs } = await bootForTest({
    programs: { payer: async (sys) => codeOf(sys.exec("pay", {}, { onDoubt: "fail" })) },
  });
  const origin = await kernel.spawn({ agent: "payer", capabilities });
  await kernel.wait(origin);

  const pid = await kernel.fork(origin, { at: 1 });

  expect((await kernel.wait(pid)).output).toBe("EINDOUBT");
  expect(runs.length).toBe(1);
});

test("a fork at the end, or beyond, is refused with the records that there are", async () => {
  const { kernel } = await bootForTest({ programs: { brief: async (sys) => sys.now() } });
  const pid = await kernel.spawn({ agent: "brief" });
  await kernel.wait(pid);

  await expect(kernel.fork(pid, { at: 2 })).rejects.toMatchObject({ code: "EINVAL" });
  await expect(kernel.fork(pid, { at: 99 })).rejects.toThrow("0 to 2");
  await expect(kernel.fork(pid, { at: -1 })).rejects.toMatchObject({ code: "EINVAL" });
});

test("a fork of a fork, and of one that still runs", async () => {
  const { kernel } = await bootForTest({
    programs: {
      talker: async (sys) => {
        const heard = [await sys.random()];
        for (let i = 0; i < 3; i++) heard.push((await sys.receive()).body as number);
        return heard;
      },
    },
  });
  const origin = await kernel.spawn({ agent: "talker" });
  const hasHeard = (pid: string, body: number) =>
    until(
      async () => JSON.stringify(await kernel.journal(pid)).includes(`"body":${body}`),
      "heard",
    );
  await kernel.send(origin, 1);
  await hasHeard(origin, 1);
  const fork = await kernel.fork(origin);
  await kernel.send(fork, 2);
  await hasHeard(fork, 2);
  const forkOfFork = await kernel.fork(fork);
  await kernel.send(fork, 3);
  await kernel.send(forkOfFork, 30);
  await kernel.send(origin, 20);
  await kernel.send(origin, 21);

  const heard = [];
  for (const pid of [origin, fork, forkOfFork])
    heard.push((await kernel.wait(pid)).output as number[]);

  const [chance] = heard[0]!;
  expect(heard).toEqual([
    [chance, 1, 20, 21],
    [chance, 1, 2, 3],
    [chance, 1, 2, 30],
  ]);
  expect((await kernel.show(forkOfFork)).forkedFrom).toMatchObject({ pid: fork });
});

test("history is shared, not copied", async () => {
  const { kernel, file, again } = await bootForTest({
    programs: {
      long: async (sys) => {
        for (let i = 0; i < 200; i++) await sys.now();
      },
    },
  });
  const origin = await kernel.spawn({ agent: "long" });
  await kernel.wait(origin);
  for (let i = 0; i < 10; i++) await kernel.wait(await kernel.fork(origin));
  await kernel.close();

  const database = new DatabaseSync(file);
  const { rows } = database.prepare("select count(*) as rows from journal").get()!;
  database.close();

  expect(rows).toBe(202 + 10 * 2);
  await again();
});

test("a retry makes the call that failed again, and nothing before it", async () => {
  let broken = true;
  const { kernel, runs } = await bootForTest({
    tools: [
      {
        name: "flaky",
        version: "1",
        description: "fails while it is broken",
        input: {},
        effect: "read",
        touches: () => [],
        run: async () => {
          if (broken) throw new Error("broken");
          return "mended";
        },
      },
    ],
    programs: {
      worker: async (sys) => {
        await sys.exec("pay", {});
        return sys.exec("flaky", {});
      },
    },
  });
  const origin = await kernel.spawn({
    agent: "worker",
    capabilities: [...TOOLS, "tool:flaky:call"],
  });
  expect((await kernel.wait(origin)).state).toBe("failed");
  broken = false;

  const pid = await kernel.retry(origin);

  expect((await kernel.wait(pid)).output).toBe("mended");
  expect(runs.length).toBe(1);
  expect(await kernel.wait(origin)).toMatchObject({ state: "failed" });
});

test("a retry with a given result skips the call", async () => {
  const { kernel, runs } = await bootForTest({
    programs: {
      worker: async (sys) => [await sys.exec("pay", { give: "dear" }), await sys.exec("look", {})],
    },
  });
  const origin = await kernel.spawn({ agent: "worker", capabilities });
  await kernel.wait(origin);

  const pid = await kernel.retry(origin, { from: 1, result: "free" });

  expect((await kernel.wait(pid)).output).toEqual(["free", "done"]);
  expect(runs.map(({ tool }) => tool)).toEqual(["pay", "look", "look"]);
  expect(callsOf(await kernel.journal(pid))).toEqual(["exec ok", "exec ok"]);
});

test("a retry of what never failed, or of no call, is refused", async () => {
  const { kernel } = await bootForTest({ programs: { brief: async (sys) => sys.now() } });
  const pid = await kernel.spawn({ agent: "brief" });
  await kernel.wait(pid);

  await expect(kernel.retry(pid)).rejects.toMatchObject({ code: "EINVAL" });
  await expect(kernel.retry(pid, { from: 9 })).rejects.toMatchObject({ code: "EINVAL" });
});

test("a fork has its origin's power and no more, counters included", async () => {
  const { kernel, runs } = await bootForTest({
    programs: {
      greedy: async (sys) => {
        await sys.now();
        const codes = [await codeOf(sys.exec("look", {})), await codeOf(sys.exec("look", {}))];
        return [...codes, await codeOf(sys.exec("pay", {}))];
      },
    },
  });
  const origin = await kernel.spawn({ agent: "greedy", capabilities: ["tool:look:call{max:3}"] });
  await kernel.wait(origin);

  const pid = await kernel.fork(origin, { at: 1 });

  expect((await kernel.wait(pid)).output).toEqual(["ok", "EACCES", "EACCES"]);
  expect(runs.length).toBe(3);
  expect(kindsOf(await kernel.journal(pid)).slice(0, 3)).toEqual(["start", "call", "fork"]);
});
