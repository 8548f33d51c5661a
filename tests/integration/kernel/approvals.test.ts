import { expect, test } from "vitest";
import { bootForTest, codeOf, TOOLS, until } from "../../helpers/kernel.ts";
import { allowBut } from "../../helpers/policy.ts";

const askBeforePay = allowBut({ id: "ask-pay", ask: "tool:pay" });

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
