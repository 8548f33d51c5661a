import { describe, expect, test } from "vitest";
import { compileLayer } from "../policy-formats/compile.ts";
import { operatorLayer, known, problemsOf } from "../../../tests/helpers/kernel/policy-subject.ts";

const rest = { id: "rest", allow: "*" };

const problems = (rules: readonly object[], more: object = {}) =>
  problemsOf(() => operatorLayer("org", rules, more)).map(({ path, message }) => ({
    path: path.join("."),
    message,
  }));

const first = (rule: object) => problems([rest, rule])[0]!;

describe("unknown names are load errors, at their place, with the nearest name", () => {
  test.each([
    [{ id: "x", deny: "raed" }, "rules.1.deny", 'unknown system call "raed"; did you mean "read"'],
    [{ id: "x", deny: ["read", "wrte"] }, "rules.1.deny.1", 'did you mean "write"'],
    [{ id: "x", deny: "read,exec" }, "rules.1.deny", "put a space after each comma"],
    [{ id: "x", deny: "fiel:/x" }, "rules.1.deny", 'unknown selector "fiel:"; did you mean "file"'],
    [{ id: "x", deny: ":/x" }, "rules.1.deny", 'unknown selector ":"'],
    [{ id: "x", deny: "shell::exec" }, "rules.1.deny", "an empty name"],
    [{ id: "x", deny: "file:/x:raed" }, "rules.1.deny", 'file has no verb "raed"'],
    [{ id: "x", deny: "file:x" }, "rules.1.deny", "a path starts with /"],
    [{ id: "x", deny: "http:*.*.com" }, "rules.1.deny", "first label"],
    [{ id: "x", deny: "file:/x{max:1}" }, "rules.1.deny", "no meaning in a pattern"],
    [
      { id: "x", deny: "sink:outside" },
      "rules.1.deny",
      'no sink is called "outside"; there are egress',
    ],
    [{ id: "x", deny: "effect:write" }, "rules.1.deny", 'no effect is called "write"'],
    [{ id: "x", deny: "tool:send_mony" }, "rules.1.deny", 'did you mean "send_money"'],
    [
      { id: "x", deny: "tool:file.read,file.raed" },
      "rules.1.deny",
      'no tool is called "file.raed"',
    ],
    [{ id: "x", deny: "tool:mcp.*" }, "rules.1.deny", 'no tool\'s name fits "mcp.*"'],
    [{ id: "x", deny: "agent:nobody" }, "rules.1.deny", 'no agent is called "nobody"'],
    [{ id: "x", deny: "*", agents: ["nobody"] }, "rules.1.agents.0", 'no agent is called "nobody"'],
    [{ id: "x", ask: "*", channel: "finanse" }, "rules.1.channel", 'did you mean "finance"'],
    [{ id: "x", deny: "*", whn: "true" }, "rules.1.whn", 'unknown key "whn"'],
    [
      { id: "x", allow: "*", constraints: { cpu: 1 } },
      "rules.1.constraints.cpu",
      'unknown key "cpu"',
    ],
    [{ id: "x", deny: "*", say: "{who} may not" }, "rules.1.say", "unknown placeholder {who}"],
    [{ id: "x", shadow: "allow", of: "*" }, "rules.1.shadow", "Invalid option"],
  ])("%j", (rule, path, message) => {
    const problem = first(rule);

    expect(problem.path).toBe(path);
    expect(problem.message).toContain(message);
  });
});

describe("what is wrong in itself is refused", () => {
  test.each([
    [{ id: "x" }, "rules.1", "a rule has one of allow, deny, ask, kill, shadow; x has none"],
    [{ id: "x", allow: "*", deny: "*" }, "rules.1", "x has allow and deny"],
    [{ id: "rest", deny: "*" }, "rules.1.id", "two rules are called rest"],
    [{ id: "a b", deny: "*" }, "rules.1.id", "letters, digits"],
    [{ id: "x", deny: "*", agents: ["{b"] }, "rules.1.agents.0", "no meaning in a pattern"],
    [{ id: "x", deny: "*", tenants: ["a", "{b"] }, "rules.1.tenants.1", "no meaning in a pattern"],
    [{ id: "x", deny: [] }, "rules.1.deny", "Too small"],
    [{ id: "x", shadow: "deny" }, "rules.1", 'shadow rule needs "of"'],
    [
      { id: "x", deny: "*", quorum: 2 },
      "rules.1.quorum",
      '"quorum" needs the effect ask, not deny',
    ],
    [{ id: "x", deny: "*", expires: "1h" }, "rules.1.expires", "needs the effect ask"],
    [{ id: "x", deny: "*", everyTime: true }, "rules.1.everyTime", "needs the effect ask"],
    [{ id: "x", allow: "*", channel: "finance" }, "rules.1.channel", "needs the effect ask"],
    [{ id: "x", allow: "*", after: "read" }, "rules.1.after", "not allow"],
    [{ id: "x", kill: "*", rate: "1/s" }, "rules.1.rate", "needs the effect allow or ask"],
    [
      { id: "x", deny: "*", constraints: { log: true } },
      "rules.1.constraints",
      "needs the effect allow",
    ],
    [{ id: "x", allow: "*", say: "hm" }, "rules.1.say", "needs the effect deny or ask or kill"],
    [{ id: "x", deny: "*", of: "*" }, "rules.1.of", "needs the effect shadow"],
    [{ id: "x", allow: "*", rate: "10/week" }, "rules.1.rate", "per s, min, h or d"],
    [{ id: "x", ask: "*", expires: "soon" }, "rules.1.expires", "a time like 30s"],
    [{ id: "x", ask: "*", quorum: 0 }, "rules.1.quorum", ""],
    [
      { id: "x", allow: "*", constraints: { timeout: "30d" } },
      "rules.1.constraints.timeout",
      "24 days",
    ],
    [
      { id: "x", allow: "*", constraints: { maxBytes: "1 potato" } },
      "rules.1.constraints.maxBytes",
      "",
    ],
    [{ id: "x", deny: "*", when: "argz.a" }, "rules.1.when", "Unknown variable: argz"],
    [
      { id: "x", deny: "*", after: { match: "read", when: "depth" } },
      "rules.1.after.when",
      "must be a bool",
    ],
    [{ id: "x", deny: "*", after: { match: "raed" } }, "rules.1.after.match", '"raed"'],
  ])("%j", (rule, path, message) => {
    const problem = first(rule);

    expect(problem.path).toBe(path);
    expect(problem.message).toContain(message);
  });

  test("of a rule without an effect nothing else is said", () => {
    expect(problems([rest, { id: "x", quorum: 2 }])).toHaveLength(1);
  });

  test("an empty policy is refused, and one of another version", () => {
    expect(problems([])[0]).toMatchObject({ path: "rules" });
    expect(problems([rest], { version: 2 })[0]).toMatchObject({ path: "version" });
    expect(problems([rest], { rulez: [] })[0]).toMatchObject({ path: "rulez" });
    const source = { format: "policy", document: null, origin: "x" } as const;
    expect(problemsOf(() => compileLayer("org", source, known))).toHaveLength(1);
  });

  test("wrong labels are refused", () => {
    const labels = [
      { of: "exec", label: "trusted/public" },
      { of: "tool:crm.*", label: "crm" },
      { of: "file:/a", label: "trusted/public" },
      { of: "toll:crm.*", label: "trusted/public" },
    ];

    expect(problems([rest], { labels }).map(({ path }) => path)).toEqual([
      "labels.0.of",
      "labels.1.label",
      "labels.3.of",
    ]);
  });
});

test("PROBLEM-1: all problems at once, and nothing is loaded", () => {
  const found = problems([
    { id: "a", deny: ["raed", "wrte"], when: "1 +" },
    { id: "a", ask: "*", channel: "nobody" },
  ]);

  expect(found.map(({ path }) => path)).toEqual([
    "rules.0.deny.0",
    "rules.0.deny.1",
    "rules.0.when",
    "rules.1.id",
    "rules.1.channel",
  ]);
});

test("selectors can be a text, with spaces after the commas, or a list", () => {
  for (const deny of ["read, exec", ["read", "exec"]])
    expect(() => operatorLayer("org", [rest, { id: "x", deny }])).not.toThrow();
});

test("a process is waited for by its pid, which is no agent's name", () => {
  expect(() => operatorLayer("org", [rest, { id: "x", deny: "agent:agt_9:wait" }])).not.toThrow();
});

test("every tool may be spoken of where there is none", () => {
  const document = { version: 1, rules: [{ id: "x", deny: "tool:*" }] };
  const source = { format: "policy", document, origin: "x" } as const;
  const names = { tools: new Set<string>(), channels: new Set<string>() };

  expect(() => compileLayer("org", source, names)).not.toThrow();
});

test("a timeout is at most what a timer can wait", () => {
  const under = (timeout: string) => () =>
    operatorLayer("org", [{ id: "x", allow: "*", constraints: { timeout } }]);

  expect(under("2147483647ms")).not.toThrow();
  expect(under("2147483648ms")).toThrow("longer than 24 days\n  2147483648ms\n  ^");
});
