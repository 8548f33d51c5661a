import { describe, expect, test } from "vitest";
import { comparePolicies, type RecordedSubject } from "./policy-comparison.ts";
import { Policy } from "../policy/engine.ts";
import { policyTestsSchema, runPolicyTests } from "./policy-tests.ts";
import type { Subject } from "../policy/subject.ts";
import { operatorLayer, policyOf, subject } from "../../../tests/helpers/kernel/policy-subject.ts";

const rest = { id: "rest", allow: "*" };
const policy = policyOf([
  rest,
  { id: "big-money", ask: "tool:send_money", when: "args.amount > 1000" },
  { id: "after-crm", after: "tool:crm.*", ask: "sink:egress" },
  { id: "slow", allow: "tool:http.get", rate: "1/h" },
  { id: "etc", deny: "file:/etc/**", when: 'label.integrity == "untrusted" && time.hour == 3' },
]);

const run = (cases: readonly object[]) =>
  runPolicyTests(policy, policyTestsSchema.parse({ cases }), ["org"]);

describe("policy tests", () => {
  test("a case that holds, by effect, rule and marks", () => {
    const results = run([
      { name: "small", given: { tool: "send_money", args: { amount: 5 } }, expect: "allow" },
      {
        name: "big",
        given: { tool: "send_money", args: { amount: 5000 } },
        expect: "ask",
        rule: "big-money",
      },
      { name: "marks", given: { tool: "crm.read" }, expect: "allow", tags: ["after-crm"] },
      {
        name: "after",
        given: { tool: "http.post", sinks: ["egress"], after: [{ tool: "crm.read" }] },
        expect: "ask",
        rule: "org/after-crm",
        tags: [],
      },
      { name: "rate", given: { tool: "http.get", after: [{ tool: "http.get" }] }, expect: "deny" },
      { name: "failing", given: { tool: "send_money" }, expect: "ask", rule: "big-money" },
      {
        name: "touches, label and time",
        given: {
          call: "exec",
          touches: ["file:/etc/passwd:read"],
          label: "untrusted/public",
          at: "2027-01-04T03:10:00Z",
        },
        expect: "deny",
        rule: "etc",
      },
    ]);

    expect(results.filter(({ ok }) => !ok)).toEqual([]);
  });

  test("a case that does not hold says what was expected and what came", () => {
    const big = { tool: "send_money", args: { amount: 5000 } };
    const results = run([
      { name: "effect", given: big, expect: "deny" },
      { name: "rule", given: big, expect: "ask", rule: "money" },
      { name: "tags", given: { tool: "crm.read" }, expect: "allow", tags: [] },
    ]);

    expect(results.map(({ ok }) => ok)).toEqual([false, false, false]);
    expect(results[0]).toEqual({
      name: "effect",
      ok: false,
      expected: { effect: "deny" },
      got: { effect: "ask", rule: "org/big-money", tags: [] },
    });
  });

  test("no case sees the rates of another, nor uses up those of the policy", () => {
    const once = { name: "once", given: { tool: "http.get" }, expect: "allow" };

    expect(run([once, once]).every(({ ok }) => ok)).toBe(true);
    expect(policy.rates.state(0)).toEqual([]);
  });

  test("what can be taken back is what the case says, else the tool, else nothing", () => {
    const takenBack = policyOf([rest, { id: "keep", deny: "tool:*", when: "!undoable" }]);
    const given = (name: string, undoable?: boolean) => ({
      name: `${name} ${undoable}`,
      given: { tool: name, ...(undoable === undefined ? {} : { undoable }) },
      expect: undoable === true || (name === "file.write" && undoable !== false) ? "allow" : "deny",
    });
    const cases = ["file.write", "http.post"].flatMap((name) => [
      given(name),
      given(name, true),
      given(name, false),
    ]);

    const results = runPolicyTests(takenBack, policyTestsSchema.parse({ cases }), ["org"], (tool) =>
      tool === "file.write" ? { undoable: true } : undefined,
    );

    expect(results.filter(({ ok }) => !ok)).toEqual([]);
  });

  test("what a case leaves out, the real tool says", () => {
    const tests = policyTestsSchema.parse({
      cases: [
        { name: "x", given: { tool: "http.post", after: [{ tool: "crm.read" }] }, expect: "ask" },
      ],
    });

    const [blind] = runPolicyTests(policy, tests, ["org"]);
    const [seeing] = runPolicyTests(policy, tests, ["org"], (tool) =>
      tool === "http.post" ? { sinks: ["egress"] } : undefined,
    );

    expect([blind!.ok, seeing!.ok]).toEqual([false, true]);
  });

  test("what a case says of the call comes before what the real tool says", () => {
    const open = policyOf([
      {
        id: "a",
        allow: "*",
        when: 'paths == ["/work/a"] && effect == "external" && sinks == ["write"]',
      },
    ]);
    const ok = (given: object, described: Partial<Subject>): boolean =>
      runPolicyTests(
        open,
        policyTestsSchema.parse({ cases: [{ name: "x", given, expect: "allow" }] }),
        ["org"],
        (tool, args) => (tool === "t" && args === 5 ? described : undefined),
      )[0]!.ok;
    const real: Partial<Subject> = {
      touches: [{ kind: "file", resource: "/work/a", verb: "read" }],
      effect: "external",
      sinks: ["write"],
    };
    const said = { touches: ["file:/work/a:read"], effect: "external", sinks: ["write"] };

    expect(ok({ tool: "t", args: 5 }, real)).toBe(true);
    expect(ok({ tool: "t", args: 5 }, {})).toBe(false);
    expect(ok({ tool: "other", args: 5 }, real)).toBe(false);
    expect(ok({ tool: "t", args: 5, ...said }, { touches: [], effect: "read", sinks: [] })).toBe(
      true,
    );
  });

  test("what nobody says is as plain as can be", () => {
    const plain = [
      'agent == "agent" && tenant == "default" && pid == "agt_test" && depth == 0',
      'tool == "" && target.pid == "" && args == null && resources.size() == 0',
      'label.integrity == "trusted" && label.secrecy == "public" && label.tags.size() == 0',
      'effect == "read" && sinks.size() == 0 && !pinned && !morePower',
      "cost.usd == 0.0 && cost.tokens == 0 && cost.toolCalls == 0",
      "spent.usd == 0.0 && spent.tokens == 0 && spent.toolCalls == 0",
      'time.date == "2027-01-04" && time.hour == 12',
    ].join(" && ");
    const open = policyOf([
      { id: "a", allow: "exec", when: `${plain} && model == ""` },
      { id: "i", allow: "infer", when: `${plain} && model == "a/b"` },
    ]);
    const tests = policyTestsSchema.parse({
      cases: [
        { name: "nothing", given: {}, expect: "allow", rule: "a" },
        { name: "a model", given: { model: "a/b" }, expect: "allow", rule: "i" },
        { name: "both", given: { model: "a/b", tool: "crm.read" }, expect: "deny" },
      ],
    });

    expect(runPolicyTests(open, tests, ["org"]).map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  test("what came before leaves all of its marks, on top of the label that the case has", () => {
    const marking = policyOf([
      rest,
      { id: "one", after: "tool:crm.*", deny: "write" },
      { id: "two", after: "tool:http.*", deny: "write" },
      {
        id: "all",
        kill: "write",
        when: 'label.tags == ["org.one", "org.two", "own"] && label.secrecy == "secret"',
      },
    ]);
    const after = [{ tool: "crm.read" }, { tool: "http.get" }];
    const given = { call: "write", label: "trusted/secret#own", after };
    const tests = policyTestsSchema.parse({
      cases: [
        { name: "x", given, expect: "kill" },
        {
          name: "y",
          given: { tool: "crm.read" },
          expect: "allow",
          rule: "rest",
          tags: ["one", "two"],
        },
      ],
    });

    expect(runPolicyTests(marking, tests, ["org"])).toMatchObject([
      { ok: true },
      {
        ok: false,
        expected: { effect: "allow", rule: "rest", tags: ["one", "two"] },
        got: { effect: "allow", rule: "org/rest", tags: ["one"] },
      },
    ]);
  });

  test.each([
    { given: { toll: "x" }, expect: "allow" },
    { given: {}, expect: "maybe" },
    { given: { label: "green" }, expect: "allow" },
    { given: { touches: ["file:/etc/**:read"] }, expect: "allow" },
    { given: { touches: ["file:/etc/a:read,write"] }, expect: "allow" },
    { given: { at: "yesterday" }, expect: "allow" },
    { given: { sinks: ["outside"] }, expect: "allow" },
  ])("%j is refused", (one) => {
    expect(policyTestsSchema.safeParse({ cases: [{ name: "x", ...one }] }).success).toBe(false);
  });
});

describe("backtest", () => {
  const recorded = (seq: number, more: Partial<Subject>, pid = "agt_1"): RecordedSubject => ({
    subject: subject(more),
    layers: ["org"],
    at: { pid, seq },
  });
  const open = policyOf([rest]);

  test("counts, and every call that would have changed", () => {
    const money = { tool: "send_money", args: { amount: 5000 } };

    const comparison = comparePolicies(open, policy, [
      recorded(1, money),
      recorded(2, { call: "read" }),
    ]);

    expect(comparison).toEqual({
      calls: 2,
      same: 1,
      changed: { "allow → ask": 1 },
      changes: [
        {
          pid: "agt_1",
          seq: 1,
          call: "exec",
          tool: "send_money",
          from: "allow",
          to: "ask",
          fromRule: "org/rest",
          rule: "org/big-money",
        },
      ],
    });
    expect(comparePolicies(policy, policy, [recorded(1, money)]).changes).toEqual([]);
  });

  test("what changes alike is counted together, and the new policy has its own layers", () => {
    const both = new Policy([
      operatorLayer("org", [rest]),
      operatorLayer("strict", [{ id: "d", deny: "*" }]),
    ]);
    const calls = [1, 2, 3].map((seq) => recorded(seq, { call: "read" }));
    const under = calls.map((one) => ({ ...one, newLayers: ["org", "strict"] }));

    expect(comparePolicies(open, both, under)).toMatchObject({
      calls: 3,
      same: 0,
      changed: { "allow → deny": 3 },
    });
    expect(comparePolicies(open, both, calls).same).toBe(3);
  });

  test("POLICY-BACKTEST-1: every mark of a process stays, beside those of its recorded label", () => {
    const marking = policyOf([
      rest,
      { id: "one", after: "tool:crm.*", shadow: "deny", of: "write" },
      { id: "two", after: "tool:http.*", shadow: "deny", of: "write" },
      { id: "all", deny: "write", when: 'label.tags == ["org.one", "org.two", "own"]' },
    ]);
    const label = { integrity: "trusted", secrecy: "public", tags: ["own"] } as const;
    const journal = [
      recorded(1, { tool: "crm.read" }),
      recorded(2, { tool: "http.get" }),
      recorded(3, { call: "write", label }),
      recorded(4, { call: "write" }),
    ];

    expect(comparePolicies(open, marking, journal).changes.map(({ seq }) => seq)).toEqual([3]);
  });

  test("POLICY-BACKTEST-1: marks and rates are followed, process by process, and nothing is used up", () => {
    const post = { tool: "http.post", sinks: ["egress"] } as const;
    const journal = [
      recorded(1, post),
      recorded(2, { tool: "crm.read" }),
      recorded(3, post),
      recorded(1, post, "agt_2"),
      recorded(4, { tool: "http.get" }),
      recorded(5, { tool: "http.get" }),
    ];

    const comparison = comparePolicies(open, policy, journal);

    expect(comparison.changes.map(({ pid, seq, to }) => [pid, seq, to])).toEqual([
      ["agt_1", 3, "ask"],
      ["agt_1", 5, "deny"],
    ]);
    expect(policy.rates.state(0)).toEqual([]);
  });
});
