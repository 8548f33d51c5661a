// What reaches a process that waits for its turn (DORMANCY-3 of kernel/src/scheduler/dormancy.ts), and `nice`.

import { expect, test } from "vitest";
import { bootForTest, codeOf, kindsOf, until } from "../../helpers/kernel.ts";

const ONE = { running: 1, queued: 10, queuedPerTenant: 10 };

/** One runs, and one waits; `begun` has the inputs of those that began. */
async function oneWaits(options: Parameters<typeof bootForTest>[0] = {}) {
  const begun: unknown[] = [];
  const booted = await bootForTest({
    admission: ONE,
    unloadAfterMs: 60_000,
    programs: {
      worker: async (sys, input) => {
        begun.push(input);
        const heard: string[] = [];
        await sys.handle("SIGUSR2", (signal) => void heard.push(signal));
        const { body } = await sys.receive();
        return [body, ...heard];
      },
    },
    ...options,
  });
  const { kernel } = booted;
  const runs = await kernel.spawn({ agent: "worker", input: "runs" });
  const waits = await kernel.spawn({ agent: "worker", input: "waits" });
  await until(() => begun.length === 1);
  return { booted, kernel, begun, runs, waits };
}

test.each([
  ["SIGKILL", 137],
  ["SIGTERM", 130],
  ["SIGINT", 130],
] as const)("%s ends one that waits, and its program never runs", async (signal, exitCode) => {
  const { kernel, begun, runs, waits } = await oneWaits();

  await kernel.signal(waits, signal);

  expect(await kernel.wait(waits)).toMatchObject({ state: "killed", exitCode });
  expect((await kernel.queue()).queued.normal).toBe(0);
  await kernel.send(runs, "end");
  await kernel.wait(runs);
  expect(begun).toEqual(["runs"]);
});

test.each(["now", "again", "crash"] as const)(
  "a paused one does not begin and has no place; resumed it waits again (%s)",
  async (how) => {
    const { booted, begun, runs, waits } = await oneWaits();
    await booted.kernel.signal(waits, "SIGSTOP");
    await until(async () => (await booted.kernel.show(waits)).state === "paused");
    expect(await booted.kernel.show(waits)).toMatchObject({ waitingOn: "slot", place: null });

    const { kernel } = how === "now" ? booted : await booted[how]();
    await kernel.send(runs, "end");
    await kernel.wait(runs);
    const next = await kernel.spawn({ agent: "worker", input: "next" });
    await until(() => begun.includes("next"));
    expect((await kernel.show(waits)).state).toBe("paused");
    await kernel.signal(waits, "SIGCONT");
    await until(async () => (await kernel.show(waits)).state === "pending");
    expect((await kernel.show(waits)).waitingOn).toBe(null);
    expect(begun).not.toContain("waits");

    await kernel.send(next, "end");
    await until(() => begun.includes("waits"));
    await kernel.send(waits, "end");
    expect((await kernel.wait(waits)).output).toEqual(["end"]);
  },
);

test("what is for the program itself is kept until it runs", async () => {
  const { kernel, begun, runs, waits } = await oneWaits();

  await kernel.signal(waits, "SIGUSR2");
  await kernel.send(waits, "hello");
  await until(async () => (await kernel.queue()).queued.normal === 1);
  expect(kindsOf(await kernel.journal(waits))).toEqual(["start"]);
  expect(begun).toEqual(["runs"]);
  await kernel.send(runs, "end");

  expect((await kernel.wait(waits)).output).toContain("hello");
  expect(kindsOf(await kernel.journal(waits))).toContain("signal");
});

test("nice moves what waits, and is in the ledger", async () => {
  const { kernel, begun, runs, waits } = await oneWaits();
  const later = await kernel.spawn({ agent: "worker", input: "later" });

  await kernel.nice(later, "high", "ann");

  expect(await kernel.show(later)).toMatchObject({ lane: "high", place: 1 });
  expect((await kernel.ledger()).at(-1)).toMatchObject({
    what: "nice",
    by: "ann",
    detail: { pid: later, from: "normal", lane: "high", processes: 1 },
  });
  for (const pid of [runs, later, waits]) await kernel.send(pid, "end");
  await kernel.wait(waits);
  expect(begun).toEqual(["runs", "later", "waits"]);
});

test("nice reaches what runs and all below it; those that come after inherit it", async () => {
  const { kernel } = await bootForTest({
    programs: {
      child: async (sys) => (await sys.receive()).body,
      parent: async (sys) => {
        await sys.spawn("child", 1);
        await sys.receive();
        await sys.spawn("child", 2);
        return (await sys.receive()).body;
      },
    },
  });
  const pid = await kernel.spawn({ agent: "parent", capabilities: ["agent:*:spawn"] });
  await until(async () => (await kernel.list()).length === 2);

  await kernel.nice(pid, "critical", "ann");
  await kernel.send(pid, "go on");
  await until(async () => (await kernel.list()).length === 3);

  expect((await kernel.list()).map(({ lane }) => lane)).toEqual([
    "critical",
    "critical",
    "critical",
  ]);
  await kernel.signal(pid, "SIGKILL");
  await kernel.wait(pid);
});

test("a process that has ended is not niced", async () => {
  const { kernel, runs } = await oneWaits();
  await kernel.send(runs, "end");
  await kernel.wait(runs);

  expect(await codeOf(kernel.nice(runs, "high", "ann"))).toBe("ESTATE");
});
