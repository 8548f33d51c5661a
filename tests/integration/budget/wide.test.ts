// Budgets wider than a run, through a whole kernel: what they refuse, and that a restart does not forget.

import { randomBytes } from "node:crypto";
import type { KernelOptions } from "@aos/kernel";
import type { Sys } from "@aos/protocol";
import { expect, test } from "vitest";
import { SteadyClock } from "@aos/kernel/parts";
import { bootForTest, codeOf, manifest, until } from "../../helpers/kernel.ts";
import { ask, pricedModel } from "./priced-model.ts";

const HALF = () => 0.005;

/** Asks until it is refused, at most so often; answers how often it was not, and why it was. */
const asker = async (sys: Sys, input: unknown) => {
  const { times = 10, model = "priced/x" } = (input ?? {}) as { times?: number; model?: string };
  for (let done = 0; done < times; done++) {
    const code = await codeOf(sys.infer(ask(model)));
    if (code !== "ok") return [done, code];
  }
  return [times, "ok"];
};

const boot = (more: object = {}) =>
  bootForTest({
    models: [pricedModel({ usd: HALF, ms: () => 0 })],
    programs: { asker },
    tenants: { acme: { ceiling: "none" }, other: { ceiling: "none" } },
    ...more,
  });

const POWER = ["model:*:infer"];
const own = (budget: object) => manifest("asker", { capabilities: POWER, budget });

test("SHARED-BUDGETS-4: a day follows the machine's clock when that is set, forward and back, without a restart", async () => {
  let wall = Date.parse("2027-03-01T23:10:00Z");
  let monotonic = 0;
  const clock = new SteadyClock({
    wall: () => wall,
    monotonic: () => monotonic,
    uptime: () => monotonic,
  });
  const platform: KernelOptions["platform"] = {
    now: () => clock.now(),
    wall: () => wall,
    notBefore: (ms) => clock.notBefore(ms),
    random: () => Math.random(),
    bytes: (count) => randomBytes(count),
  };
  /** A second goes by as well: the steady clock looks at the other one. */
  const set = (to: string) => {
    monotonic += 1000;
    wall = Date.parse(to);
    expect(Math.abs(clock.now() - wall)).toBeGreaterThan(1000); // it has not followed
  };
  const budgets = [{ scope: "tenant", per: "day", usd: 0.032 }] as const;
  const { kernel } = await boot({ budgets, platform });
  const run = async () => {
    const pid = await kernel.spawn({ agent: "asker", capabilities: POWER, tenant: "acme" });
    return (await kernel.wait(pid)).output;
  };
  expect(await run()).toEqual([5, "EBUDGET"]);

  set("2027-03-02T01:10:00Z");
  expect(await run()).toEqual([5, "EBUDGET"]);
  set("2027-03-01T22:10:00Z");
  expect(await run()).toEqual([0, "EBUDGET"]);

  const { rows } = await kernel.cost({ by: "day", tenant: "acme" });
  const counted = rows.map(({ key, usd }) => [key, usd]);
  expect(counted).toEqual([
    ["2027-03-01", 0.025],
    ["2027-03-02", 0.025],
  ]);
});

test("a tenant's day is over at midnight in UTC, and a restart in the middle of it forgets nothing", async () => {
  let time = Date.parse("2027-03-01T23:10:00Z");
  const platform: KernelOptions["platform"] = {
    now: () => time,
    wall: () => time,
    notBefore: (ms) => void (time = Math.max(time, ms)),
    random: () => Math.random(),
    bytes: (count) => randomBytes(count),
  };
  const budgets = [{ scope: "tenant", per: "day", usd: 0.032 }] as const;
  const first = await boot({ budgets, platform });
  const run = async ({ kernel }: typeof first, tenant = "acme") => {
    const pid = await kernel.spawn({ agent: "asker", capabilities: POWER, tenant });
    return (await kernel.wait(pid)).output;
  };

  expect(await run(first)).toEqual([5, "EBUDGET"]);
  expect(await run(first, "other")).toEqual([5, "EBUDGET"]);
  const second = await first.crash();
  expect(await run(second)).toEqual([0, "EBUDGET"]);
  time = Date.parse("2027-03-01T23:59:59.999Z");
  expect(await run(second)).toEqual([0, "EBUDGET"]);
  time += 1;
  expect(await run(second)).toEqual([5, "EBUDGET"]);
  const third = await second.again();
  expect(await run(third)).toEqual([0, "EBUDGET"]);
  const { rows } = await third.kernel.cost({ by: "day", tenant: "acme" });
  expect(rows.map(({ key, calls }) => [key, calls])).toEqual([
    ["2027-03-01", 5],
    ["2027-03-02", 5],
  ]);
});

test("an agent is held to the hour of its manifest over all of its runs, and others are not", async () => {
  const { kernel } = await boot();
  const run = async (budget: object, input = {}) =>
    (await kernel.wait(await kernel.spawn({ manifest: own(budget), input }))).output;

  expect(await run({}, { times: 2 })).toEqual([2, "ok"]);
  expect(await run({ hour: { tokens: 240 } })).toEqual([1, "EBUDGET"]);
  expect(await run({ month: { tokens: 240 } })).toEqual([0, "EBUDGET"]);
  expect(await run({}, { times: 1 })).toEqual([1, "ok"]);
});

test("money that goes too fast is refused with exit code 68, and when to come again", async () => {
  const { kernel } = await bootForTest({
    models: [pricedModel({ usd: HALF, ms: () => 0 })],
    velocity: [{ scope: "total", usd: 0.02, withinMs: 60_000 }],
    programs: {
      spender: async (sys) => {
        for (;;) await sys.infer(ask());
      },
    },
  });

  const pid = await kernel.spawn({ agent: "spender", capabilities: POWER });

  const { exitCode, error } = await kernel.wait(pid);
  expect([exitCode, error?.code]).toEqual([68, "EVELOCITY"]);
  expect(error?.retryAfter).toBeGreaterThan(0);
});

test("a model without a price runs where nobody limits money, and is counted", async () => {
  const { kernel } = await boot();
  const input = { times: 2, model: "priced/unknown" };
  const run = async (more: object) =>
    (await kernel.wait(await kernel.spawn({ agent: "asker", input, ...more }))).output;

  expect(await run({ capabilities: POWER, budget: { tokens: 1000 } })).toEqual([2, "ok"]);
  expect(await run({ capabilities: POWER, budget: { usd: 1 } })).toEqual([0, "EBUDGET"]);
  expect(await run({ capabilities: ["model:*:infer{usd:1}"] })).toEqual([0, "EBUDGET"]);
  const { rows } = await kernel.cost({ by: "model" });
  expect(rows).toEqual([
    { key: "priced/unknown", usd: 0, tokens: 100, toolCalls: 0, calls: 2, unpriced: 2 },
  ]);
});

test("a process without a handler is told of parts of its budget in its journal, and goes on", async () => {
  const { kernel } = await bootForTest({
    models: [pricedModel({ usd: HALF, ms: () => 0 })],
    programs: {
      asker,
      waiter: async (sys) => {
        const parts: (number | undefined)[] = [];
        await sys.handle("SIGBUDGET", (_signal, part) => void parts.push(part));
        for (let i = 0; i < 9; i++) await sys.infer(ask());
        await sys.receive();
        return parts as never;
      },
    },
  });
  const wish = { capabilities: POWER, budget: { usd: 0.05 } };
  const noticesOf = async (pid: string) =>
    (await kernel.journal(pid)).flatMap((record) =>
      record.kind === "signal" ? [[record.cause, record.did]] : [],
    );

  const silent = await kernel.spawn({ agent: "asker", input: { times: 9 }, ...wish });
  expect((await kernel.wait(silent)).output).toEqual([9, "ok"]);
  expect(await noticesOf(silent)).toContainEqual(["50% of its usd", "noted"]);
  const heard = await kernel.spawn({ agent: "waiter", ...wish });
  await until(async () => (await noticesOf(heard)).length === 2, "the notices");
  await kernel.send(heard, "end");
  expect((await kernel.wait(heard)).output).toEqual([50, 80]);
});

test("a call of a model that is killed counts for the most that it could cost, in every sum", async () => {
  const { kernel } = await bootForTest({
    models: [pricedModel({ ms: () => 100_000 })],
    budgets: [{ scope: "total", per: "ever", usd: 1 }],
    programs: { asker },
  });
  const pid = await kernel.spawn({ agent: "asker", capabilities: POWER });
  await until(async () => (await kernel.show(pid)).waitingOn === "model", "the model");

  await kernel.signal(pid, "SIGKILL");
  await kernel.wait(pid);

  const { total, budgets } = await kernel.cost({ pid });
  expect(total).toEqual({
    key: "total",
    usd: 0.01,
    tokens: 100,
    toolCalls: 0,
    calls: 1,
    unpriced: 0,
  });
  expect(budgets).toMatchObject([{ of: "total", spent: 0.01, reserved: 0 }]);
  expect((await kernel.journal(pid)).at(-1)).toMatchObject({ kind: "end", usd: 0.01, tokens: 100 });
});
