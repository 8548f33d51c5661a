// How a kernel comes to rest. `DRAIN-1` and the like are the invariants of kernel/src/operator/drain.ts.

import type { ModelDriver, Sys, Tool } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, codeOf, kindsOf, TOOLS, until } from "../../helpers/kernel.ts";

const LONG_MS = 60_000;

/** A tool with an effect outside that ends when it is told to, and how often it was run. */
function slowTool() {
  const ends: (() => void)[] = [];
  const seen: { readonly args: unknown }[] = [];
  const tool: Tool = {
    name: "pay.slowly",
    effect: "external",
    version: "1",
    description: "Ends when it is told to.",
    input: {},
    label: { integrity: "trusted", secrecy: "public" },
    touches: () => [],
    run: async (args) => {
      seen.push({ args });
      await new Promise<void>((resolve) => void ends.push(resolve));
      return "paid";
    },
  };
  return { tool, seen, end: () => ends.splice(0).forEach((one) => one()) };
}

const capabilities = [...TOOLS, "tool:pay.slowly:call"];

const payTwice = async (sys: Sys) => [
  await sys.exec("pay.slowly", { nth: 1 }),
  await sys.exec("pay.slowly", { nth: 2 }),
];

test("DRAIN-1, DRAIN-2: what is at work ends and is recorded, the next is not begun, and each is done once", async () => {
  const { tool, seen, end } = slowTool();
  const booted = await bootForTest({ programs: { payTwice }, tools: [tool] });
  const pid = await booted.kernel.spawn({ agent: "payTwice", capabilities });
  await until(() => seen.length === 1, "the first payment");

  const draining = booted.kernel.drain({ withinMs: LONG_MS });
  end();
  const cut = await draining;
  const records = await booted.kernel.journal(pid);
  const { kernel } = await booted.again();
  await until(() => seen.length === 2, "the second payment");
  end();

  expect(cut).toEqual([]);
  expect(kindsOf(records)).toEqual(["start", "intent", "outcome"]);
  expect((await kernel.wait(pid)).output).toEqual(["paid", "paid"]);
  expect(seen).toEqual([{ args: { nth: 1 } }, { args: { nth: 2 } }]);
});

test("DRAIN-1: of many that never stop asking, all go on where they were and do nothing twice", async () => {
  const booted = await bootForTest({
    programs: {
      busy: async (sys, input) => {
        for (let nth = 0; nth < 10; nth++) await sys.exec("pay", { who: input, nth, ms: 1 });
        return "done";
      },
    },
  });
  const pids = await Promise.all(
    Array.from({ length: 20 }, (_, who) =>
      booted.kernel.spawn({ agent: "busy", input: who, capabilities }),
    ),
  );
  await until(() => booted.runs.length > 30, "some payments");

  const cut = await booted.kernel.drain({ withinMs: LONG_MS });
  const done = booted.runs.length;
  const { kernel, runs } = await booted.again();
  const endings = await Promise.all(pids.map((pid) => kernel.wait(pid)));

  expect(cut).toEqual([]);
  expect(done).toBeLessThan(200);
  expect(endings.map(({ output }) => output)).toEqual(pids.map(() => "done"));
  expect(new Set(runs.map(({ args }) => JSON.stringify(args))).size).toBe(200);
  expect(runs).toHaveLength(200);
});

test("what does not end in time is named", async () => {
  const { tool, seen, end } = slowTool();
  const booted = await bootForTest({ programs: { payTwice }, tools: [tool] });
  const pid = await booted.kernel.spawn({ agent: "payTwice", capabilities });
  await until(() => seen.length === 1, "the payment");

  const cut = await booted.kernel.drain({ withinMs: 20 });
  end();

  expect(cut).toEqual([{ pid, n: 1, call: "exec", of: "pay.slowly" }]);
});

test("nothing new is started", async () => {
  const booted = await bootForTest({ programs: { idle: async (sys) => sys.receive() } });
  const pid = await booted.kernel.spawn({ agent: "idle" });

  await booted.kernel.drain({ withinMs: LONG_MS });

  expect(await codeOf(booted.kernel.spawn({ agent: "idle" }))).toBe("ESHUTDOWN");
  expect(await codeOf(booted.kernel.fork(pid))).toBe("ESHUTDOWN");
});

test("DRAIN-3: what waits for a message, a time or a person is not waited for", async () => {
  const { kernel } = await bootForTest({
    programs: {
      listens: async (sys) => sys.receive(),
      sleeps: async (sys) => sys.sleep((await sys.now()) + LONG_MS * 10),
      asks: async (sys) => sys.ask("may I?"),
    },
  });
  const waiting = { listens: "message", sleeps: "timer", asks: "approval" };
  for (const [agent, on] of Object.entries(waiting)) {
    const pid = await kernel.spawn({ agent });
    await until(async () => (await kernel.show(pid)).waitingOn === on, on);
  }

  expect(await kernel.drain({ withinMs: LONG_MS * 10 })).toEqual([]);
});

test("DRAIN-3: who waits for a place at a model is not let to it, and is served at the next start", async () => {
  const ends: (() => void)[] = [];
  let asked = 0;
  const model: ModelDriver = {
    provider: "slow",
    egress: true,
    worstCase: () => ({ usd: 0, tokens: 10 }),
    infer: async () => {
      asked += 1;
      await new Promise<void>((resolve) => void ends.push(resolve));
      const usage = { inputTokens: 1, outputTokens: 1 };
      return { text: "yes", toolCalls: [], finish: "stop", usage, usd: 0 };
    },
  };
  const booted = await bootForTest({
    models: [model],
    slots: () => ({ providers: {}, models: { "slow/one": { concurrency: 1 } }, tenants: {} }),
    programs: {
      asks: async (sys) =>
        (await sys.infer({ model: "slow/one", messages: [{ role: "user", content: "?" }] })).text,
    },
  });
  const wish = { agent: "asks", capabilities: ["model:slow/one:infer"] };
  const pids = [await booted.kernel.spawn(wish), await booted.kernel.spawn(wish)];
  await until(() => asked === 1, "the first question");
  await until(async () => (await booted.kernel.queue()).slots[0]?.queued === 1, "the second");

  const draining = booted.kernel.drain({ withinMs: LONG_MS });
  ends.shift()!();
  const cut = await draining;
  const askedBefore = asked;
  const { kernel } = await booted.again();
  await until(() => ends.length === 1, "the second question, again");
  ends.shift()!();

  expect([cut, askedBefore]).toEqual([[], 1]);
  for (const pid of pids) expect((await kernel.wait(pid)).output).toBe("yes");
  expect(asked).toBe(2);
});
