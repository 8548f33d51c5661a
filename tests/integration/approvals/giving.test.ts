// What an answer gives beside itself: "always", and the yes to a proposal.

import { expect, test } from "vitest";
import { codeOf, TOOLS, until } from "../../helpers/kernel.ts";
import { batchOf, bootPayer, messageOf, openOf, policyOf, spawnPayer } from "./asking.ts";

test("always gives what was shown, and the same is not asked again; anything else is", async () => {
  const { kernel, runs } = await bootPayer();
  const first = await spawnPayer(kernel, "alice");
  const [question] = await openOf(kernel, 1);

  const report = await kernel.answer(question!.id, { by: "ann", choice: "approve", always: true });
  await kernel.wait(first);
  const second = await spawnPayer(kernel, "alice", "bob");
  const [other] = await openOf(kernel, 1);

  expect(question!.about!.cover).toEqual([`tool:pay:call{hold:use,args:pinned,pin.to:"alice"}`]);
  expect(report.given).toMatchObject({ capabilities: question!.about!.cover });
  expect(runs.map(({ args }) => args)).toEqual([{ to: "alice" }, { to: "alice" }]);
  expect(other!.about!.args).toContain("bob");
  const power = await kernel.power({ agent: "payer" });
  expect(JSON.stringify(power)).toContain(report.given!.handle);
  expect(await kernel.ledger()).toMatchObject([
    { by: "ann", what: "question.answer" },
    { by: "ann", what: "grant", detail: { ...report.given, question: question!.id } },
  ]);
  await kernel.answer(other!.id, { by: "ann", choice: "deny" });
  await kernel.wait(second);
});

test("a rule that wants to be asked every time has no always, nor has one that needs several people", async () => {
  const every = await bootPayer({
    policy: policyOf({ id: "ask-pay", ask: "tool:pay", everyTime: true }),
  });
  const several = await bootPayer({
    policy: policyOf({ id: "ask-pay", ask: "tool:pay", quorum: 2 }),
  });
  const channels = { a: { people: ["ann"] }, b: { people: ["ann"] } };
  const rules = ["a", "b"].map((channel) => ({ id: channel, ask: "tool:pay", channel }));
  const groups = await bootPayer({ approvals: { channels }, policy: policyOf(...rules) });

  for (const { kernel } of [every, several, groups]) {
    await spawnPayer(kernel, "alice");
    const [question] = await openOf(kernel, 1);
    await expect(
      kernel.answer(question!.id, { by: "ann", choice: "approve", always: true }),
    ).rejects.toMatchObject({ code: "ESTATE", message: expect.stringContaining(`"always"`) });
    expect((await kernel.questions())[0]!.votes).toEqual([]);
    expect(await kernel.ledger()).toEqual([]);
  }
});

test("always is for a yes to a rule, about something that a capability can say", async () => {
  const { kernel } = await bootPayer({
    programs: {
      odd: async (sys) => {
        const asked = codeOf(sys.ask("Go on?", { choices: ["approve"] }));
        const proposed = codeOf(sys.ask("Please.", { propose: ["tool:set:call"] }));
        return [
          await codeOf(sys.exec("pay", "not an object with named fields")),
          await asked,
          await proposed,
        ];
      },
    },
  });
  await kernel.spawn({ agent: "odd", capabilities: TOOLS });
  const questions = await openOf(kernel, 3);

  for (const { id, kind } of questions) {
    const always = { by: "ann", choice: "approve", always: true };
    await expect(kernel.answer(id, always)).rejects.toMatchObject({ code: "ESTATE" });
    if (kind !== "policy") continue;
    await expect(kernel.answer(id, { ...always, choice: "deny" })).rejects.toMatchObject({
      code: "ESTATE",
      message: expect.stringContaining("only an approval"),
    });
  }
});

test("always over a batch is given once", async () => {
  const { kernel } = await bootPayer();
  const pids = [await spawnPayer(kernel, "alice"), await spawnPayer(kernel, "alice")];
  const line = await batchOf(kernel, 2);

  await kernel.answer(line.id, { by: "ann", choice: "approve", always: true });

  for (const pid of pids) expect((await kernel.wait(pid)).output).toEqual(["ok"]);
  const given = (await kernel.ledger()).filter(({ what }) => what === "grant");
  expect(given.length).toBe(1);
});

test("a proposal shows what is new in it, and its yes gives just that to just this process", async () => {
  const { kernel, runs } = await bootPayer({
    policy: policyOf(),
    programs: {
      poor: async (sys) => [
        await codeOf(sys.exec("pay", { to: "alice" })),
        await sys.ask("I have to pay alice.", {
          propose: ["tool:look:call", "tool:pay:call{max:1}"],
        }),
        await codeOf(sys.exec("pay", { to: "alice" })),
        await codeOf(sys.exec("pay", { to: "alice" })),
      ],
      other: async (sys) => codeOf(sys.exec("pay", {})),
    },
  });
  const pid = await kernel.spawn({ agent: "poor", capabilities: ["tool:look:call"] });
  const [question] = await openOf(kernel, 1);

  const report = await kernel.answer(question!.id, { by: "ann", choice: "approve" });

  expect(question).toMatchObject({
    kind: "proposal",
    question: "I have to pay alice.",
    choices: ["approve", "deny"],
    about: {
      cover: ["tool:look:call", "tool:pay:call{max:1}"],
      difference: ["tool:pay:call{max:1}"],
    },
  });
  expect(report.given).toMatchObject({ capabilities: question!.about!.cover });
  expect((await kernel.wait(pid)).output).toEqual(["EACCES", "approve", "ok", "EACCES"]);
  expect(runs.length).toBe(1);
  const another = await kernel.spawn({ agent: "poor", capabilities: ["tool:look:call"] });
  expect(await openOf(kernel, 1)).toMatchObject([{ pid: another }]);
});

test.each(["again", "crash"] as const)(
  "what a proposal was given is there after a restart (%s)",
  async (how) => {
    const booted = await bootPayer({
      unloadAfterMs: 0,
      policy: policyOf(),
      programs: {
        poor: async (sys) => {
          const said = await sys.ask("Please.", { propose: ["tool:pay:call"] });
          await sys.receive();
          return [said, await codeOf(sys.exec("pay", {}))];
        },
      },
    });
    const pid = await booted.kernel.spawn({ agent: "poor" });
    const [question] = await openOf(booted.kernel, 1);
    await booted.kernel.answer(question!.id, { by: "ann", choice: "approve" });

    const { kernel } = await booted[how]();
    await kernel.send(pid, "go on");

    expect((await kernel.wait(pid)).output).toEqual(["approve", "ok"]);
  },
);

test("a proposal that is denied, withdrawn or not answered gives nothing", async () => {
  const { kernel, runs } = await bootPayer({
    policy: policyOf(),
    programs: {
      poor: async (sys, input) => {
        const until = input === "late" ? (await sys.now()) + 40 : undefined;
        const propose = ["tool:pay:call"];
        const said = sys.ask(input as string, {
          propose,
          ...(until === undefined ? {} : { until }),
        });
        return [
          await said.catch((error: { code: string }) => error.code),
          await codeOf(sys.exec("pay", {})),
        ];
      },
    },
  });
  const spawn = (input: string) => kernel.spawn({ agent: "poor", input });

  const denied = await spawn("deny me");
  await kernel.answer((await openOf(kernel, 1))[0]!.id, { by: "ann", choice: "deny" });
  const withdrawn = await spawn("withdraw me");
  await until(async () => (await kernel.questions())[0]?.pid === withdrawn, "the second");
  await kernel.cancelQuestion((await openOf(kernel, 1))[0]!.id, { by: "ann" });
  const late = await spawn("late");

  expect((await kernel.wait(denied)).output).toEqual(["deny", "EACCES"]);
  expect((await kernel.wait(withdrawn)).output).toEqual(["EDENIED", "EACCES"]);
  expect((await kernel.wait(late)).output).toEqual(["EDENIED", "EACCES"]);
  expect(runs).toEqual([]);
});

test("a proposal without an end of its own has that of approvals", async () => {
  const { kernel } = await bootPayer({
    approvals: { expiresMs: 40 },
    programs: { poor: async (sys) => messageOf(sys.ask("?", { propose: ["tool:pay:call"] })) },
  });

  const pid = await kernel.spawn({ agent: "poor" });

  expect((await kernel.wait(pid)).output).toBe("EDENIED: ask: nobody answered within 40ms");
});

test("a proposal needs the quorum of its channel before it gives anything", async () => {
  const { kernel } = await bootPayer({
    policy: policyOf(),
    approvals: { channels: { board: { people: ["ann", "bob"], quorum: 2 } } },
    programs: {
      poor: async (sys) => {
        const asked = sys.ask("Please.", { propose: ["tool:pay:call"], channel: "board" });
        await sys.receive();
        const before = await codeOf(sys.exec("pay", {}));
        return [before, await asked, await codeOf(sys.exec("pay", {}))];
      },
    },
  });
  const pid = await kernel.spawn({ agent: "poor" });
  const [question] = await openOf(kernel, 1);

  const first = await kernel.answer(question!.id, { by: "ann", choice: "approve" });
  const between = await kernel.power({ pid });
  await kernel.send(pid, "try");
  await until(
    async () => JSON.stringify(await kernel.journal(pid)).includes("EACCES"),
    "the first try",
  );
  const second = await kernel.answer(question!.id, { by: "bob", choice: "approve" });

  expect(first.given).toBeUndefined();
  expect(between.holdings.length).toBe(1);
  expect(second.given).toMatchObject({ capabilities: ["tool:pay:call"] });
  expect((await kernel.wait(pid)).output).toEqual(["EACCES", "approve", "ok"]);
  const grants = (await kernel.journal(pid)).filter(({ kind }) => kind === "grant");
  expect(grants).toMatchObject([{ by: "bob", handle: second.given!.handle }]);
});

test("what a proposal says is read before anybody is asked", async () => {
  const { kernel } = await bootPayer({
    programs: {
      poor: async (sys) => [
        await messageOf(sys.ask("?", { propose: ["tool:pay:cal"] })),
        await codeOf(sys.ask("?", { propose: [] })),
        await codeOf(sys.ask("?", { propose: ["tool:pay:call"], choices: ["yes"] })),
      ],
    },
  });

  const pid = await kernel.spawn({ agent: "poor" });

  const [message, ...codes] = (await kernel.wait(pid)).output as string[];
  expect(message).toMatch(/^EINVAL: .*\n {2}tool:pay:cal\n {2} {9}\^$/);
  expect(codes).toEqual(["EINVAL", "EINVAL"]);
  expect(await kernel.ledger()).toEqual([]);
});
