import { expect, test } from "vitest";
import { bootForTest, callsOf, codeOf, TOOLS } from "../../helpers/kernel.ts";
import { allowBut } from "../../helpers/policy.ts";

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
  const { kernel } = await bootForTest({
    programs: { me: async (sys) => sys.self() },
    tenants: { t: {} },
  });

  const pid = await kernel.spawn({ agent: "me", capabilities: ["tool:look:call"], tenant: "t" });

  expect((await kernel.wait(pid)).output).toEqual({
    pid,
    agent: "me",
    parent: null,
    tenant: "t",
    capabilities: ["tool:look:call"],
    grants: [],
    label: "trusted/public",
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
    policy: allowBut({ id: "ask-pay", ask: "tool:pay" }, { id: "no-random", kill: "random" }),
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
