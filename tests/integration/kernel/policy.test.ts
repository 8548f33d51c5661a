import { expect, test } from "vitest";
import { bootForTest, codeOf, TOOLS } from "../../helpers/kernel.ts";
import { allowBut, only } from "../../helpers/policy.ts";

test("deny stands above any capability", async () => {
  const { kernel, runs } = await bootForTest({
    policy: allowBut({ id: "no-pay", deny: "tool:pay" }),
    programs: {
      payer: async (sys) => [await codeOf(sys.exec("pay", {})), await codeOf(sys.now())],
    },
  });

  const pid = await kernel.spawn({ agent: "payer", capabilities: TOOLS });

  expect((await kernel.wait(pid)).output).toEqual(["EPOLICY", "ok"]);
  expect(runs).toEqual([]);
});

test("what no rule speaks of is denied", async () => {
  const { kernel } = await bootForTest({
    policy: only({ id: "only-time", allow: "now" }),
    programs: { any: async (sys) => [await codeOf(sys.now()), await codeOf(sys.random())] },
  });

  const pid = await kernel.spawn({ agent: "any" });

  expect((await kernel.wait(pid)).output).toEqual(["ok", "EPOLICY"]);
});

test("a rule for one agent leaves the others alone", async () => {
  const { kernel } = await bootForTest({
    policy: allowBut({ id: "not-bob", deny: "*", agents: ["bob"] }),
    programs: {
      alice: async (sys) => codeOf(sys.now()),
      bob: async (sys) => codeOf(sys.now()),
    },
  });

  const [alice, bob] = [
    await kernel.spawn({ agent: "alice" }),
    await kernel.spawn({ agent: "bob" }),
  ];

  expect((await kernel.wait(alice)).output).toBe("ok");
  expect((await kernel.wait(bob)).output).toBe("EPOLICY");
});

test.each([
  ["no layers", []],
  ["no rules", only()],
  ["two rules of one name", allowBut({ id: "all", deny: "now" })],
  ["a call that does not exist", allowBut({ id: "x", deny: "fly" })],
  ["a tool that does not exist", allowBut({ id: "x", deny: "tool:fly" })],
  ["an effect that does not exist", allowBut({ id: "x", maybe: "now" })],
])("a kernel does not start with %s", async (_what, policy) => {
  const booting = bootForTest({ policy });

  await expect(booting).rejects.toMatchObject({ code: "EINVAL" });
});

test("a shadow rule changes nothing and says in the record what it would have done", async () => {
  const { kernel } = await bootForTest({
    policy: allowBut({ id: "tomorrow", shadow: "deny", of: "now" }),
    programs: { any: async (sys) => codeOf(sys.now()) },
  });

  const pid = await kernel.spawn({ agent: "any" });

  expect((await kernel.wait(pid)).output).toBe("ok");
  expect((await kernel.journal(pid))[1]).toMatchObject({
    call: "now",
    verdict: "shadow: test/tomorrow would deny",
  });
});

test("kill ends the process at once with a core dump", async () => {
  const { kernel } = await bootForTest({
    policy: allowBut({ id: "trap", kill: "tool:pay" }),
    programs: {
      thief: async (sys) => {
        await sys.now();
        await codeOf(sys.exec("pay", { to: "mallory" }));
        return "still here";
      },
    },
  });

  const pid = await kernel.spawn({ agent: "thief", capabilities: TOOLS });

  expect(await kernel.wait(pid)).toMatchObject({ state: "killed", exitCode: 96, output: null });
  expect(await kernel.coreDump(pid)).toMatchObject({
    pid,
    code: 96,
    error: { code: "EPOLICY", message: expect.stringContaining("trap") as string },
    pending: [{ call: "exec", args: expect.stringContaining("mallory") as string }],
  });
});
