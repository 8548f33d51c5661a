import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Program } from "@aos/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createKernel } from "../library.ts";
import { fakeTool, runAgentTest, scriptedModel } from "./index.ts";
import { changed, treasurer, type TestOverrides } from "../../../tests/helpers/daemon/treasurer.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "aos-agent-test-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const run = (changes: TestOverrides, options = {}) =>
  runAgentTest(changed(changes), { folder, ...options });
const problems = async (changes: TestOverrides, options = {}) =>
  (await run(changes, options)).problems;

/** One call of a tool, and what came of it. */
const calls = (tool: string, args: object, more = {}) => ({
  script: { turns: [{ call: [{ tool, args }] }, { say: "{{last}}" }] },
  ...more,
});
const paid = calls("send_money", { to: "ada" });

describe("people", () => {
  const says = (output: string, more = {}) => ({
    expect: { output: { contains: output }, ...more },
  });

  test("say no unless the test has another word from them", async () => {
    expect(await problems(says("refused"))).toEqual([]);
    expect(await problems({ approvals: "allow", ...says("Paid") })).toEqual([]);
  });

  test.each([
    ["by rule", { rule: "kernel/red-egress" }],
    ["by the rule's own name", { rule: "red-egress" }],
    ["by tool", { tool: "send_money" }],
    ["by call", { call: "exec" }],
    ["by the words of the question", { question: "has read something untrusted" }],
  ])("are told apart %s", async (_, which) => {
    const allow = { approvals: [{ ...which, answer: "allow" }], ...says("Paid") };

    expect(await problems(allow)).toEqual([]);
  });

  test.each([[{ rule: "red-destructive" }], [{ tool: "file.read" }], [{ question: "elephants" }]])(
    "do not say yes to what %j does not name",
    async (which) => {
      const other = { approvals: [{ ...which, answer: "allow" }], ...says("refused") };

      expect(await problems(other)).toEqual([]);
    },
  );

  test("an answer is given so many times, and then the next that fits", async () => {
    const turn = { call: [{ tool: "send_money", args: {} }] };
    const script = { turns: [turn, turn, { say: "done" }] };
    const approvals = [
      { tool: "send_money", answer: "allow", times: 1 },
      { tool: "send_money", answer: "deny" },
    ];
    const expected = [
      { tool: "send_money", outcome: "ok" },
      { tool: "send_money", outcome: "refused" },
    ];

    expect(
      await problems({ script, approvals, label: "untrusted/public", expect: { calls: expected } }),
    ).toEqual([]);
  });

  test("answer what the agent asks only with what the test says, and with what can be said", async () => {
    const asks: Program = (sys) => sys.ask("Which one?", { choices: ["left", "right"] });
    const agent = { ...treasurer, program: "asks" };
    const asked = (answer: string) => ({ agent, approvals: [{ question: "Which", answer }] });
    const options = { programs: { asks } };

    const right = { ...asked("right"), expect: { output: { equals: "right" } } };
    const none = { agent, expect: { error: { code: "EDENIED" } } };
    const wrong = { ...asked("up"), expect: { error: { code: "EDENIED" } } };

    expect(await problems(right, options)).toEqual([]);
    expect(await problems(none, options)).toEqual([]);
    expect(await problems(wrong, options)).toEqual([]);
  });
});

describe("a fake tool", () => {
  const tools = (fake: object) => ({ tools: { send_money: { effect: "external", ...fake } } });

  test("answers by arguments, in order, so many times; and the test fails when nothing is left", async () => {
    const call = (to: string) => ({ call: [{ tool: "send_money", args: { to, usd: 1 } }] });
    const script = { turns: [call("ada"), call("bob"), call("bob"), call("ada"), { say: "ok" }] };
    const answers = [{ when: { to: "ada" }, return: "to ada" }, { return: "first of others" }];
    const given = { script, approvals: "allow", ...tools({ answers }) };
    const ran = await run({ ...given, expect: { state: "completed" } });

    expect(ran.problems).toEqual([
      'send_money was called with {"to":"bob","usd":1}, and no answer of its fake is left for that',
    ]);
  });

  test("fails as it is told to", async () => {
    const fake = tools({ error: { code: "EUPSTREAM", message: "down", hint: "later" } });
    const expected = { output: { contains: ["EUPSTREAM: down", "later"] } };

    expect(await problems({ ...paid, ...fake, expect: expected })).toEqual([]);
  });

  test("marks its reader as the tool, or the answer, says", async () => {
    const label = (wanted: string, fake: object) =>
      problems({ ...paid, ...tools(fake), expect: { label: wanted } });

    expect(await label("untrusted/public", { return: 1 })).toEqual([]);
    expect(await label("trusted/public", { return: 1, label: "trusted/public" })).toEqual([]);
    const answers = [{ return: 1, label: "trusted/confidential" }];
    expect(await label("trusted/confidential", { answers, label: "trusted/public" })).toEqual([]);
  });

  test("needs what it says that it touches, and goes where it says", async () => {
    const touching = tools({ return: 1, touches: ["http:bank.example/{to}:post"] });
    const lacking = { refused: [{ tool: "send_money", code: "EACCES" }] };
    const writing = tools({ return: 1, sinks: ["destructive"], effect: "idempotent" });
    const destroys = { refused: [{ tool: "send_money", rule: "red-destructive" }] };

    expect(await problems({ ...paid, ...touching, expect: lacking })).toEqual([]);
    expect(
      await problems({ ...paid, ...writing, label: "untrusted/public", expect: destroys }),
    ).toEqual([]);
  });

  test("takes the place of a real one, whose touches and schema stay", async () => {
    const fake = { tools: { "file.read": { return: { text: "made up", next: null } } } };
    const read = (path: string) => calls("file.read", { path }, fake);

    expect(
      await problems({ ...read("/work/none"), expect: { output: { contains: "made up" } } }),
    ).toEqual([]);
    expect(
      await problems({
        ...read("/etc/x"),
        expect: { refused: [{ tool: "file.read", code: "EACCES" }] },
      }),
    ).toEqual([]);
    const misspelt = calls("file.read", { pth: "/work/x" }, fake);
    expect(await problems({ ...misspelt, expect: { output: { contains: "EINVAL" } } })).toEqual([]);
  });

  test("of a tool that there is nowhere must say its effect", async () => {
    const [problem] = await problems({ tools: { nowhere: { return: 1 } }, expect: { infers: 3 } });

    expect(problem).toContain("unknown tool nowhere: its fake must say its effect");
  });

  test("is a tool for a kernel of one's own, and so is a scripted model", async () => {
    const kernel = await createKernel({
      tools: [fakeTool("send_money", { effect: "external", return: "sent" })],
      models: [scriptedModel(JSON.stringify(paid.script))],
    });
    const model = "scripted/any";
    const capabilities = [`model:${model}:infer`, "tool:send_money:call"];
    const manifest = { ...treasurer, model, capabilities } as never;
    const { output } = await kernel.wait(await kernel.spawn({ manifest }));
    await kernel.close();

    expect(output).toBe("sent");
  });
});

describe("a real tool", () => {
  const open = {
    agent: {
      ...treasurer,
      tools: ["*"],
      capabilities: [
        "model:*:infer",
        "tool:*:call",
        "file:/**:read,write",
        "shell:*:exec",
        "http:127.0.0.1:9/**:get",
      ],
    },
  };
  const call = (tool: string, args: object, more: TestOverrides = {}) =>
    problems({ ...open, ...calls(tool, args), expect: { state: "completed" }, ...more });

  test("runs where it needs nothing but the workspace of the test", async () => {
    const written = { "/work/a/b.txt": { equals: "hello" } };
    const args = { path: "/work/a/b.txt", text: "hello", make: true };

    expect(await call("file.write", args, { expect: { files: written } })).toEqual([]);
    expect(await call("echo", { text: "x" })).toEqual([]);
  });

  test("does not run elsewhere unless the test calls it real", async () => {
    const path = join(folder, "x.txt");
    write("x.txt", "of the machine");
    const read = { expect: { output: { contains: "of the machine" } } };

    const [problem] = await call("file.read", { path });
    expect(problem).toContain(
      `${path} is not in /work: the test must fake it, or say real: [file.read]`,
    );
    expect(await call("file.read", { path }, { real: ["file.*"], ...read })).toEqual([]);
  });

  test("that is more than files does not run unless the test calls it real", async () => {
    const [problem] = await call("shell.execute", { command: "true" });

    expect(problem).toContain("the test must fake it, or say real: [shell.execute]");
  });

  test("that reaches outside never runs", async () => {
    const url = "http://127.0.0.1:9/";
    const [problem] = await call("http.fetch", { url }, { real: ["http.*"] });

    expect(problem).toContain("it reaches outside: a test must fake it");
  });

  test("must be there to be called real", async () => {
    const [problem] = await call("echo", {}, { real: ["file.raed"] });

    expect(problem).toBe("real: unknown tool file.raed (did you mean file.read?)");
  });
});

describe("the model", () => {
  const answered = (text: string) => ({ expect: { output: { equals: text } } });

  test("is a script beside the test, one in the test, or the agent's own", async () => {
    write("near.yaml", "turns: [{ say: near }]");
    write(
      "own/agent.yaml",
      JSON.stringify({ ...treasurer, model: "scripted/mine", capabilities: ["model:*:infer"] }),
    );
    write("own/mine.yaml", "turns: [{ say: mine }]");
    const given = { script: undefined };

    expect(await problems({ ...given, model: "near", ...answered("near") })).toEqual([]);
    expect(await problems({ ...given, agent: "./own", ...answered("mine") })).toEqual([]);
    expect(
      await problems({ ...given, agent: "own/agent.yaml", model: "near", ...answered("near") }),
    ).toEqual([]);
  });

  test("of a provider is never asked: without a word of the test it is a failure", async () => {
    const [problem] = await problems({ script: undefined, expect: { state: "failed" } });

    expect(problem).toContain("anthropic/claude was asked, and the test has no model");
  });

  test("needs the capability for the model that the agent names", async () => {
    const agent = { ...treasurer, capabilities: ["model:scripted/*:infer"] };

    expect(await problems({ agent, expect: { error: { code: "EACCES" } } })).toEqual([]);
  });

  test("of a recording answers in order, and says when it is asked something else", async () => {
    write(
      "r.yaml",
      "answers:\n  - { asked: 0123456789abcdef, say: once, usage: { inputTokens: 7, outputTokens: 3 }, usd: 0.5 }\n",
    );
    const replay = { script: undefined, replay: "r.yaml" };

    expect(
      await run({ ...replay, expect: { cost: { maxTokens: 10, maxUsd: 0.5 } } }),
    ).toMatchObject({ ok: true, usd: 0.5 });
    expect(await problems({ ...replay, expect: { requests: "recorded" } })).toEqual([
      expect.stringContaining("requests: request 1 to the model is not what was recorded"),
    ]);
  });
});

describe("a project's", () => {
  const denies =
    'version: 1\nrules:\n  - { id: rest, allow: "*" }\n  - { id: no-money, deny: "tool:send_money" }\n';
  const expected = { refused: [{ tool: "send_money", code: "EPOLICY", rule: "no-money" }] };

  test("policy holds in its tests, wherever in it they are", async () => {
    expect(await problems({ ...paid, expect: { refused: [] } })).toEqual([]);
    write(".agents/policy.yaml", denies);

    expect(await problems({ ...paid, expect: expected })).toEqual([]);
    const below = join(folder, ".agents/tests");
    mkdirSync(below);
    expect(await problems({ ...paid, expect: expected }, { folder: below })).toEqual([]);
  });

  test("policy that is wrong is a problem that says where", async () => {
    write(".agents/policy.yaml", "version: 1\nrules:\n  - { id: x, dney: tool:send_money }\n");

    const [problem] = await problems({ ...paid, expect: expected });
    expect(problem).toContain(".agents/policy.yaml:3: ");
  });

  test("agents are found by name", async () => {
    write(".agents/agents/teller.yaml", JSON.stringify({ ...treasurer, name: "teller" }));

    expect(await problems({ ...paid, agent: "teller", expect: { refused: [] } })).toEqual([]);
    const [problem] = await problems({ agent: "./gone.yaml", expect: { infers: 0 } });
    expect(problem).toContain(`there is no ${join(folder, "gone.yaml")}`);
  });
});

test("what it may do can be narrowed, given more, and limited", async () => {
  const capabilities = ["model:anthropic/claude:infer"];
  const poor = { ...treasurer, capabilities };
  const refused = { refused: [{ tool: "send_money", code: "EACCES" }] };

  expect(await problems({ ...paid, capabilities, expect: refused })).toEqual([]);
  expect(await problems({ ...paid, agent: poor, expect: refused })).toEqual([]);
  const grants = ["tool:send_money:call"];
  expect(await problems({ ...paid, agent: poor, grants, expect: { refused: [] } })).toEqual([]);
  const spent = { refused: [{ tool: "send_money", code: "EBUDGET" }] };
  expect(await problems({ ...paid, budget: { toolCalls: 0 }, expect: spent })).toEqual([]);
});

test("messages are waiting for it, and one that waits for more is over where the test expects that", async () => {
  const listens: Program = async (sys) => [(await sys.receive()).body, (await sys.receive()).body];
  const options = { programs: { listens } };
  const agent = { ...treasurer, program: "listens", capabilities: ["message:*:receive"] };
  const messages = [{ body: "one" }, { body: "two", type: "word", label: "untrusted/public" }];

  const both = { output: { equals: ["one", "two"] }, label: "untrusted/public" };
  expect(await problems({ agent, messages, expect: both }, options)).toEqual([]);
  const one = { agent, messages: messages.slice(0, 1), expect: { state: "waiting" } };
  expect(await problems(one, options)).toEqual([]);
});

test("a test that hangs is ended at its timeout, and says what it waited for", async () => {
  const waits: Program = async (sys) => (await sys.receive()).body;
  const agent = { ...treasurer, program: "waits", capabilities: ["message:*:receive"] };
  const [problem] = await problems(
    { agent, timeout: "50ms", expect: { state: "killed" } },
    { programs: { waits } },
  );

  expect(problem).toBe("it did not end within 50 ms: it waits on message");
});

test("calls with long arguments are compared whole", async () => {
  const text = "x".repeat(5000);
  const long = calls("send_money", { text });
  const wanted = (last: string) => ({
    calls: [{ tool: "send_money", args: { text: text + last } }],
  });

  expect(await problems({ ...long, expect: wanted("") })).toEqual([]);
  expect(await problems({ ...long, expect: wanted("y") })).toHaveLength(1);
});
