import { expect, test } from "vitest";
import { bootForTest, callsOf, codeOf, kindsOf, TOOLS, until } from "../../helpers/kernel.ts";

const allow = { id: "all", effect: "allow" as const };

test("deny stands above any capability", async () => {
  const { kernel, runs } = await bootForTest({
    policy: [allow, { id: "no-pay", effect: "deny", tools: ["pay"] }],
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
    policy: [{ id: "only-time", effect: "allow", calls: ["now"] }],
    programs: { any: async (sys) => [await codeOf(sys.now()), await codeOf(sys.random())] },
  });

  const pid = await kernel.spawn({ agent: "any" });

  expect((await kernel.wait(pid)).output).toEqual(["ok", "EPOLICY"]);
});

test("a rule for one agent leaves the others alone", async () => {
  const { kernel } = await bootForTest({
    policy: [allow, { id: "not-bob", effect: "deny", agents: ["bob"] }],
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
  ["no rules", []],
  ["two rules of one name", [allow, allow]],
  ["a call that does not exist", [{ id: "x", effect: "deny" as const, calls: ["fly"] }]],
  ["an effect that does not exist", [{ id: "x", effect: "maybe" as never }]],
])("a kernel does not start with %s", async (_what, policy) => {
  const booting = bootForTest({ policy });

  await expect(booting).rejects.toMatchObject({ code: "EINVAL" });
});

test("a shadow rule changes nothing and says in the record what it would have done", async () => {
  const { kernel } = await bootForTest({
    policy: [allow, { id: "tomorrow", effect: "shadow", calls: ["now"] }],
    programs: { any: async (sys) => codeOf(sys.now()) },
  });

  const pid = await kernel.spawn({ agent: "any" });

  expect((await kernel.wait(pid)).output).toBe("ok");
  expect((await kernel.journal(pid))[1]).toMatchObject({
    call: "now",
    verdict: "shadow: tomorrow",
  });
});

test("kill ends the process at once with a core dump", async () => {
  const { kernel } = await bootForTest({
    policy: [allow, { id: "trap", effect: "kill", tools: ["pay"] }],
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

const askBeforePay = [allow, { id: "ask-pay", effect: "ask" as const, tools: ["pay"] }];

test("a call that needs a person waits for one, and each call needs its own word", async () => {
  const { kernel, runs } = await bootForTest({
    policy: askBeforePay,
    programs: {
      payer: async (sys) => [
        await codeOf(sys.exec("pay", { to: "alice" })),
        await codeOf(sys.exec("pay", { to: "alice" })),
      ],
    },
  });
  const pid = await kernel.spawn({ agent: "payer", capabilities: TOOLS });
  await until(async () => (await kernel.questions()).length === 1, "the first question");
  const [first] = await kernel.questions();
  expect(runs).toEqual([]);

  await kernel.answer(first!.id, { by: "bob", choice: "approve" });
  await until(
    async () => (await kernel.questions()).some(({ id }) => id !== first!.id),
    "the second",
  );
  const [second] = await kernel.questions();
  await kernel.answer(second!.id, { by: "bob", choice: "deny" });

  expect((await kernel.wait(pid)).output).toEqual(["ok", "EDENIED"]);
  expect(second!.digest).toBe(first!.digest);
  expect(runs.length).toBe(1);
});

test("an approval is bound to what was asked, is not given by the asker, and is given once", async () => {
  const { kernel } = await bootForTest({
    policy: askBeforePay,
    programs: {
      payer: async (sys) =>
        Promise.all([codeOf(sys.exec("pay", { to: "a" })), codeOf(sys.exec("pay", { to: "b" }))]),
    },
  });
  const pid = await kernel.spawn({ agent: "payer", capabilities: TOOLS });
  await until(async () => (await kernel.questions()).length === 2, "both questions");
  const [a, b] = await kernel.questions();

  await expect(kernel.answer(a!.id, { by: pid, choice: "approve" })).rejects.toMatchObject({
    code: "EACCES",
  });
  await expect(kernel.answer(a!.id, { by: "bob", choice: "perhaps" })).rejects.toMatchObject({
    code: "EINVAL",
  });
  await kernel.answer(a!.id, { by: "bob", choice: "approve" });
  await expect(kernel.answer(a!.id, { by: "eve", choice: "deny" })).rejects.toMatchObject({
    code: "ESTATE",
  });
  await kernel.answer(b!.id, { by: "bob", choice: "deny" });

  expect(a!.digest).not.toBe(b!.digest);
  expect((await kernel.wait(pid)).output).toEqual(["ok", "EDENIED"]);
});

test.each([0, 10_000])(
  "an approval may come after a restart (unloaded after %i ms)",
  async (unloadAfterMs) => {
    const booted = await bootForTest({
      unloadAfterMs,
      policy: askBeforePay,
      programs: { payer: async (sys) => codeOf(sys.exec("pay", {})) },
    });
    const pid = await booted.kernel.spawn({ agent: "payer", capabilities: TOOLS });
    await until(async () => (await booted.kernel.questions()).length === 1, "the question");

    const { kernel, runs } = await booted.again();

    const [question] = await kernel.questions();
    await kernel.answer(question!.id, { by: "bob", choice: "approve" });
    expect((await kernel.wait(pid)).output).toBe("ok");
    expect(runs.length).toBe(1);
  },
);

test("with a person's word the whole gate is asked again: what was used up meanwhile is refused", async () => {
  const { kernel, runs } = await bootForTest({
    policy: askBeforePay,
    programs: {
      payer: async (sys) => {
        const first = codeOf(sys.exec("pay", { n: 1 }));
        await sys.receive();
        await sys.exec("look", {});
        await sys.send((await sys.self()).pid, "used up");
        return first;
      },
    },
  });
  const pid = await kernel.spawn({
    agent: "payer",
    capabilities: [...TOOLS, "message:*:send"],
    budget: { toolCalls: 1 },
  });
  await until(async () => (await kernel.questions()).length === 1, "the question");
  const [question] = await kernel.questions();
  await kernel.send(pid, "go");
  await until(() => runs.length === 1, "the other call");

  await kernel.answer(question!.id, { by: "bob", choice: "approve" });

  expect((await kernel.wait(pid)).output).toBe("EBUDGET");
  expect(runs.length).toBe(1);
});

test("ask puts a question to a person and gives back the answer, or ends at its time", async () => {
  const { kernel } = await bootForTest({
    programs: {
      shy: async (sys) => [
        await sys.ask("Red or blue?", { choices: ["red", "blue"] }),
        await codeOf(sys.ask("Anyone?", { until: (await sys.now()) + 30 })),
      ],
    },
  });
  const pid = await kernel.spawn({ agent: "shy" });
  await until(async () => (await kernel.questions()).length === 1, "the question");
  const [question] = await kernel.questions();

  await kernel.answer(question!.id, { by: "bob", choice: "blue" });

  expect(question).toMatchObject({ pid, kind: "question", question: "Red or blue?" });
  expect((await kernel.wait(pid)).output).toEqual(["blue", "ETIMEDOUT"]);
  expect(await kernel.questions()).toEqual([]);
});

test("what is secret does not leave the machine, through nobody's hands", async () => {
  const { kernel, runs } = await bootForTest({
    tools: [
      {
        name: "vault",
        version: "1",
        description: "gives a secret",
        input: {},
        effect: "read",
        label: { integrity: "trusted", secrecy: "secret" },
        touches: () => [],
        run: async () => "42",
      },
    ],
    programs: {
      reader: async (sys) => {
        const secret = await sys.exec("vault", {});
        await sys.write("/mem/shared/secret", secret);
        return secret;
      },
      byWait: async (sys) => {
        const child = await sys.spawn("reader", null, {
          capabilities: ["tool:vault:call", "memory:/mem/**:*"],
        });
        const { output } = await sys.wait(child);
        return codeOf(sys.exec("pay", { output }));
      },
      byFile: async (sys) => {
        const secret = await sys.read("/mem/shared/secret");
        return codeOf(sys.exec("pay", { secret }));
      },
      itself: async (sys) => {
        await sys.exec("vault", {});
        const outside = await codeOf(sys.exec("pay", {}));
        const inside = await codeOf(sys.exec("look", {}));
        return [outside, inside, await codeOf(sys.infer({ model: "fake/x", messages: [] }))];
      },
    },
  });
  const capabilities = [
    ...TOOLS,
    "tool:vault:call",
    "memory:/mem/**:*",
    "agent:*:spawn",
    "model:*:infer",
  ];

  const outputs = [];
  for (const agent of ["byWait", "byFile", "itself"])
    outputs.push((await kernel.wait(await kernel.spawn({ agent, capabilities }))).output);

  expect(outputs).toEqual(["EPOLICY", "EPOLICY", ["EPOLICY", "ok", "EPOLICY"]]);
  expect(runs.filter(({ tool }) => tool === "pay")).toEqual([]);
});

test("what was read before a fresh start stays read, also after a restart", async () => {
  const booted = await bootForTest({
    tools: [
      {
        name: "vault",
        version: "1",
        description: "gives a secret",
        input: {},
        effect: "read",
        label: { integrity: "trusted", secrecy: "secret" },
        touches: () => [],
        run: async () => "42",
      },
    ],
    programs: {
      forgetful: async (sys) => {
        const isFirst = (await codeOf(sys.write("/mem/episodic/been", 1))) === "ok";
        if (isFirst) {
          await sys.exec("vault", {});
          throw new Error("begin anew");
        }
        await sys.receive();
        return codeOf(sys.exec("pay", {}));
      },
    },
  });
  const pid = await booted.kernel.spawn({
    manifest: {
      apiVersion: "aos/v1",
      kind: "Agent",
      name: "forgetful",
      program: "forgetful",
      capabilities: [...TOOLS, "tool:vault:call", "memory:/mem/**:*"],
      restart: { on: ["error"], backoff: "1ms" },
    },
  });
  await until(async () => kindsOf(await booted.kernel.journal(pid)).includes("restart"), "restart");
  await until(async () => (await booted.kernel.show(pid)).waitingOn === "message", "waiting");

  const { kernel } = await booted.again();

  await kernel.send(pid, "go on");
  expect((await kernel.wait(pid)).output).toBe("EPOLICY");
  expect(callsOf(await kernel.journal(pid)).at(-1)).toBe("exec EPOLICY");
});
