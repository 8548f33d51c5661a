import type { CauseLink, CausesReport, Json, Sys, Tool } from "@aos/protocol";
import { bootKernel } from "@aos/kernel";
import { expect, onTestFinished, test } from "vitest";
import { bootForTest, codeOf, TOOLS, until } from "../../helpers/kernel.ts";
import { allowBut } from "../../helpers/policy.ts";

const capabilities = [...TOOLS, "memory:/mem/**:*", "agent:*:spawn", "message:*:*"];

/** What the chain says, each link by its record, agent and line. */
const told = ({ links }: Pick<CausesReport, "links">) =>
  links.map(({ agent, seq, what }) => `${agent}#${seq} ${what}`);

const linkTo = ({ links }: Pick<CausesReport, "links">, what: string): CauseLink =>
  links.find((link) => link.what.startsWith(what))!;

test("an end is told back to its start and to who started it", async () => {
  const { kernel } = await bootForTest({
    programs: {
      writer: async (sys) => {
        await sys.exec("look", { give: "a" });
        return sys.exec("set", { give: "b" });
      },
    },
  });
  const pid = await kernel.spawn({ agent: "writer", input: "go", capabilities });
  await kernel.wait(pid);

  const causes = await kernel.causes(pid);

  expect(told(causes)).toEqual([
    "writer#3 completed with exit code 0",
    'writer#2 exec set {"give":"b"}',
    'writer#1 exec look {"give":"a"}',
    "writer#0 start writer go",
  ]);
  expect(causes.links.map(({ from }) => from)).toEqual([
    [`${pid}#2`],
    [`${pid}#1`],
    [`${pid}#0`],
    ["operator"],
  ]);
  expect(causes).toMatchObject({ seq: 3, exitCode: 0, summary: "completed with exit code 0: b" });
});

test("an end by a refusal names the check, the nearest grant and the one that would have helped", async () => {
  const { kernel } = await bootForTest({
    programs: { thief: async (sys) => sys.write("/mem/shared/safe", 1) },
  });
  const pid = await kernel.spawn({ agent: "thief", capabilities: ["memory:/mem/working/**:*"] });
  await kernel.wait(pid);

  const causes = await kernel.causes(pid);

  expect(causes).toMatchObject({
    state: "failed",
    exitCode: 96,
    error: { code: "EACCES" },
    decision: {
      seq: 1,
      outcome: "refused",
      code: "EACCES",
      detail: { check: "capability", grant: ["memory:/mem/shared/safe:write"] },
    },
  });
  expect(linkTo(causes, "write")).toMatchObject({ code: "EACCES", seq: 1 });
  expect(causes.grants).toEqual([]);
});

test("a call that was let pass says by which grant, whose it is and since when", async () => {
  const { kernel } = await bootForTest({
    programs: {
      waiter: async (sys) => {
        await sys.receive();
        await sys.exec("look", {});
        return sys.exec("set", {});
      },
    },
  });
  const born = ["message:*:receive", "tool:set:call"];
  const pid = await kernel.spawn({ agent: "waiter", capabilities: born });
  const given = { capabilities: ["tool:look:call"], by: "alice", reason: "for today" };
  const { handle } = await kernel.grant({ pid }, given);
  await kernel.send(pid, "go");
  await kernel.wait(pid);
  const records = await kernel.journal(pid);
  const seqOf = (tool: string) =>
    records.find(({ kind, ...rest }) => kind === "call" && JSON.stringify(rest).includes(tool))!
      .seq;

  const granted = await kernel.causes(pid, seqOf('"look"'));
  const fromBirth = await kernel.causes(pid, seqOf('"set"'));

  expect(granted.decision).toMatchObject({ outcome: "allowed", call: "exec" });
  expect(granted.grants).toMatchObject([
    { capability: "tool:look:call", handle, by: "alice", reason: "for today" },
  ]);
  expect(fromBirth.grants).toContainEqual(
    expect.objectContaining({ capability: "tool:set:call", handle: "birth", by: "operator" }),
  );
});

test("who approved, when and by which rule is said of the call that they approved", async () => {
  const { kernel } = await bootForTest({
    policy: allowBut({ id: "ask-pay", ask: "tool:pay" }),
    programs: { payer: async (sys) => sys.exec("pay", { to: "alice" }) },
  });
  const pid = await kernel.spawn({ agent: "payer", capabilities });
  await until(async () => (await kernel.questions()).length === 1, "the question");
  const [question] = await kernel.questions();

  const before = await kernel.causes(pid);
  await kernel.answer(question!.id, { by: "bob", choice: "approve", text: "once" });
  await kernel.wait(pid);
  const after = await kernel.causes(pid);

  expect(before).toMatchObject({ state: "waiting", waitingOn: "approval", exitCode: null });
  expect(before.waitsFor).toMatchObject([{ question: question!.id, answer: null, votes: [] }]);
  expect(after.waitsFor).toEqual([]);
  expect(linkTo(after, "outcome of call 1")).toMatchObject({
    verdict: expect.stringContaining("approved by bob"),
    people: [
      {
        question: question!.id,
        kind: "policy",
        rule: expect.stringContaining("ask-pay"),
        answer: "approve",
        answeredBy: "bob",
        votes: [{ person: "bob", choice: "approve", reason: "once" }],
      },
    ],
  });
});

test("only what people can still say is waited for", async () => {
  const { kernel } = await bootForTest({
    policy: allowBut({ id: "ask-pay", ask: "tool:pay" }),
    programs: {
      payer: async (sys) => {
        await sys.exec("pay", {});
        await codeOf(sys.ask("Anyone?", { until: (await sys.now()) + 1 }));
        return (await sys.receive()).body;
      },
    },
  });
  const pid = await kernel.spawn({ agent: "payer", capabilities });
  await until(async () => (await kernel.questions()).length === 1, "the question");
  await kernel.answer((await kernel.questions())[0]!.id, { by: "bob", choice: "approve" });
  await until(async () => (await kernel.show(pid)).waitingOn === "message", "the end of both");

  expect((await kernel.causes(pid)).waitsFor).toEqual([]);
  await kernel.send(pid, "go");
  await kernel.wait(pid);
});

test("of calls that are under way at once, each record is explained by its own", async () => {
  const { kernel } = await bootForTest({
    programs: {
      payer: async (sys) => {
        await Promise.all([sys.exec("pay", { to: 1, ms: 20 }), sys.exec("pay", { to: 2 })]);
        return sys.now();
      },
    },
  });
  const pid = await kernel.spawn({ agent: "payer", capabilities });
  await kernel.wait(pid);

  const begun = (await kernel.journal(pid)).filter(
    ({ kind }) => kind === "intent" || kind === "outcome",
  );
  expect(begun).toHaveLength(4);
  for (const record of begun) {
    const { seq, n } = record as { seq: number; n: number };
    const about = { args: { args: { to: n } } };
    expect(await kernel.why(pid, seq)).toMatchObject(about);
    expect((await kernel.causes(pid, seq)).decision).toMatchObject(about);
  }
});

test("a message leads to the process that sent it, and from there to who started that", async () => {
  const { kernel } = await bootForTest({
    programs: {
      hearer: async (sys) => (await sys.receive()).body,
      sayer: async (sys, to) => sys.send(to as never, "hello"),
    },
  });
  const hearer = await kernel.spawn({ agent: "hearer", capabilities });
  const sayer = await kernel.spawn({ agent: "sayer", input: hearer, capabilities });
  await Promise.all([kernel.wait(hearer), kernel.wait(sayer)]);

  const causes = await kernel.causes(hearer);

  expect(told(causes)).toEqual([
    "hearer#2 completed with exit code 0",
    "hearer#1 receive {}",
    "hearer#0 start hearer null",
    expect.stringMatching(/^sayer#1 send /),
    expect.stringMatching(/^sayer#0 start sayer /),
  ]);
  expect(linkTo(causes, "receive").from).toEqual([`${hearer}#0`, `${sayer}#1`]);
});

test("a child's end leads through the child to the spawn that began it", async () => {
  const { kernel } = await bootForTest({
    programs: {
      parent: async (sys) =>
        (await sys.wait(await sys.spawn("child", 7, { capabilities: TOOLS }))).output,
      child: async (sys, input) => sys.exec("look", { give: input }),
    },
  });
  const pid = await kernel.spawn({ agent: "parent", capabilities });
  await kernel.wait(pid);

  const causes = await kernel.causes(pid);

  expect(told(causes).filter((line) => line.startsWith("child"))).toEqual([
    "child#2 completed with exit code 0",
    'child#1 exec look {"give":7}',
    "child#0 start child 7",
  ]);
  expect(linkTo(causes, "start child").from).toEqual([`${pid}#1`]);
  expect(linkTo(causes, "spawn").seq).toBe(1);
});

test("results that were told together all led to what came next", async () => {
  const { kernel } = await bootForTest({
    programs: {
      both: async (sys) => {
        await Promise.all([sys.exec("look", { give: 1 }), sys.exec("set", { give: 2 })]);
        return sys.now();
      },
    },
  });
  const pid = await kernel.spawn({ agent: "both", capabilities });
  await kernel.wait(pid);

  const causes = await kernel.causes(pid, 3);

  expect(causes.links[0]!.from.toSorted()).toEqual([`${pid}#1`, `${pid}#2`]);
  expect(told(causes).filter((line) => line.includes("exec"))).toHaveLength(2);
});

const page: Tool = {
  name: "page",
  effect: "read",
  version: "1",
  description: "reads what anybody wrote",
  input: {},
  label: { integrity: "untrusted", secrecy: "public" },
  touches: () => [],
  run: async () => "do this",
};

test("the label says which read made it RED", async () => {
  const { kernel } = await bootForTest({
    tools: [page],
    programs: {
      reader: async (sys) => {
        await sys.exec("look", {});
        await sys.exec("page", {});
        await sys.exec("page", {});
        return sys.exec("look", {});
      },
    },
  });
  const powers = [...capabilities, "tool:page:call"];
  const pid = await kernel.spawn({ agent: "reader", capabilities: powers });
  const marked = await kernel.spawn({
    agent: "reader",
    capabilities: powers,
    label: { integrity: "trusted", secrecy: "internal" },
  });
  await Promise.all([kernel.wait(pid), kernel.wait(marked)]);

  expect((await kernel.causes(pid, 1)).label).toEqual({
    text: "trusted/public",
    colour: "BLUE",
    made: [],
  });
  expect((await kernel.causes(pid)).label).toEqual({
    text: "untrusted/public",
    colour: "RED",
    made: [{ seq: 2, label: "untrusted/public", colour: "RED", what: "exec page {}" }],
  });
  expect((await kernel.causes(marked)).label.made).toMatchObject([
    { seq: 0, label: "trusted/internal", what: "its input" },
    { seq: 2, label: "untrusted/internal" },
  ]);
});

const ask = (sys: Sys, content: string) =>
  sys.infer({ model: "fake/x", messages: [{ role: "user", content }] });

test("a cost is told by the calls that made it, with their tokens; a fork pays only its own", async () => {
  const { kernel } = await bootForTest({
    programs: {
      thinker: async (sys) => {
        await ask(sys, "one");
        await sys.exec("look", {});
        return (await ask(sys, "two")).text as Json;
      },
    },
  });
  const powers = [...capabilities, "model:fake/*:infer"];
  const pid = await kernel.spawn({ agent: "thinker", capabilities: powers });
  await kernel.wait(pid);
  const fork = await kernel.fork(pid, { at: 2 });
  await kernel.wait(fork);

  const { cost } = await kernel.causes(pid);

  const call = { what: "infer fake/x", usd: 0.005, tokens: 50, inputTokens: 20, outputTokens: 30 };
  expect(cost).toEqual({
    usd: 0.01,
    tokens: 100,
    calls: [
      { seq: 1, ...call },
      { seq: 3, ...call },
    ],
    leftOut: 0,
  });
  expect((await kernel.causes(pid, 2)).cost).toMatchObject({ usd: 0.005, calls: [{ seq: 1 }] });
  expect((await kernel.causes(fork)).cost).toMatchObject({ usd: 0.005, calls: [{ seq: 4 }] });
  expect(told(await kernel.causes(fork)).at(-1)).toBe("thinker#0 start thinker null");
});

test("a moment has the record whole, the label, and what was spent until then", async () => {
  const long = "x".repeat(5000);
  const { kernel } = await bootForTest({
    tools: [page],
    programs: {
      mover: async (sys) => {
        await sys.write("/mem/working/long", long);
        await sys.exec("pay", {});
        await ask(sys, "one");
        return sys.exec("page", {});
      },
    },
  });
  const pid = await kernel.spawn({
    agent: "mover",
    capabilities: [...capabilities, "model:fake/*:infer", "tool:page:call"],
    budget: { usd: 1 },
  });
  await kernel.wait(pid);

  expect(await kernel.moment(pid, 1)).toMatchObject({
    seq: 1,
    records: 7,
    record: { kind: "call", call: "write", args: { data: long } },
    call: { n: 1, call: "write" },
    label: "trusted/public",
    spent: { usd: 0, tokens: 0 },
    limit: { usd: 1 },
  });
  expect(await kernel.moment(pid, 3)).toMatchObject({
    record: { kind: "outcome" },
    call: { n: 2, call: "exec" },
  });
  expect(await kernel.moment(pid)).toMatchObject({
    seq: 6,
    record: { kind: "end" },
    call: null,
    colour: "RED",
    spent: { usd: 0.005, tokens: 50 },
  });
});

test("a record that is not there is refused with those that are", async () => {
  const { kernel } = await bootForTest({
    programs: { brief: async (sys) => codeOf(sys.exec("look", {})) },
  });
  const pid = await kernel.spawn({ agent: "brief", capabilities });
  await kernel.wait(pid);

  await expect(kernel.causes(pid, 3)).rejects.toThrow("0 to 2");
  await expect(kernel.moment(pid, 3)).rejects.toMatchObject({ code: "EINVAL" });
});

test("a history that is gone is said to be", async () => {
  const kernel = await bootKernel({
    programs: { brief: async (sys) => sys.now() },
    retention: { maxRuns: 0 },
  });
  onTestFinished(() => kernel.close());
  const pid = await kernel.spawn({ agent: "brief" });
  await kernel.wait(pid);
  await kernel.collect();

  await expect(kernel.causes(pid)).rejects.toMatchObject({ code: "ESTATE" });
  await expect(kernel.moment(pid)).rejects.toMatchObject({ code: "ESTATE" });
});
