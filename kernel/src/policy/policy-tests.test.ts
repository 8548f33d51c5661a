import { describe, expect, test } from "vitest";
import { compare, type Recorded } from "./backtest.ts";
import { policyTestsSchema, runPolicyTests } from "./policy-tests.ts";
import type { Subject } from "./subject.ts";
import { policyOf, subject } from "./test-subject.ts";

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
  const recorded = (seq: number, more: Partial<Subject>, pid = "agt_1"): Recorded => ({
    subject: subject(more),
    layers: ["org"],
    at: { pid, seq },
  });
  const open = policyOf([rest]);

  test("counts, and every call that would have changed", () => {
    const money = { tool: "send_money", args: { amount: 5000 } };

    const comparison = compare(open, policy, [recorded(1, money), recorded(2, { call: "read" })]);

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
    expect(compare(policy, policy, [recorded(1, money)]).changes).toEqual([]);
  });

  test("K1: marks and rates are followed, process by process, and nothing is used up", () => {
    const post = { tool: "http.post", sinks: ["egress"] } as const;
    const journal = [
      recorded(1, post),
      recorded(2, { tool: "crm.read" }),
      recorded(3, post),
      recorded(1, post, "agt_2"),
      recorded(4, { tool: "http.get" }),
      recorded(5, { tool: "http.get" }),
    ];

    const comparison = compare(open, policy, journal);

    expect(comparison.changes.map(({ pid, seq, to }) => [pid, seq, to])).toEqual([
      ["agt_1", 3, "ask"],
      ["agt_1", 5, "deny"],
    ]);
    expect(policy.rates.state(0)).toEqual([]);
  });
});
