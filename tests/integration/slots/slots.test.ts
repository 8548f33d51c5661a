import type { SlotRules } from "@aos/kernel";
import { SysError } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, codeOf, until } from "../../helpers/kernel.ts";
import { ask, slowModel } from "./slow-model.ts";

const ALL = ["model:slow/*:infer"];

async function boot(rules: Partial<SlotRules>) {
  const model = slowModel();
  const booted = await bootForTest({
    tenants: { flood: { ceiling: "none" }, calm: { ceiling: "none" } },
    models: [model.driver],
    slots: () => ({ providers: {}, models: {}, tenants: {}, ...rules }),
    programs: {
      asker: async (sys) => {
        const { text, model: by } = await sys.infer(ask());
        return { text, by: by ?? null };
      },
      crowd: async (sys, input) => {
        const { times } = input as { times: number };
        return Promise.all(Array.from({ length: times }, () => codeOf(sys.infer(ask()))));
      },
    },
  });
  const report = async (name = "slow/one") =>
    (await booted.kernel.queue()).slots.find((one) => one.model === name);
  return { ...booted, ...model, report };
}

const asker = { agent: "asker", capabilities: ALL };

test("a tenant beside one that floods is served every other time", async () => {
  const { kernel, requests, request, report } = await boot({
    models: { "slow/one": { concurrency: 1 } },
  });
  const crowd = { agent: "crowd", capabilities: ALL };
  const flood = await kernel.spawn({ ...crowd, tenant: "flood", input: { times: 30 } });
  await until(async () => (await report())?.queued === 29);
  const calm = await kernel.spawn({ ...crowd, tenant: "calm", input: { times: 5 } });
  await until(async () => (await report())?.queued === 34);

  for (let n = 0; n < 35; n++) (await request(n)).answer();

  const turns = requests.map(({ tenant }) => tenant);
  expect(turns.filter((tenant) => tenant === "calm")).toHaveLength(5);
  expect(turns.lastIndexOf("calm")).toBeLessThanOrEqual(10); // alone it would have been 5
  expect((await kernel.wait(calm)).output).toEqual(Array.from({ length: 5 }, () => "ok"));
  await kernel.wait(flood);
});

test("what waits for a place says so, and so does what is sent", async () => {
  const { kernel, request } = await boot({ providers: { slow: { concurrency: 1 } } });
  const first = await kernel.spawn(asker);
  const { answer } = await request(0);
  const second = await kernel.spawn(asker);

  const waitsOn = async (pid: string) => (await kernel.show(pid)).waitingOn;
  await until(async () => (await waitsOn(second)) === "slot");
  expect(await waitsOn(first)).toBe("model");
  answer();
  await request(1);
  await until(async () => (await waitsOn(second)) === "model");
  (await request(1)).answer();

  await kernel.wait(first);
  await kernel.wait(second);
});

test("killing what is sent frees its place at once, though the driver never ends", async () => {
  const { kernel, request, report } = await boot({ models: { "slow/one": { concurrency: 1 } } });
  const first = await kernel.spawn(asker);
  const { signal } = await request(0);
  const second = await kernel.spawn(asker);
  await until(async () => (await report())?.queued === 1);

  await kernel.signal(first, "SIGKILL");

  (await request(1)).answer();
  expect((await kernel.wait(second)).exitCode).toBe(0);
  expect(signal.aborted).toBe(true);
  expect(await report()).toMatchObject({ running: 0, queued: 0 });
});

test("killing what waits takes it out of the queue, and it has cost nothing", async () => {
  const { kernel, requests, request, report } = await boot({
    models: { "slow/one": { concurrency: 1 } },
  });
  const first = await kernel.spawn(asker);
  await request(0);
  const second = await kernel.spawn(asker);
  await until(async () => (await report())?.queued === 1);

  await kernel.signal(second, "SIGKILL");
  await kernel.wait(second);

  expect(await report()).toMatchObject({ running: 1, queued: 0 });
  expect((await kernel.show(second)).budget.spent).toEqual({ usd: 0, tokens: 0, toolCalls: 0 });
  (await request(0)).answer();
  await kernel.wait(first);
  expect(requests).toHaveLength(1);
});

test("who is told to come back later comes back, and the program sees only the answer", async () => {
  const { kernel, request, report } = await boot({});
  const pid = await kernel.spawn(asker);

  (await request(0)).fail(new SysError("ERATE", "slow down", { retryAfter: 30 }));
  (await request(1)).answer("at last");

  expect((await kernel.wait(pid)).output).toEqual({ text: "at last", by: null });
  expect(await report()).toMatchObject({ requests: 2, failures: 1, retries: 1 });
  const { spent } = (await kernel.show(pid)).budget;
  expect(spent).toMatchObject({ tokens: 50 }); // the refused try cost nothing
});

test("a try that failed after it began is paid for, and so is the next", async () => {
  const { kernel, request } = await boot({});
  const pid = await kernel.spawn(asker);
  const detail = { transient: true, spent: { usd: 0.002, tokens: 20 } };

  (await request(0)).fail(new SysError("EUPSTREAM", "cut off", { detail }));
  (await request(1)).answer();

  await kernel.wait(pid);
  const { spent } = (await kernel.show(pid)).budget;
  expect(spent.tokens).toBe(70);
  expect(spent.usd).toBeCloseTo(0.007);
});

test("when nothing helps the program has the failure, and each try was paid for once", async () => {
  const { kernel, request } = await boot({ models: { "slow/one": { retries: 1 } } });
  const pid = await kernel.spawn(asker);
  const detail = { transient: true, spent: { usd: 0.002, tokens: 20 } };

  for (const n of [0, 1]) (await request(n)).fail(new SysError("EUPSTREAM", "cut off", { detail }));

  expect((await kernel.wait(pid)).exitCode).toBe(98);
  expect((await kernel.show(pid)).budget.spent.tokens).toBe(40);
});

test("a rate limit that does not end is exit code 65", async () => {
  const { kernel, request } = await boot({ models: { "slow/one": { retries: 0 } } });
  const pid = await kernel.spawn(asker);

  (await request(0)).fail(new SysError("ERATE", "slow down"));

  expect((await kernel.wait(pid)).exitCode).toBe(65);
});

const CHAIN = { models: { "slow/one": { retries: 0, fallback: ["slow/two"] } } };

test("the reply of a fallback says which model gave it", async () => {
  const { kernel, request, report } = await boot(CHAIN);
  const pid = await kernel.spawn(asker);

  (await request(0)).fail(new SysError("EUPSTREAM", "broken"));
  const second = await request(1);
  second.answer("from the other");

  expect(second.model).toBe("slow/two");
  expect((await kernel.wait(pid)).output).toEqual({ text: "from the other", by: "slow/two" });
  expect(await report()).toMatchObject({ fallbacks: 1 });
});

test("who has no capability for the fallback is not sent there", async () => {
  const { kernel, request, requests } = await boot(CHAIN);
  const pid = await kernel.spawn({ agent: "asker", capabilities: ["model:slow/one:infer"] });

  (await request(0)).fail(new SysError("EUPSTREAM", "broken"));

  expect((await kernel.wait(pid)).exitCode).toBe(98);
  expect(requests).toHaveLength(1);
});

test("a queue that is full refuses, and the program can read it", async () => {
  const { kernel, request, report } = await boot({
    models: { "slow/one": { concurrency: 1 } },
    queue: 2,
  });
  const pid = await kernel.spawn({ agent: "crowd", capabilities: ALL, input: { times: 4 } });
  await until(async () => (await report())?.queued === 2);

  for (const n of [0, 1, 2]) (await request(n)).answer();

  expect((await kernel.wait(pid)).output).toEqual(["ok", "ok", "ok", "EAGAIN"]);
});
