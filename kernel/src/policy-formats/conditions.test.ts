import { describe, expect, test } from "vitest";
import { FUNCTIONS } from "./condition-problems.ts";
import { compileCondition, VARIABLES } from "./conditions.ts";
import { PolicyError } from "../policy/problem.ts";
import type { Subject } from "../policy/subject.ts";
import { known, subject, touchFrom } from "../../../tests/helpers/kernel/policy-subject.ts";
import { ConditionView } from "../policy/condition-view.ts";

const evaluate = (text: string, more: Partial<Subject> = {}) =>
  compileCondition(text, known).test(new ConditionView(subject(more)));

const problem = (text: string): string => {
  try {
    compileCondition(text, known);
  } catch (error) {
    expect(error).toBeInstanceOf(PolicyError);
    return (error as Error).message;
  }
  throw new Error(`${text} was loaded`);
};

describe("a condition sees", () => {
  const full: Partial<Subject> = {
    call: "exec",
    tool: "http.post",
    args: { amount: 5000, to: ["ada"], note: null },
    depth: 3,
    target: { pid: "agt_9", agent: "helper" },
    touches: [touchFrom("file:/work/a.txt:read"), touchFrom("http:API.example.com:8080/v1:post")],
    label: { integrity: "mixed", secrecy: "internal", tags: ["org.crm"] },
    effect: "external",
    sinks: ["egress"],
    pinned: true,
    morePower: true,
    cost: { usd: 0.5, tokens: 10, toolCalls: 1 },
    spent: { usd: 2, tokens: 100, toolCalls: 4 },
  };

  test.each([
    'agent == "writer" && tenant == "acme" && pid == "agt_1"',
    'depth == 3 && call == "exec" && tool == "http.post" && model == ""',
    'args.amount > 1000 && "ada" in args.to && args.note == null && !has(args.other)',
    'resources.exists(r, r.kind == "http" && r.verb == "post")',
    'paths == ["/work/a.txt"]',
    'hosts == ["api.example.com"]',
    'target.agent == "helper" && target.pid == "agt_9"',
    'label.integrity == "mixed" && label.secrecy == "internal" && label.colour == "YELLOW"',
    '"org.crm" in label.tags',
    'effect == "external" && "egress" in sinks && !("write" in sinks)',
    "pinned && morePower",
    "cost.usd == 0.5 && cost.tokens == 10 && cost.toolCalls == 1",
    "spent.usd > 1 && spent.tokens == 100 && spent.toolCalls >= 4",
    'time.hour == 9 && time.minute == 30 && time.weekday == 1 && time.date == "2027-01-04"',
    "time.ms > 1700000000000",
    'paths.map(p, p.lowerAscii()).exists(p, p.containsAny(["x", ".txt"]))',
  ])("%s", (text) => {
    expect(evaluate(text, full)).toBe(true);
  });

  test("every variable is there for the barest subject", () => {
    for (const [name, type] of Object.entries(VARIABLES)) {
      const view = new ConditionView(subject());
      expect(view[name as keyof ConditionView], `${name} is a ${type}`).not.toBeUndefined();
    }
  });

  test("a Sunday is the seventh day", () => {
    expect(evaluate("time.weekday == 7", { atMs: Date.parse("2027-01-03T00:00:00Z") })).toBe(true);
  });
});

describe("CONDITIONS-1: an evaluation that fails says so, and nothing of the arguments", () => {
  test.each([
    ["args.amount > 1000", {}, "no_such_key"],
    ["args.amount > 1000", { amount: "5000" }, "no_such_overload"],
    ["args.amount > 1000", null, expect.any(String)],
    ["args.flag", { flag: "hunter2" }, "not true or false"],
    ["bool(args.flag)", { flag: "hunter2" }, "bool_conversion_error"],
    ["args.a.b == 1", { a: { constructor: 1, b: 2 } }, "unsupported_type"],
  ])("%s of %j", (text, args, failed) => {
    const outcome = evaluate(text, { args });

    expect(outcome).toEqual({ failed });
    expect(JSON.stringify(outcome)).not.toContain("hunter2");
  });

  test("a moment that is none fails the condition, not the gate", () => {
    expect(evaluate("time.hour > 1", { atMs: Number.NaN })).toEqual({ failed: expect.any(String) });
  });

  test("a failure in a loop leaves nothing behind for the next evaluation", () => {
    const condition = compileCondition("args.list.exists(x, x.n == 2)", known);
    const ask = (args: Subject["args"]) => condition.test(new ConditionView(subject({ args })));

    expect(ask({ list: [{ n: 1 }, {}] })).toEqual({ failed: "no_such_key" });
    expect(ask({ list: [{ n: 1 }] })).toBe(false);
    expect(ask({ list: [{ n: 2 }] })).toBe(true);
  });
});

describe("a condition is refused when it is loaded", () => {
  test.each([
    ['agent.matches("a+")', "matches is not available: regular expressions"],
    ['timestamp("2027-01-01T00:00:00Z") == timestamp("2027-01-01T00:00:00Z")', "timestamp is not"],
    ["cel.bind(x, 1, x == 1)", "bind is not available"],
    ['b"a".hex() == "61"', "hex is not available"],
    ["google == google", "Unknown variable: google"],
    ["agnt == agent", 'Unknown variable: agnt; did you mean "agent"?'],
    ['label.integrty == "trusted"', "No such key: integrty"],
    ['resources.exists(r, r.knd == "file")', "No such key: knd"],
    ["depth > agent", "no such overload"],
    ["depth", "a condition must be a bool, but this is a int"],
    ["1 +", "Unexpected token"],
    ["", "Unexpected token"],
  ])("%s", (text, message) => {
    expect(problem(text)).toContain(message);
  });

  test("what is too long, too deep or too large", () => {
    const deep = `${"(".repeat(200)}true${")".repeat(200)}`;

    expect(problem(deep)).toContain("maxDepth");
    expect(problem(`${"pinned || ".repeat(600)}pinned`)).toContain("maxAstNodes");
    expect(problem(`agent in [${"agent, ".repeat(300)}agent]`)).toContain("maxListElements");
    expect(problem(`agent == "${"x".repeat(9000)}"`)).toContain("at most 8192 characters");
  });

  test("the message draws the place", () => {
    expect(problem('label.integrty == "trusted"')).toContain(
      '>    1 | label.integrty == "trusted"\n               ^',
    );
    expect(problem('pinned &&\n agent.matches("a")')).toContain('>    2 |  agent.matches("a")\n');
  });

  // CONDITIONS-2. What the library has and we do not is refused: also what a later version of it adds.
  test("no function of the library is there that is not in our list", () => {
    for (const name of [
      "matches",
      "timestamp",
      "duration",
      "json",
      "base64",
      "at",
      "uint",
      "bytes",
    ])
      expect(FUNCTIONS.has(name)).toBe(false);
  });
});

describe("CONDITIONS-3: loops", () => {
  test.each([
    "args.a.exists(x, args.b.exists(y, x == y))",
    "paths.exists(p, args.allowed.exists(a, p == a))",
    "args.a.map(x, args.a).exists(y, y.exists(z, z == 1))",
    "args.a.exists(x, x in args.b)",
    "args.a.filter(x, x in args.b).size() > 1",
  ])("%s is refused", (text) => {
    expect(problem(text)).toMatch(/in a loop/);
  });

  test.each([
    'paths.exists(p, ["/a", "/b"].exists(end, p.endsWith(end)))',
    "args.orders.exists(order, order.lines.exists(line, line.price > 100))",
    'resources.exists(r, r.verb in ["post", "put"] && "egress" in sinks)',
  ])("%s is fine", (text) => {
    expect(() => compileCondition(text, known)).not.toThrow();
  });

  test("a loop's variable hides nothing", () => {
    expect(problem("paths.exists(label, label == agent)")).toContain("something else already");
  });
});

describe("CONDITIONS-4: words that nothing is ever equal to are refused", () => {
  test.each([
    [
      'label.integrity == "untrustd"',
      'no label.integrity is "untrustd"; did you mean "untrusted"?',
    ],
    ['"Secret" == label.secrecy', 'did you mean "secret"?'],
    ['label.colour in ["RED", "PINK"]', 'no label.colour is "PINK"'],
    ['call != "raed"', 'no call is "raed"; did you mean "read"?'],
    ['effect == "write"', "no effect is"],
    ['"egres" in sinks', 'no sink is "egres"; did you mean "egress"?'],
    ['resources.exists(r, r.kind == "flie")', 'no resource.kind is "flie"'],
    ['resources.all(r, r.verb != "raed")', 'no resource.verb is "raed"'],
    ['tool == "send_mony"', 'no tool is "send_mony"; did you mean "send_money"?'],
  ])("%s", (text, message) => {
    expect(problem(text)).toContain(message);
  });
});
