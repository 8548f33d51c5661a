// What a person says of an effect that a crash left in doubt, and what a running tool asks a person.

import { SysError, type Json, type PersonQuestion } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { digestOfAction } from "./action.ts";
import { execArgs, gateOf } from "../../../tests/helpers/kernel/gate.ts";
import { TEST_NOW, toolOf } from "../../../tests/helpers/kernel/process.ts";

const ALL = ["tool:*:call"];
const turn = () => new Promise((resolve) => setImmediate(resolve));
const messageOf = (told: readonly object[]) =>
  (told[0] as { err: { message: string } }).err.message;

describe("GATE-4: what a crash left in doubt", () => {
  const intent = { attempt: 1 } as never;
  const doubted = (onDoubt?: string, says?: Parameters<typeof gateOf>[0]["says"]) => {
    const gate = gateOf({
      capabilities: ["tool:pay2:call{max:1}"],
      budget: { toolCalls: 3 },
      ...(says && { says }),
    });
    const args = { tool: "pay2", args: {}, ...(onDoubt && { onDoubt }) };
    return { ...gate, again: () => gate.pass("exec", args, { intent }) };
  };
  const answer = (text: string) => () => ({ answer: text, answeredAt: TEST_NOW });

  test.each([
    ["onDoubt: retry", doubted("retry")],
    ["a person who says retry", doubted(undefined, answer("retry"))],
    ["a person who says retry, where it says ask", doubted("ask", answer("retry"))],
  ])("is run again by %s, as the next attempt, and not counted again", async (_who, gate) => {
    expect(await gate.again()).toBe("paid");
    expect(gate.records).toMatchObject([{ kind: "intent", attempt: 2 }, { kind: "outcome" }]);
    expect(gate.process.block.held[0]!.usage.uses).toBe(0);
  });

  test("is taken as done by a person who says so: it does not run, and counts as a tool call", async () => {
    const gate = doubted(undefined, answer("done"));

    expect(await gate.again()).toBeNull();

    expect(gate.noted).not.toContain("pay2 runs");
    expect(gate.records).toMatchObject([{ kind: "outcome", verdict: "taken as done by a person" }]);
    expect(gate.process.account).toMatchObject({ microUsd: 0, tokens: 0, toolCalls: 1 });
  });

  test.each([
    ["onDoubt: fail", doubted("fail")],
    ["a person who says fail", doubted(undefined, answer("fail"))],
  ])("is EINDOUBT by %s", async (_who, gate) => {
    expect(await gate.again()).toBe("EINDOUBT");
    expect(gate.noted).not.toContain("pay2 runs");
    expect(messageOf(gate.told)).toMatch(
      /^a crash hid whether this happened: exec \{"tool":"pay2"/,
    );
  });

  test("is in doubt too where the intent was lost with the node that wrote it", async () => {
    const lost = gateOf({
      capabilities: ALL,
      says: answer("retry"),
      services: { wasBegun: () => true },
    });

    expect(await lost.pass("exec", execArgs("pay2"))).toBe("paid");
    expect(lost.asked).toHaveLength(1);
    expect(lost.records).toMatchObject([
      { kind: "intent", attempt: 1 },
      { kind: "intent", attempt: 2 },
      { kind: "outcome" },
    ]);
    expect(await lost.pass("exec", execArgs("pay2"), { intent })).toBe("paid");
    expect(lost.records.slice(3)).toMatchObject([{ attempt: 2 }, { kind: "outcome" }]);
  });

  test("is put to a person with the three things that can be done", async () => {
    const { asked, begin } = gateOf({ capabilities: ALL });
    begin("exec", execArgs("pay2"), { intent: { attempt: 2 } as never });
    await turn();

    expect(asked[0]!.draft).toMatchObject({
      id: "ask_7.0.doubt.2",
      kind: "doubt",
      choices: ["retry", "done", "fail"],
      expiresAt: null,
      channel: null,
      quorum: 1,
      batch: "ask_7.0.doubt.2",
      about: { agent: "writer", call: "exec", args: '{"args":{},"tool":"pay2"}' },
    });
    expect(asked[0]!.draft.question).toContain(
      'happened: exec {"tool":"pay2","args":{}}. Run it again',
    );
  });

  test("is cut where people read it", async () => {
    const { pass, told } = gateOf({ capabilities: ALL });
    const args = { tool: "pay2", args: { text: "x".repeat(3000) }, onDoubt: "fail" };

    await pass("exec", { ...args, cutAt: 32_000 }, { intent });

    expect(messageOf(told)).toBe(
      `a crash hid whether this happened: ${`exec ${JSON.stringify(args)}`.slice(0, 1000)}`,
    );
  });

  test("is not begun again for who is gone meanwhile", async () => {
    const gate: ReturnType<typeof gateOf> = gateOf({
      capabilities: ALL,
      says: () => {
        for (const call of gate.process.pending.values()) call.cancelled = true;
        return { answer: "retry", answeredAt: TEST_NOW };
      },
    });

    expect(await gate.pass("exec", execArgs("pay2"), { intent })).toBe("nothing");
    expect(gate.records).toEqual([]);
  });
});

describe("what a running tool asks a person", () => {
  const inquiring = (questions: PersonQuestion[], more: Parameters<typeof gateOf>[0] = {}) =>
    gateOf({
      capabilities: ALL,
      tools: [
        toolOf("curious", {
          run: async (_args, context) => {
            const answers: Json[] = [];
            for (const question of questions) answers.push(await context.ask!(question));
            return answers;
          },
        }),
      ],
      ...more,
    });

  test("is a question of the call, one after another, with a time that ends", async () => {
    const says = () => ({ answer: "yes", answeredAt: TEST_NOW });
    const { asked, pass, process } = inquiring([{ text: "hunter2?" }, { text: "sure?" }], { says });

    expect(await pass("exec", execArgs("curious"))).toEqual(["yes", "yes"]);
    expect(asked.map(({ draft }) => draft.id)).toEqual([
      "ask_7.0.question.1",
      "ask_7.0.question.2",
    ]);
    expect(asked[0]!.draft).toMatchObject({
      kind: "question",
      question: "[secret]?",
      choices: ["yes", "no"],
      expiresAt: TEST_NOW + 5000,
      digest: digestOfAction({ call: "exec", args: execArgs("curious") }, process.pid),
      about: { tool: "curious", call: "exec" },
    });
  });

  test("with a schema it is answered in words of the person's own", async () => {
    const says = () => ({ answer: '{"a":1}', answeredAt: TEST_NOW });
    const { asked, pass } = inquiring([{ text: "which?", schema: { type: "object" } }], { says });

    expect(await pass("exec", execArgs("curious"))).toEqual(['{"a":1}']);
    expect(asked[0]!.draft).toMatchObject({
      question: 'which?\nAnswer with JSON: {"type":"object"}',
      choices: [],
    });
  });

  const schema = { type: "object" };
  test.each<[string, object, PersonQuestion, string]>([
    ["a no", { answer: "no", answeredAt: TEST_NOW }, { text: "?" }, "a person said no to exec"],
    ["no answer in time", {}, { text: "?" }, "exec: nobody answered within 5s"],
    ["no words in time", {}, { text: "?", schema }, "exec: nobody answered within 5s"],
  ])("%s is EDENIED", async (_what, row, question, message) => {
    const { pass, told } = inquiring([question], { says: () => row });

    expect(await pass("exec", execArgs("curious"))).toBe("EDENIED");
    expect(messageOf(told)).toBe(message);
  });

  test("a long question is cut", async () => {
    const { asked, begin } = inquiring([{ text: "x".repeat(9000) }]);
    begin("exec", execArgs("curious"));
    await turn();

    expect(/^x+/.exec(asked[0]!.draft.question)![0].length).toBe(8000);
  });

  test("is withdrawn when the tool is stopped, and there is nothing to stop afterwards", async () => {
    const open = inquiring([{ text: "?" }]);
    const { call, passed } = open.begin("exec", execArgs("curious"));
    await turn();

    await call.interrupt!(new SysError("EACCES", "revoked")); // the tool has ended by then
    await passed;

    expect(open.noted).toContain("stops asking");
    expect(open.told).toMatchObject([{ err: { code: "EACCES" } }]);
    const says = () => ({ answer: "yes", answeredAt: TEST_NOW });
    const over = inquiring([{ text: "?" }], { says }).begin("exec", execArgs("curious"));
    await over.passed;
    expect(over.call.stopInquiry).toBeUndefined();
  });

  test("a question that may not be asked is that refusal", async () => {
    const { asked, begin, told } = inquiring([{ text: "?" }]);
    const { passed } = begin("exec", execArgs("curious"));
    await turn();

    asked[0]!.on.failed(new SysError("EAGAIN", "too many questions"));
    await passed;

    expect(told).toMatchObject([{ err: { code: "EAGAIN" } }]);
  });
});
