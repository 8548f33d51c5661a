// Admission with a real kernel: `ADMISSION-1` and the like are the invariants of kernel/src/operator/admission.ts,
// `DORMANCY-3` one of kernel/src/scheduler/dormancy.ts.

import type { Lane } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, codeOf, kindsOf, until } from "../../helpers/kernel.ts";

/** Runs until it is told to end; `order` has those that began, by their input. */
function worker(order: unknown[] = []) {
  const programs = {
    worker: async (sys: Parameters<Program>[0], input: unknown) => {
      order.push(input);
      const { body } = await sys.receive();
      return body;
    },
  };
  return { programs, order, unloadAfterMs: 60_000 };
}
type Program = NonNullable<NonNullable<Parameters<typeof bootForTest>[0]>["programs"]>[string];
type Kernel = Awaited<ReturnType<typeof bootForTest>>["kernel"];

const ONE = { running: 1, queued: 10, queuedPerTenant: 10 };

const start = (kernel: Kernel, input: string, more: { lane?: Lane; deadlineMs?: number } = {}) =>
  kernel.spawn({ agent: "worker", input, ...more });

const stateOf = async (kernel: Kernel, pid: string) => (await kernel.show(pid)).state;

/** Ends each in turn, and waits until it has. */
async function endAll(kernel: Kernel, pids: readonly string[]): Promise<void> {
  for (const pid of pids) await kernel.send(pid, "end");
  for (const pid of pids) await kernel.wait(pid);
}

test("what is beyond the limit waits as a row without a program, and begins when a tree has ended", async () => {
  const given = worker();
  const { kernel } = await bootForTest({ ...given, admission: ONE });
  const first = await start(kernel, "first");
  const second = await start(kernel, "second");
  await until(() => given.order.length === 1);

  expect(await kernel.show(second)).toMatchObject({ state: "pending", place: 1 });
  expect(kindsOf(await kernel.journal(second))).toEqual(["start"]);
  expect(await kernel.queue()).toMatchObject({
    running: 1,
    limit: 1,
    queued: { critical: 0, high: 0, normal: 1, low: 0, background: 0 },
    queueLimit: 10,
  });
  await endAll(kernel, [first, second]);

  expect(given.order).toEqual(["first", "second"]);
  expect((await kernel.queue()).queued.normal).toBe(0);
});

test.each(["again", "crash"] as const)(
  "they begin by lane, then by deadline, then by age, also after: %s",
  async (how) => {
    const given = worker();
    const booted = await bootForTest({ ...given, admission: ONE });
    const pids = [await start(booted.kernel, "runs")];
    await until(() => given.order.length === 1);
    for (const [input, more] of [
      ["old", {}],
      ["young", {}],
      ["background", { lane: "background" }],
      ["late", { deadlineMs: 900_000 }],
      ["soon", { deadlineMs: 600_000 }],
      ["critical", { lane: "critical" }],
      ["low", { lane: "low", deadlineMs: 1000 }],
    ] as const)
      pids.push(await start(booted.kernel, input, more));
    given.order.length = 0;

    const { kernel } = await booted[how]();
    await until(() => given.order.length === 1); // the one that ran goes first (ADMISSION-3)
    expect((await kernel.queue()).queued).toMatchObject({ critical: 1, normal: 4, low: 1 });
    const places = await Promise.all(pids.map(async (pid) => (await kernel.show(pid)).place));
    await endAll(kernel, pids);

    expect(places).toEqual([null, 4, 5, 7, 3, 2, 1, 6]);
    const expected = ["runs", "critical", "soon", "late", "old", "young", "low", "background"];
    expect(given.order).toEqual(expected);
  },
);

test("one that has begun is not in the queue again after a crash", async () => {
  const given = worker();
  const booted = await bootForTest({ ...given, admission: ONE });
  const first = await start(booted.kernel, "first");
  const second = await start(booted.kernel, "second");
  await endAll(booted.kernel, [first]);
  await until(async () => (await stateOf(booted.kernel, second)) === "waiting");
  const third = await start(booted.kernel, "third", { lane: "critical" });

  const { kernel } = await booted.crash();
  await until(() => given.order.length === 3);

  expect(given.order).toEqual(["first", "second", "second"]); // lived again
  expect(await stateOf(kernel, third)).toBe("pending");
  await endAll(kernel, [second, third]);
});

test("the queue has a limit, and one for each tenant; who is refused is told when to come again (ADMISSION-4)", async () => {
  const { kernel } = await bootForTest({
    ...worker(),
    admission: { running: 1, queued: 3, queuedPerTenant: 2 },
    tenants: { a: {}, b: {}, c: {} },
  });
  const at = (tenant: string) => kernel.spawn({ agent: "worker", tenant });
  await at("a");
  await at("a");
  await at("a");

  const ofTenant = at("a");
  await expect(ofTenant).rejects.toMatchObject({ code: "EAGAIN", message: /2 of this tenant/ });
  await at("b");
  const ofAll = at("c");

  await expect(ofAll).rejects.toMatchObject({ code: "EAGAIN", message: /^3 processes wait/ });
  await expect(ofAll).rejects.toMatchObject({ retryAfter: expect.any(Number) as number });
  await expect(codeOf(kernel.fork((await kernel.list())[0]!.pid))).resolves.toBe("EAGAIN");
});

test("starts at once are counted one by one (ADMISSION-2)", async () => {
  const given = worker();
  const { kernel } = await bootForTest({
    ...given,
    admission: { running: 2, queued: 3, queuedPerTenant: 3 },
  });

  const tried = Array.from({ length: 8 }, (_, i) => start(kernel, String(i)));
  const codes = await Promise.all(
    tried.map((one) =>
      one.then(
        () => "ok",
        (error) => error.code,
      ),
    ),
  );

  expect(codes.filter((code) => code === "ok")).toHaveLength(5);
  expect(codes.filter((code) => code === "EAGAIN")).toHaveLength(3);
  expect(await kernel.queue()).toMatchObject({ running: 2, queued: { normal: 3 } });
  expect(given.order).toHaveLength(2);
});

test("a start that fails gives its place back", async () => {
  const { kernel } = await bootForTest({ ...worker(), admission: ONE });

  expect(await codeOf(kernel.spawn({ agent: "nobody" }))).toBe("ENOENT");

  expect(await stateOf(kernel, await start(kernel, "first"))).not.toBe("pending");
  expect(await codeOf(kernel.spawn({ agent: "nobody" }))).toBe("ENOENT");
  expect((await kernel.queue()).queued.normal).toBe(0);
});

test("a tree that has left memory holds no place, and is never refused one when it wakes (ADMISSION-1)", async () => {
  const given = worker();
  const { kernel } = await bootForTest({ ...given, admission: ONE, unloadAfterMs: 50 });

  const first = await start(kernel, "first");
  const second = await start(kernel, "second");
  await until(() => given.order.length === 2);
  await endAll(kernel, [first]);

  expect(given.order).toEqual(["first", "second", "first"]); // lived again to be told
  await endAll(kernel, [second]);
});

test("children wait for nobody", async () => {
  const given = worker();
  const { kernel } = await bootForTest({
    ...given,
    programs: {
      ...given.programs,
      parent: async (sys) => {
        const child = await sys.spawn("worker", "child");
        await sys.send(child, "done");
        return (await sys.wait(child)).output;
      },
    },
    admission: ONE,
  });

  const pid = await kernel.spawn({ agent: "parent", capabilities: ["agent:*:spawn"] });

  expect((await kernel.wait(pid)).output).toBe("done");
});

test("a fork waits for its turn like any other", async () => {
  const given = worker();
  const { kernel } = await bootForTest({ ...given, admission: ONE });
  const first = await start(kernel, "first");
  await until(async () => (await kernel.show(first)).state === "waiting");

  const fork = await kernel.fork(first);

  expect(await stateOf(kernel, fork)).toBe("pending");
  await endAll(kernel, [first, fork]);
  expect(given.order).toEqual(["first", "first"]);
});

test("its wall budget runs from when it began", async () => {
  const given = worker();
  const { kernel } = await bootForTest({ ...given, admission: ONE });
  const first = await start(kernel, "first");
  const second = await kernel.spawn({ agent: "worker", budget: { wallMs: 1000 } });
  await new Promise((resolve) => setTimeout(resolve, 1100));

  await endAll(kernel, [first]);
  await until(() => given.order.length === 2);

  expect(await kernel.wait(second)).toMatchObject({ exitCode: 64 });
  const [of1, of2] = [await kernel.journal(first), await kernel.journal(second)];
  expect(of2.at(-1)!.at - of1.at(-1)!.at).toBeGreaterThanOrEqual(1000);
});
