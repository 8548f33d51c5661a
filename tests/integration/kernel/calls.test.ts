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

test("wrong arguments are EINVAL, name the field, and are recorded", async () => {
  const { kernel } = await bootForTest({
    programs: {
      careless: async (sys) => [
        await codeOf(sys.read({} as never)),
        await codeOf(sys.sleep("soon" as never)),
        await codeOf(sys.exec("look", 1, { timeoutMs: -1 })),
        await codeOf(sys.send("nobody", 1)),
      ],
    },
  });

  const pid = await kernel.spawn({ agent: "careless", capabilities: TOOLS });

  expect((await kernel.wait(pid)).output).toEqual(["EINVAL", "EINVAL", "EINVAL", "EINVAL"]);
  const [read, sleep] = (await kernel.journal(pid)).filter((record) => record.kind === "call");
  expect(read?.err?.message).toContain("path");
  expect(sleep?.err?.message).toContain("until");
});

test("arguments that JSON cannot carry are EINVAL, and the process goes on", async () => {
  const { kernel } = await bootForTest({
    limits: { argumentBytes: 1000 },
    programs: {
      careless: async (sys) => {
        const cyclic: Record<string, unknown> = {};
        cyclic["self"] = cyclic;
        return [
          await codeOf(sys.write("/mem/working/a", 1n as never)),
          await codeOf(sys.write("/mem/working/a", cyclic as never)),
          await codeOf(sys.write("/mem/working/a", "x".repeat(2000))),
          await codeOf(sys.write("/mem/working/a", "fits")),
        ];
      },
    },
  });

  const pid = await kernel.spawn({ agent: "careless", capabilities: ["memory:/mem/**:*"] });

  expect((await kernel.wait(pid)).output).toEqual(["EINVAL", "EINVAL", "EINVAL", "ok"]);
});

test.each([
  ["a bigint", 1n],
  ["something cyclic", cyclic()],
  ["a function", () => 1],
])("a program that returns %s fails with EINVAL", async (_what, value) => {
  const { kernel } = await bootForTest({ programs: { odd: async () => value } });

  const pid = await kernel.spawn({ agent: "odd" });

  const { state, exitCode, error } = await kernel.wait(pid);
  expect({ state, exitCode, code: error?.code }).toEqual({
    state: "failed",
    exitCode: 2,
    code: "EINVAL",
  });
});

function cyclic(): unknown {
  const value: Record<string, unknown> = {};
  value["self"] = value;
  return value;
}

test("a call that does not exist is EINVAL, whatever its name is made of", async () => {
  const odd = 'no"such\n{call}';
  const { kernel } = await bootForTest({
    foreign: {
      start: (_what, listener) => {
        setImmediate(() => listener.call(1, odd, {}));
        return {
          deliver: (what) =>
            listener.ended({ kind: "returned", output: (what as { err?: never }).err ?? null }),
          stop: async () => {},
        };
      },
    },
  });

  const pid = await kernel.spawn({
    manifest: { apiVersion: "aos/v1", kind: "Agent", name: "odd", command: ["odd"] },
  });

  expect((await kernel.wait(pid)).output).toMatchObject({ code: "EINVAL" });
  expect(callsOf(await kernel.journal(pid))).toEqual(["?no_such__call_ EINVAL"]);
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

test("time and chance come from the journal, and a sleep ends when it said", async () => {
  const { kernel } = await bootForTest({
    programs: {
      waiter: async (sys) => {
        const [before, chance] = [await sys.now(), await sys.random()];
        await sys.sleep(before + 40);
        return { chance, slept: (await sys.now()) - before };
      },
    },
  });

  const pid = await kernel.spawn({ agent: "waiter" });

  const { chance, slept } = (await kernel.wait(pid)).output as { chance: number; slept: number };
  expect(chance).toBeGreaterThanOrEqual(0);
  expect(chance).toBeLessThan(1);
  expect(slept).toBeGreaterThanOrEqual(40);
});

test("self says who a process is and what it holds", async () => {
  const { kernel } = await bootForTest({ programs: { me: async (sys) => sys.self() } });

  const pid = await kernel.spawn({ agent: "me", capabilities: ["tool:look:call"], tenant: "t" });

  expect((await kernel.wait(pid)).output).toEqual({
    pid,
    agent: "me",
    parent: null,
    tenant: "t",
    capabilities: ["tool:look:call"],
  });
});

test.each([
  [0, "completed"],
  [7, "failed"],
])("exit %i ends a process at once, as %s, with its output", async (code, state) => {
  const { kernel } = await bootForTest({
    programs: {
      leaver: async (sys) => {
        await sys.now();
        await sys.exit(code, { last: "words" });
        return "never";
      },
    },
  });

  const ending = await kernel.wait(await kernel.spawn({ agent: "leaver" }));

  expect(ending).toMatchObject({ state, exitCode: code, output: { last: "words" } });
});

test("an exit code that is none is a broken protocol", async () => {
  const { kernel } = await bootForTest({ programs: { leaver: async (sys) => sys.exit(256) } });

  const ending = await kernel.wait(await kernel.spawn({ agent: "leaver" }));

  expect(ending).toMatchObject({ state: "failed", exitCode: 1, error: { code: "EINVAL" } });
});

test("check says what the gate would, does nothing, and costs nothing", async () => {
  const { kernel, runs } = await bootForTest({
    policy: [
      { id: "all", effect: "allow" },
      { id: "ask-pay", effect: "ask", tools: ["pay"] },
      { id: "no-random", effect: "kill", calls: ["random"] },
    ],
    programs: {
      prudent: async (sys) => {
        const said = [
          await sys.check("exec", { tool: "look", args: {} }),
          await sys.check("exec", { tool: "look", args: {} }),
          await sys.check("exec", { tool: "set", args: {} }),
          await sys.check("exec", { tool: "pay", args: {} }),
          await sys.check("random", {}),
          await sys.check("nonsense" as never, {}),
          await sys.check("sleep", { until: "x" }),
        ];
        await sys.exec("look", {});
        said.push(await sys.check("exec", { tool: "look", args: {} }));
        return said.map(({ allow, code }) => (allow ? "allow" : code));
      },
    },
  });

  const pid = await kernel.spawn({
    agent: "prudent",
    capabilities: ["tool:look:call{max:1}", "tool:pay:call"],
    budget: { toolCalls: 1 },
  });

  expect((await kernel.wait(pid)).output).toEqual([
    "allow",
    "allow",
    "EACCES",
    "EDENIED",
    "EPOLICY",
    "EINVAL",
    "EINVAL",
    "EACCES",
  ]);
  expect(runs.length).toBe(1);
});

test("more calls at once than the limit are a broken protocol", async () => {
  const { kernel } = await bootForTest({
    limits: { pendingCalls: 10 },
    programs: {
      flood: async (sys) =>
        Promise.all(Array.from({ length: 11 }, () => sys.exec("look", { hang: true }))),
    },
  });

  const ending = await kernel.wait(await kernel.spawn({ agent: "flood", capabilities: TOOLS }));

  expect(ending).toMatchObject({ state: "failed", error: { code: "EINVAL" } });
});
