// Where a call needs a person's word: what people are shown, what their answer does, and that it is for
// one call.

import { SysError, type QuestionAbout } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import type { QuestionListener } from "../approval/questions.ts";
import { revokeBlock } from "../capability/index.ts";
import { digestOfAction } from "./action.ts";
import { listenForAnswer } from "./approval-requests.ts";
import { digestOfRuns } from "./run-identity.ts";
import { asking, execArgs, gateOf, saidBy } from "../../../tests/helpers/kernel/gate.ts";
import { callOf, TEST_NOW, processOf } from "../../../tests/helpers/kernel/process.ts";

const ALL = ["tool:*:call", "http:*:request"];
const WORD = { id: "word", ask: "tool:pay" };
const PAY = execArgs("pay", { to: "bob" });
const RED = { integrity: "untrusted", secrecy: "public" } as const;
const CHANNELS = {
  finance: { people: ["ada", "bob", "cy"], quorum: 2 },
  legal: { people: ["ada", "dan"] },
};
const turn = () => new Promise((resolve) => setImmediate(resolve));
const messageOf = (told: readonly object[]) =>
  (told[0] as { err: { message: string } }).err.message;

describe("a rule that asks", () => {
  test("runs the call on a yes, and the record says by whom, to which question and by which rule", async () => {
    const shadow = { id: "would", shadow: "deny", of: "tool:pay" };
    const plain = gateOf({ capabilities: ALL, rules: [WORD], says: () => saidBy("ada") });
    const noting = gateOf({
      capabilities: ALL,
      rules: [WORD, shadow],
      says: () => saidBy("ada", "bob"),
    });

    expect([await plain.pass("exec", PAY), await noting.pass("exec", PAY)]).toEqual([
      "done",
      "done",
    ]);

    const [yes, yesToo] = [plain, noting].map(
      ({ records }) => (records.at(-1) as { verdict?: string }).verdict,
    );
    expect(yes).toBe("approved by ada (ask_7.0.policy, org/word)");
    expect(yesToo).toBe(
      "approved by ada, bob (ask_7.0.policy, org/word); shadow: org/would would deny",
    );
  });

  test.each([
    [
      "a no with a reason",
      { answer: "deny", reason: "too much", answeredAt: TEST_NOW },
      "a person said no to exec: too much",
    ],
    ["a no", { answer: "deny", answeredAt: TEST_NOW }, "a person said no to exec"],
    ["no answer in time", {}, "exec: nobody answered within 5s"],
    [
      "a question that was withdrawn",
      { answeredAt: TEST_NOW, answeredBy: "ada" },
      "exec: the question was withdrawn by ada",
    ],
  ])("%s is EDENIED, and nothing runs", async (_what, row, message) => {
    const {
      pass,
      told,
      laws: rules,
      noted,
    } = gateOf({
      capabilities: ALL,
      rules: [WORD],
      says: () => row,
    });

    expect(await pass("exec", PAY)).toBe("EDENIED");
    expect(messageOf(told)).toBe(message);
    expect(rules.taken).toEqual([]);
    expect(noted).not.toContain("intent");
  });

  test("shows people what would be done, for how long, and what one answer is good for", async () => {
    const { asked, begin, process } = gateOf({ capabilities: ALL, rules: [WORD] });
    const args = { ...(PAY as object), cutAt: 32_000 };
    const { call } = begin("exec", args);
    await turn();

    const [{ draft }] = asked as [(typeof asked)[0]];
    const shown = (draft.about as unknown as QuestionAbout).runs!;
    const runs = { shown, digest: digestOfRuns(shown), reach: [] };
    expect(draft).toMatchObject({
      id: "ask_7.0.policy",
      tenant: 1,
      process: 7,
      pid: "agt_7",
      n: 0,
      kind: "policy",
      question: `writer wants to exec {"args":{"to":"bob"},"tool":"pay"}`,
      choices: ["approve", "deny"],
      digest: digestOfAction({ call: "exec", args, runs }, process.pid),
      askedAt: TEST_NOW,
      expiresAt: TEST_NOW + 5000,
      channel: null,
      quorum: 1,
    });
    expect(draft.about).toMatchObject({
      agent: "writer",
      call: "exec",
      tool: "pay",
      touches: ["tool:pay:call"],
      effect: "external",
      sinks: ["egress"],
      label: "trusted/public",
      rule: "org/word",
      everyTime: false,
      cover: ['tool:pay:call{hold:use,args:pinned,pin.to:"bob"}'],
    });
    expect(call.waitsOn).toBe("approval");
  });

  test("has the rule's sentence before what the process wants, without secrets, and its own time", async () => {
    const rule = { ...WORD, say: "the key is hunter2", expires: "2s" };
    const { asked, begin } = gateOf({ capabilities: ALL, rules: [rule] });
    begin("exec", PAY);
    await turn();

    const [{ draft }] = asked as [(typeof asked)[0]];
    expect(draft.question).toMatch(/^the key is \[secret\] \(writer wants to exec .*\)$/);
    expect(draft.expiresAt).toBe(TEST_NOW + 2000);
  });

  test.each([
    [{}, false],
    [{ everyTime: true }, true],
    [{ channel: "finance" }, false],
  ])("%j: whether an answer can be given for good is said", async (more, everyTime) => {
    const { asked, begin } = gateOf({
      capabilities: ALL,
      rules: [{ ...WORD, ...more }],
      channels: CHANNELS,
    });
    begin("exec", PAY);
    await turn();

    expect((asked[0]!.draft.about as unknown as QuestionAbout).everyTime).toBe(everyTime);
  });

  test("a large argument is cut where people read it", async () => {
    const { asked, begin } = gateOf({ capabilities: ALL, rules: [WORD] });
    begin("exec", execArgs("pay", { text: "x".repeat(3000) }));
    await turn();

    const shown = /exec (.*)… \(/.exec(asked[0]!.draft.question);
    expect(shown![1]!.length).toBe(1000);
  });

  test("what no capability can be written for is covered by none: it can be approved once, and not for good", async () => {
    const { asked, begin } = gateOf({ capabilities: ALL, rules: [WORD] });
    begin("exec", execArgs("pay", [1, 2]));
    await turn();

    expect((asked[0]!.draft.about as unknown as QuestionAbout).cover).toEqual([]);
  });
});

describe("SYSCALL-PEOPLE-1: one word", () => {
  test("is for one call: the next is asked about again", async () => {
    const { asked, pass } = gateOf({ capabilities: ALL, rules: [WORD], says: () => saidBy("ada") });

    await pass("exec", PAY);
    await pass("exec", PAY);

    expect(asked.map(({ draft }) => draft.id)).toEqual(["ask_7.0.policy", "ask_7.1.policy"]);
  });

  test("is for what people were shown: who has read something worse since is asked about again", async () => {
    const gate: ReturnType<typeof gateOf> = gateOf({
      capabilities: ALL,
      rules: [WORD],
      says: () => {
        gate.process.label = RED;
        return saidBy("ada");
      },
    });

    expect(await gate.pass("exec", PAY)).toBe("done");

    const labels = gate.asked.map(({ draft }) => (draft.about as unknown as QuestionAbout).label);
    expect(labels).toEqual(["trusted/public", "untrusted/public"]);
    expect(new Set(gate.asked.map(({ draft }) => draft.batch)).size).toBe(2);
  });

  test("replaces no power: what was revoked while people thought is refused", async () => {
    const gate: ReturnType<typeof gateOf> = gateOf({
      capabilities: ALL,
      rules: [WORD],
      says: () => {
        revokeBlock(gate.process.block);
        return saidBy("ada");
      },
    });

    expect(await gate.pass("exec", PAY)).toBe("EACCES");
  });

  test("a word that came to nothing is gone", async () => {
    let left = 2; // it is judged once before it is looked at what would run, and once after
    const quota = () => {
      if (left-- === 0) throw new SysError("EAGAIN", "full");
    };
    const says = () => saidBy("ada");
    const { asked, pass } = gateOf({
      capabilities: ALL,
      rules: [WORD],
      says,
      judgeRules: { quota },
    });

    expect(await pass("exec", PAY)).toBe("EAGAIN");
    await pass("exec", PAY);
    expect(asked.length).toBe(2);
  });

  test("to a request to a host is one to where that host sends it", async () => {
    const http = (resource: string) => ({ kind: "http", resource, verb: "get" });
    const fetch = asking("fetch", [http("a.com:443/y"), http("b.com:443/y")], {
      touches: () => [http("a.com:443/x")],
    });
    const rules = [{ id: "word", ask: "http:*" }];
    const gate = gateOf({ capabilities: ALL, rules, tools: [fetch], says: () => saidBy("ada") });

    expect(await gate.pass("exec", execArgs("fetch"))).toEqual(["ok", "EPOLICY"]);
  });
});

describe("SYSCALL-PEOPLE-3: several channels", () => {
  const rules = [
    { ...WORD, channel: "finance" },
    { id: "second", ask: "tool:pay", channel: "legal" },
  ];

  test("are each asked, with their quorum, and who said yes in both is named once", async () => {
    const says = ({ channel }: { channel: string | null }) =>
      channel === "finance" ? saidBy("ada", "bob") : saidBy("ada", "dan");
    const { asked, pass, records } = gateOf({ capabilities: ALL, rules, channels: CHANNELS, says });

    expect(await pass("exec", PAY)).toBe("done");

    expect(asked.map(({ draft: { channel, quorum } }) => [channel, quorum])).toEqual([
      ["finance", 2],
      ["legal", 1],
    ]);
    expect(asked.every(({ draft }) => (draft.about as unknown as QuestionAbout).everyTime)).toBe(
      true,
    );
    expect((records.at(-1) as { verdict?: string }).verdict).toContain(
      "approved by ada, bob, dan (",
    );
    expect((records.at(-1) as { verdict?: string }).verdict).toContain(
      "(ask_7.0.policy, ask_7.0.policy.1, org/word, org/second)",
    );
  });

  test("one that says no is a no", async () => {
    const says = ({ channel }: { channel: string | null }) =>
      channel === "finance" ? saidBy("ada") : { answer: "deny", answeredAt: TEST_NOW };

    expect(
      await gateOf({ capabilities: ALL, rules, channels: CHANNELS, says }).pass("exec", PAY),
    ).toBe("EDENIED");
  });
});

describe("SYSCALL-PEOPLE-2: while people think", () => {
  test("the process stays until the store has the question, and may leave then until its time is over", async () => {
    const { asked, begin, noted } = gateOf({ capabilities: ALL, rules: [WORD] });
    const { call, passed } = begin("exec", PAY);
    await turn();
    const { draft, on } = asked[0]!;

    expect([call.dormant, call.until]).toEqual([false, undefined]);
    on.asked({ ...draft, expiresAt: TEST_NOW + 9 } as never);
    expect([call.dormant, call.until]).toEqual([true, TEST_NOW + 9]);
    expect(noted).toEqual(["waits", "waits"]);
    on.heard({ ...draft, ...saidBy("ada"), reason: null } as never);
    expect([call.dormant, call.until, call.waitsOn]).toEqual([false, undefined, null]);
    await passed;
    expect(noted.at(-1)).toBe("deliver");
  });

  test("a question without an end has none", async () => {
    const { asked, begin } = gateOf({ capabilities: ALL, rules: [WORD] });
    const { call } = begin("exec", PAY);
    await turn();

    asked[0]!.on.asked({ ...asked[0]!.draft, expiresAt: null } as never);

    expect(call.until).toBeUndefined();
    expect(call.dormant).toBe(true);
  });

  test("who is told cannot leave any more, before anything is made of the answer", () => {
    const call = callOf("ask", {}, { dormant: true });
    const seen: boolean[] = [];
    const questions = {
      ask: (_end: unknown, _draft: unknown, on: QuestionListener) => on.heard({} as never),
    };
    const on = { heard: () => seen.push(call.dormant), failed: () => {}, leave: () => {} };

    listenForAnswer(questions as never, { process: processOf({}), call, draft: {} as never }, on);

    expect(seen).toEqual([false]);
  });

  test("a question that may not be asked is that refusal", async () => {
    const { asked, begin, told } = gateOf({ capabilities: ALL, rules: [WORD] });
    const { passed } = begin("exec", PAY);
    await turn();

    asked[0]!.on.failed(new SysError("EAGAIN", "too many questions"));
    await passed;

    expect(told).toMatchObject([{ err: { code: "EAGAIN" } }]);
  });
});
