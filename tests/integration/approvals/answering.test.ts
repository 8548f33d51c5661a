// Who may answer, how often, and what settles a question.

import { expect, test } from "vitest";
import { codeOf, TOOLS, until } from "../../helpers/kernel.ts";
import { bootPayer, openOf, policyOf, spawnPayer } from "./asking.ts";

const channels = {
  treasury: { people: ["ann", "bob", "cem"], quorum: 2 },
  desk: { people: ["dee"] },
};

test("a question says what it is about, and the record of the call says who approved", async () => {
  const { kernel } = await bootPayer();
  const pid = await spawnPayer(kernel, "alice");

  const [question] = await openOf(kernel, 1);
  const report = await kernel.answer(question!.id, { by: "ann", choice: "approve" });
  await kernel.wait(pid);

  expect(question).toMatchObject({
    pid,
    kind: "policy",
    choices: ["approve", "deny"],
    channel: null,
    quorum: 1,
    count: 1,
    pids: [pid],
    about: {
      agent: "payer",
      call: "exec",
      tool: "pay",
      args: `{"args":{"to":"alice"},"tool":"pay"}`,
      touches: ["tool:pay:call"],
      label: "trusted/public",
      colour: "BLUE",
      rule: "organisation/ask-pay",
      effect: "external",
      sinks: ["egress"],
    },
  });
  expect(Date.parse(question!.expiresAt!) - Date.parse(question!.askedAt)).toBe(86_400_000);
  expect(report).toMatchObject({ settled: true, answer: "approve", votes: 1, needed: 1 });
  const outcome = (await kernel.journal(pid)).find(({ kind }) => kind === "outcome");
  expect(outcome).toMatchObject({
    verdict: `approved by ann (${question!.id}, organisation/ask-pay)`,
  });
});

test("long arguments are shown whole, and what is too long to be shown is not asked about", async () => {
  const { kernel, runs } = await bootPayer();
  const long = `${"x".repeat(50_000)}; and then something else`;
  const pid = await spawnPayer(kernel, long, "x".repeat(100_001));

  const [question] = await openOf(kernel, 1);
  await kernel.answer(question!.id, { by: "ann", choice: "approve" });

  expect(JSON.parse(question!.about!.args)).toEqual({ tool: "pay", args: { to: long } });
  expect((await kernel.wait(pid)).output).toEqual(["ok", "EDENIED"]);
  expect(runs.map(({ args }) => args)).toEqual([{ to: long }]);
});

test("what hides or turns text is escaped in all that a person is shown, and is the same JSON", async () => {
  const { kernel } = await bootPayer();
  const odd = "a\u202etxt.exe\u0007\u200b\u001b[2J\u{e0041}";
  const pid = await spawnPayer(kernel, odd);

  const [question] = await openOf(kernel, 1);

  // oxlint-disable-next-line no-control-regex
  expect(JSON.stringify(question)).not.toMatch(/[\u202e\u0007\u200b\u001b\u{e0041}]/u);
  expect(question!.about!.args).toContain("\\u202e");
  expect(JSON.parse(question!.about!.args)).toEqual({ tool: "pay", args: { to: odd } });
  await kernel.signal(pid, "SIGKILL");
});

test("nobody whose name is a pid answers or withdraws anything", async () => {
  const { kernel } = await bootPayer();
  const pid = await spawnPayer(kernel, "alice");
  const [question] = await openOf(kernel, 1);

  for (const by of [pid, "agt_somebody"]) {
    await expect(kernel.answer(question!.id, { by, choice: "approve" })).rejects.toMatchObject({
      code: "EACCES",
    });
    await expect(kernel.cancelQuestion(question!.id, { by })).rejects.toMatchObject({
      code: "EACCES",
    });
  }
  await expect(kernel.answer(question!.id, { by: " ", choice: "approve" })).rejects.toMatchObject({
    code: "EINVAL",
  });

  expect((await kernel.questions())[0]).toMatchObject({ id: question!.id, votes: [] });
  await kernel.answer(question!.id, { by: "ann", choice: "deny" });
  await kernel.wait(pid);
});

test("only people of the channel answer, and who may is said", async () => {
  const { kernel } = await bootPayer({
    approvals: { channels },
    policy: policyOf({ id: "ask-pay", ask: "tool:pay", channel: "desk" }),
  });
  const pid = await spawnPayer(kernel, "alice");
  const [question] = await openOf(kernel, 1);

  await expect(kernel.answer(question!.id, { by: "ann", choice: "approve" })).rejects.toMatchObject(
    { code: "EACCES", hint: "these people may answer: dee" },
  );
  await kernel.answer(question!.id, { by: "dee", choice: "approve" });

  expect(question).toMatchObject({ channel: "desk", people: ["dee"], quorum: 1 });
  expect((await kernel.wait(pid)).output).toEqual(["ok"]);
});

test("a quorum is of different people, the larger of rule and channel", async () => {
  const { kernel, runs } = await bootPayer({
    approvals: { channels },
    policy: policyOf({ id: "ask-pay", ask: "tool:pay", channel: "treasury" }),
  });
  const pid = await spawnPayer(kernel, "alice");
  const [question] = await openOf(kernel, 1);
  const approve = (by: string) => kernel.answer(question!.id, { by, choice: "approve" });

  const first = await approve("ann");
  const again = await approve("ann");
  const between = await kernel.questions();
  const second = await approve("bob");

  expect(first).toMatchObject({ settled: false, answer: null, votes: 1, needed: 2 });
  expect(again).toEqual(first);
  expect(between[0]).toMatchObject({ quorum: 2, votes: [{ person: "ann", choice: "approve" }] });
  expect(second).toMatchObject({ settled: true, answer: "approve", votes: 2, needed: 2 });
  expect((await kernel.wait(pid)).output).toEqual(["ok"]);
  expect(runs.length).toBe(1);
  const outcome = (await kernel.journal(pid)).find(({ kind }) => kind === "outcome");
  expect(outcome).toMatchObject({ verdict: expect.stringContaining("approved by ann, bob") });
});

test("one no is enough, whatever others said", async () => {
  const { kernel, runs } = await bootPayer({
    policy: policyOf({ id: "ask-pay", ask: "tool:pay", quorum: 3 }),
  });
  const pid = await spawnPayer(kernel, "alice");
  const [question] = await openOf(kernel, 1);

  await kernel.answer(question!.id, { by: "ann", choice: "approve" });
  await expect(kernel.answer(question!.id, { by: "ann", choice: "deny" })).rejects.toMatchObject({
    code: "ESTATE",
    message: expect.stringContaining("already"),
  });
  const no = await kernel.answer(question!.id, { by: "bob", choice: "deny", text: "not him" });

  expect(no).toMatchObject({ settled: true, answer: "deny", needed: 1 });
  expect((await kernel.wait(pid)).output).toEqual(["EDENIED"]);
  expect(JSON.stringify(await kernel.journal(pid))).toContain("a person said no to exec: not him");
  expect(runs).toEqual([]);
});

test("where two rules ask two channels, both have to say yes", async () => {
  const booted = await bootPayer({
    approvals: { channels },
    policy: policyOf(
      { id: "desk-pays", ask: "tool:pay", channel: "desk" },
      { id: "treasury-pays", ask: "tool:pay", channel: "treasury" },
    ),
  });
  const pid = await spawnPayer(booted.kernel, "alice");
  const channelsOf = async () => (await booted.kernel.questions()).map(({ channel }) => channel);
  const [first] = await openOf(booted.kernel, 1);
  const one = first!.channel!;
  const people = { desk: ["dee"], treasury: ["ann", "cem"] } as Record<string, string[]>;
  for (const by of people[one]!) await booted.kernel.answer(first!.id, { by, choice: "approve" });
  await until(async () => (await channelsOf()).some((name) => name !== one), "the other channel");
  expect(booted.runs).toEqual([]);

  const { kernel, runs } = await booted.again();
  const [second] = await openOf(kernel, 1);
  for (const by of people[second!.channel!]!)
    await kernel.answer(second!.id, { by, choice: "approve" });

  expect((await kernel.wait(pid)).output).toEqual(["ok"]);
  expect(runs.length).toBe(1);
  expect(second!.digest).toBe(first!.digest);
});

test("of the same word twice at once one counts", async () => {
  const { kernel } = await bootPayer();
  const pid = await spawnPayer(kernel, "alice", "zoe");
  const [question] = await openOf(kernel, 1);
  const approve = () => kernel.answer(question!.id, { by: "ann", choice: "approve" });

  const [one, two] = await Promise.all([approve(), approve()]);

  expect(two).toEqual(one);
  expect((await kernel.ledger()).length).toBe(1);
  expect((await kernel.show(pid)).endedAt).toBeNull();
});

test("what is settled stays: the same word again is fine, another is refused", async () => {
  const { kernel, runs } = await bootPayer();
  await spawnPayer(kernel, "alice", "zoe"); // goes on, and waits for the next
  const [question] = await openOf(kernel, 1);
  const said = await kernel.answer(question!.id, { by: "ann", choice: "approve" });

  expect(await kernel.answer(question!.id, { by: "ann", choice: "approve" })).toEqual(said);
  for (const word of [
    { by: "ann", choice: "deny" },
    { by: "bob", choice: "approve" },
  ])
    await expect(kernel.answer(question!.id, word)).rejects.toMatchObject({ code: "ESTATE" });
  await expect(kernel.cancelQuestion(question!.id, { by: "bob" })).rejects.toMatchObject({
    code: "ESTATE",
  });
  await expect(
    kernel.answer("ask_nothing", { by: "bob", choice: "approve" }),
  ).rejects.toMatchObject({ code: "ENOENT" });

  await until(() => runs.length === 1, "the payment");
  expect((await kernel.ledger()).length).toBe(1);
});

test("the question of a process that has ended is no longer open, and takes no answer", async () => {
  const { kernel } = await bootPayer();
  const pid = await spawnPayer(kernel, "alice");
  const [question] = await openOf(kernel, 1);

  await kernel.signal(pid, "SIGKILL");
  await kernel.wait(pid);

  expect(await kernel.questions()).toEqual([]);
  await expect(kernel.answer(question!.id, { by: "ann", choice: "approve" })).rejects.toMatchObject(
    { code: "ESTATE", message: expect.stringContaining("ended") },
  );
  expect(await kernel.ledger()).toEqual([]);
});

test("a withdrawn question is a refusal that says who withdrew it", async () => {
  const { kernel, runs } = await bootPayer();
  const pid = await spawnPayer(kernel, "alice");
  const [question] = await openOf(kernel, 1);

  const report = await kernel.cancelQuestion(question!.id, { by: "ann", text: "wrong day" });

  expect(report).toEqual({ id: question!.id, alsoWithdrawn: [] });
  expect((await kernel.wait(pid)).output).toEqual(["EDENIED"]);
  expect(JSON.stringify(await kernel.journal(pid))).toContain("withdrawn by ann: wrong day");
  expect(runs).toEqual([]);
  expect(await kernel.questions()).toEqual([]);
  expect(await kernel.ledger()).toMatchObject([{ by: "ann", what: "question.cancel" }]);
});

test("a program asks a channel in its own words; a channel that is not there is an error", async () => {
  const { kernel } = await bootPayer({
    approvals: { channels },
    programs: {
      shy: async (sys) => [
        await codeOf(sys.ask("Anyone?", { channel: "nowhere" })),
        await sys.ask("Red or blue?", { choices: ["red", "blue"], channel: "treasury" }),
      ],
    },
  });
  const pid = await kernel.spawn({ agent: "shy", capabilities: TOOLS });
  const [question] = await openOf(kernel, 1);

  await kernel.answer(question!.id, { by: "ann", choice: "red" });
  await kernel.answer(question!.id, { by: "bob", choice: "blue" });
  const last = await kernel.answer(question!.id, { by: "cem", choice: "blue" });

  expect(last).toMatchObject({ settled: true, answer: "blue", votes: 2, needed: 2 });
  expect((await kernel.wait(pid)).output).toEqual(["EINVAL", "blue"]);
});

test.each([
  [{ people: [] }, "has no people"],
  [{ people: ["ann"], quorum: 2 }, "has 1 people, fewer than its quorum of 2"],
  [{ people: ["ann", "ann"] }, "names a person twice"],
  [{ people: ["agt_1"] }, "is not a person"],
  [{ people: ["ann"], quorum: 0.5 }, "whole number"],
])("a channel that nobody could satisfy is an error at boot: %j", async (channel, problem) => {
  await expect(bootPayer({ approvals: { channels: { bad: channel } } })).rejects.toMatchObject({
    code: "EINVAL",
    message: expect.stringContaining(problem),
  });
});

test("a rule that wants more people than its channel has is a refusal, not a wait", async () => {
  const { kernel } = await bootPayer({
    approvals: { channels },
    policy: policyOf({ id: "ask-pay", ask: "tool:pay", channel: "desk", quorum: 2 }),
  });

  const pid = await spawnPayer(kernel, "alice");

  expect((await kernel.wait(pid)).output).toEqual(["EPOLICY"]);
  expect(await kernel.questions()).toEqual([]);
});
