import { expect, test } from "vitest";
import { bootForTest, callsOf, codeOf, TOOLS } from "../../helpers/kernel.ts";

test("infer asks the model by its name and is charged what it really cost", async () => {
  const { kernel } = await bootForTest({
    programs: {
      asker: async (sys) => {
        const messages = [{ role: "user" as const, content: "hello" }];
        return (await sys.infer({ model: "fake/one", messages })).text;
      },
    },
  });

  const pid = await kernel.spawn({ agent: "asker", capabilities: ["model:fake/*:infer"] });

  expect((await kernel.wait(pid)).output).toBe("echo hello");
  expect((await kernel.show(pid)).budget.spent).toEqual({ usd: 0.005, tokens: 50, toolCalls: 0 });
});

test("a long conversation is recorded once, not once a turn", async () => {
  const { kernel } = await bootForTest({
    programs: {
      talker: async (sys) => {
        const messages = [];
        for (let turn = 0; turn < 20; turn++) {
          messages.push({ role: "user" as const, content: `${turn} ${"x".repeat(500)}` });
          await sys.infer({ model: "fake/one", messages });
        }
      },
    },
  });

  const pid = await kernel.spawn({ agent: "talker", capabilities: ["model:fake/*:infer"] });

  await kernel.wait(pid);
  const texts = (await kernel.journal(pid)).map((record) => JSON.stringify(record).length);
  expect(Math.max(...texts)).toBeLessThan(1500);
});

test("exec runs a tool with its arguments and an idempotency key of the call", async () => {
  const { kernel, runs } = await bootForTest({
    programs: {
      doer: async (sys) => [
        await sys.exec("look", { give: 1 }),
        await sys.exec("set", { give: 2 }),
        await sys.exec("pay", { give: 3 }, { key: "mine" }),
      ],
    },
  });

  const pid = await kernel.spawn({ agent: "doer", capabilities: TOOLS });

  expect((await kernel.wait(pid)).output).toEqual([1, 2, 3]);
  expect(runs.map(({ tool, key }) => [tool, key])).toEqual([
    ["look", `${pid}.1`],
    ["set", `${pid}.2`],
    ["pay", "mine"],
  ]);
});

test("a tool that fails is a result that the program can read", async () => {
  const { kernel } = await bootForTest({
    programs: { doer: async (sys) => codeOf(sys.exec("look", { fail: "no such page" })) },
  });

  const pid = await kernel.spawn({ agent: "doer", capabilities: TOOLS });

  expect((await kernel.wait(pid)).output).toBe("EUPSTREAM");
  expect(callsOf(await kernel.journal(pid))).toEqual(["exec EUPSTREAM"]);
});

test.each([
  ["a bigint", 1n],
  ["a function", () => 1],
])("a tool that returns %s has failed, and nobody else is harmed", async (_what, give) => {
  const { kernel } = await bootForTest({
    tools: [
      {
        name: "odd",
        version: "1",
        description: "returns what is not JSON",
        input: {},
        effect: "read",
        touches: () => [],
        run: async () => give as never,
      },
    ],
    programs: { doer: async (sys) => codeOf(sys.exec("odd", {})) },
  });

  const pid = await kernel.spawn({ agent: "doer", capabilities: ["tool:odd:call"] });

  expect((await kernel.wait(pid)).output).toBe("EUPSTREAM");
});

test("arguments that a tool refuses are EINVAL, and it is not run", async () => {
  let ran = 0;
  const { kernel } = await bootForTest({
    tools: [
      {
        name: "strict",
        version: "1",
        description: "wants a number",
        input: {},
        effect: "external",
        touches: () => [],
        refuses: (args) => (typeof args === "number" ? undefined : "a number is needed"),
        run: async () => ++ran,
      },
    ],
    programs: {
      doer: async (sys) => [
        await codeOf(sys.exec("strict", "one")),
        await codeOf(sys.exec("strict", 1)),
        await codeOf(sys.exec("none", 1)),
      ],
    },
  });

  const pid = await kernel.spawn({ agent: "doer", capabilities: ["tool:*:call"] });

  expect((await kernel.wait(pid)).output).toEqual(["EINVAL", "ok", "ENOENT"]);
  expect(ran).toBe(1);
});

test("a model that answers nonsense has failed, and nobody else is harmed", async () => {
  const { kernel } = await bootForTest({
    models: [
      {
        provider: "odd",
        egress: false,
        worstCase: () => ({ usd: 0, tokens: 0 }),
        infer: async () => null as never,
      },
    ],
    programs: { asker: async (sys) => codeOf(sys.infer({ model: "odd/one", messages: [] })) },
  });

  const pid = await kernel.spawn({ agent: "asker", capabilities: ["model:odd/*:infer"] });

  expect((await kernel.wait(pid)).output).toBe("EUPSTREAM");
});

test("a time limit that no timer can hold is no time limit, not an instant one", async () => {
  const { kernel } = await bootForTest({
    programs: { doer: async (sys) => sys.exec("look", { ms: 20 }, { timeoutMs: 2 ** 40 }) },
  });

  const pid = await kernel.spawn({ agent: "doer", capabilities: TOOLS });

  expect((await kernel.wait(pid)).output).toBe("done");
});

test("what a program does to its arguments after the call changes nothing", async () => {
  const { kernel, runs } = await bootForTest({
    programs: {
      sly: async (sys) => {
        const args = { to: "alice" };
        const calling = sys.exec("pay", args);
        args.to = "mallory";
        await calling;
      },
    },
  });

  await kernel.wait(await kernel.spawn({ agent: "sly", capabilities: TOOLS }));

  expect(runs.map(({ args }) => args)).toEqual([{ to: "alice" }]);
});
