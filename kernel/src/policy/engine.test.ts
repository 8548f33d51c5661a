import { describe, expect, test } from "vitest";
import { isTag } from "../label/label.ts";
import { compileLayer } from "../policy-formats/compile.ts";
import { Policy } from "./engine.ts";
import { Layer } from "./layer.ts";
import {
  decideWith,
  known,
  operatorLayer,
  policyOf,
  subject,
  touchFrom,
} from "../../../tests/helpers/kernel/policy-subject.ts";

const rest = { id: "rest", allow: "*" };

describe("one layer", () => {
  test("LAYER-1: decides by kill over deny over ask over allow, whatever the order", () => {
    const rules = [rest, { id: "a", ask: "*" }, { id: "d", deny: "*" }, { id: "k", kill: "*" }];

    for (const order of [rules, rules.toReversed()]) {
      expect(decideWith(order)).toMatchObject({ effect: "kill", rule: "org/k" });
      const noKill = order.filter(({ id }) => id !== "k");
      expect(decideWith(noKill)).toMatchObject({ effect: "deny", rule: "org/d" });
      const noDeny = noKill.filter(({ id }) => id !== "d");
      expect(decideWith(noDeny)).toMatchObject({ effect: "ask", rule: "org/a" });
    }
    expect(decideWith([rest])).toMatchObject({ effect: "allow", rule: "org/rest" });
  });

  test("what no rule speaks of is denied", () => {
    expect(decideWith([{ id: "w", allow: "write" }])).toMatchObject({
      effect: "deny",
      rule: "org/(nothing allows it)",
    });
  });

  test("LAYER-3: a shadow rule changes nothing, and says what it would have done", () => {
    const verdict = decideWith([rest, { id: "would", shadow: "deny", of: "read" }]);

    expect(verdict).toMatchObject({ effect: "allow", shadows: ["org/would would deny"] });
    expect(decideWith([{ id: "would", shadow: "ask", of: "*" }, rest]).ask).toBeUndefined();
  });

  test("a rule is for the agents and tenants that it names", () => {
    const forHelper = [rest, { id: "d", deny: "*", agents: ["help*"] }];
    const forAcme = [rest, { id: "d", deny: "*", tenants: ["acme"] }];

    expect(decideWith(forHelper, { agent: "helper" }).effect).toBe("deny");
    expect(decideWith(forHelper, { agent: "writer" }).effect).toBe("allow");
    expect(decideWith(forAcme, { tenant: "acme" }).effect).toBe("deny");
    expect(decideWith(forAcme, { tenant: "other" }).effect).toBe("allow");
  });

  test("a rule's sentence is filled in, and draws nothing on a terminal", () => {
    const say = "{agent} of {tenant} may not {call} {path}: {rule} {tool} {resource}";
    const verdict = decideWith([{ id: "d", deny: "*", say }], {
      tool: "file.read",
      touches: [touchFrom("tool:file.read:call"), touchFrom("file:/work/\u001b[31mx:read")],
    });

    expect(verdict.say).toBe(
      "writer of acme may not exec /work/\u{fffd}[31mx: org/d file.read /work/\u{fffd}[31mx",
    );
  });
});

test("a sentence does not fill a screen with what an agent chose", () => {
  const touches = [touchFrom(`file:/work/${"x".repeat(5000)}:read`)];

  const { say } = decideWith([{ id: "d", deny: "*", say: "not {path}" }], { touches });

  expect(say).toHaveLength("not ".length + 200 + 1);
});

describe("LAYER-2: a condition that cannot be evaluated never gives power", () => {
  const when = "args.amount > 1000";

  test.each(["deny", "ask", "kill"])("a %s rule applies, and the verdict says why", (effect) => {
    expect(decideWith([rest, { id: "x", [effect]: "*", when }])).toMatchObject({
      effect,
      rule: "org/x (its condition failed: no_such_key)",
    });
  });

  test("an allow rule does not apply, and the verdict says why", () => {
    expect(decideWith([{ id: "x", allow: "*", when }])).toMatchObject({
      effect: "deny",
      rule: "org/(nothing allows it; the condition of x failed: no_such_key)",
    });
  });

  test("a result that is neither true nor false is a failure", () => {
    const args = { flag: "yes" };

    expect(decideWith([{ id: "x", allow: "*", when: "args.flag" }], { args }).effect).toBe("deny");
    expect(decideWith([rest, { id: "x", deny: "*", when: "args.flag" }], { args }).effect).toBe(
      "deny",
    );
  });

  test("a shadow says it, and a sequence is armed", () => {
    const rules = [
      rest,
      { id: "s", shadow: "deny", of: "*", when },
      { id: "seq", after: { match: "*", when }, deny: "write" },
    ];

    const verdict = decideWith(rules);

    expect(verdict.shadows).toEqual(["org/s would deny (its condition failed: no_such_key)"]);
    expect(verdict.tags).toEqual(["org.seq"]);
  });

  test("a condition that holds or not decides as it says", () => {
    const rules = [rest, { id: "x", deny: "*", when }];

    expect(decideWith(rules, { args: { amount: 5000 } }).effect).toBe("deny");
    expect(decideWith(rules, { args: { amount: 5 } }).effect).toBe("allow");
  });
});

describe("layers", () => {
  const open = operatorLayer("kernel", [rest]);
  const noWrites = operatorLayer("org", [rest, { id: "w", deny: "write" }]);
  const policy = new Policy([open, noWrites]);

  test("ENGINE-1: the strongest of all layers that the subject is under", () => {
    expect(policy.decide(subject({ call: "write" }), ["kernel", "org"])).toMatchObject({
      effect: "deny",
      rule: "org/w",
    });
    expect(policy.decide(subject({ call: "write" }), ["kernel"]).effect).toBe("allow");
  });

  test("each layer has to allow it by itself", () => {
    const narrow = new Policy([open, operatorLayer("org", [{ id: "r", allow: "read" }])]);

    expect(narrow.decide(subject({ call: "write" }), ["kernel", "org"]).effect).toBe("deny");
  });

  test("ENGINE-2: a layer that is not loaded denies; so does no layer, and a call that is none", () => {
    expect(policy.decide(subject(), ["kernel", "project:/x"])).toMatchObject({
      effect: "deny",
      rule: "project:/x/(this policy is not loaded)",
    });
    expect(policy.decide(subject(), [])).toMatchObject({
      effect: "deny",
      rule: "policy/(no layer is named)",
    });
    expect(policy.decide(subject({ call: "reboot" }), ["kernel"]).effect).toBe("deny");
  });

  test("ENGINE-2: an error inside denies", () => {
    const broken = subject();
    Object.defineProperty(broken, "sinks", {
      get() {
        throw new Error("boom");
      },
    });

    expect(policy.decide(broken, ["kernel"])).toMatchObject({
      effect: "deny",
      rule: "policy/(it could not be judged)",
    });
  });

  test("ENGINE-4: a set without layers, or with two of one name, does not exist", () => {
    expect(() => new Policy([])).toThrow("the kernel runs nothing without one");
    expect(() => new Policy([open, open])).toThrow("one name");
    const text = {
      name: "x",
      origin: "",
      mode: "enforce",
      labels: [],
      signals: undefined,
    } as const;
    expect(() => new Layer({ ...text, rules: [], isFree: () => true })).toThrow("has no rules");
  });

  test("several rules that ask are one question", () => {
    const asking = new Policy([
      operatorLayer("kernel", [
        { id: "a", ask: "*", channel: "legal", quorum: 2, expires: "1h", say: "may it?" },
      ]),
      operatorLayer("org", [
        { id: "b", ask: "*", channel: "finance", quorum: 1, expires: "30m", everyTime: true },
        { id: "c", ask: "*" },
        rest,
      ]),
    ]);

    expect(asking.decide(subject(), ["kernel", "org"])).toMatchObject({
      effect: "ask",
      rule: "kernel/a",
      say: "may it?",
      ask: {
        rule: "kernel/a, org/b, org/c",
        channels: ["finance", "legal"],
        quorum: 2,
        expiresMs: 1_800_000,
        everyTime: true,
      },
    });
    expect(decideWith([{ id: "plain", ask: "*" }]).ask).toEqual({
      rule: "org/plain",
      channels: [],
      quorum: 1,
      expiresMs: undefined,
      everyTime: false,
    });
  });

  test("a policy describes itself", () => {
    expect(policy.describe()).toMatchObject({
      layers: [
        { name: "kernel", origin: "policy.yaml", rules: [{ id: "rest", effect: "allow" }] },
        { name: "org", rules: [{}, { id: "w", effect: "deny", written: { deny: "write" } }] },
      ],
    });
    expect(JSON.stringify(policyOf([{ id: "d", deny: "*" }]).describe())).toContain(
      "no rule of this layer allows anything",
    );
  });
});

describe("sequence rules", () => {
  const rules = [
    rest,
    { id: "after-crm", after: "tool:crm.*", ask: ["sink:egress", "tool:crm.read"] },
  ];
  const posts = { tool: "http.post", sinks: ["egress"] } as const;

  test("are armed by a call, do not apply to it, and are in force from then on", () => {
    const policy = policyOf(rules);

    const reading = policy.decide(subject({ tool: "crm.read" }), ["org"]);
    const label = { integrity: "trusted", secrecy: "public", tags: reading.tags } as const;

    expect(reading).toMatchObject({ effect: "allow", tags: ["org.after-crm"] });
    expect(policy.decide(subject(posts), ["org"])).toMatchObject({ effect: "allow", tags: [] });
    expect(policy.decide(subject({ ...posts, label }), ["org"])).toMatchObject({ effect: "ask" });
  });

  test("a call that is denied arms nothing; one that is asked does when it is let pass", () => {
    const crm = { tool: "crm.read" };

    expect(decideWith([...rules, { id: "d", deny: "*" }], crm).tags).toEqual([]);
    expect(decideWith([...rules, { id: "a", ask: "*" }], crm).tags).toEqual(["org.after-crm"]);
  });

  test("the condition of `after` is asked of the arming call", () => {
    const guarded = [
      rest,
      { id: "big", after: { match: "exec", when: "args.n > 1" }, deny: "write" },
    ];

    expect(decideWith(guarded, { tool: "crm.read", args: { n: 2 } }).tags).toEqual(["org.big"]);
    expect(decideWith(guarded, { tool: "crm.read", args: { n: 1 } }).tags).toEqual([]);
  });

  test("no two layers share a mark, and every mark is a label's tag", () => {
    const marks = ["project:/a/b", "project:/a-b", "project:/a_b", "project:é", "p.q", "p"].map(
      (name) => {
        const policy = new Policy([operatorLayer(name, rules)]);
        return policy.decide(subject({ tool: "crm.read" }), [name]).tags[0]!;
      },
    );

    expect(new Set(marks).size).toBe(marks.length);
    expect(marks.every(isTag)).toBe(true);
  });
});

describe("obligations and rates", () => {
  const slow = { id: "slow", allow: "*", rate: "2/min" };

  test("the strictest of all rules that let it pass", () => {
    const constraints = { timeout: "30s", maxBytes: "1MB", dryRun: true, log: true };
    const rules = [
      { id: "a", allow: "*", constraints, rate: "9/h" },
      { id: "b", allow: "read", constraints: { timeout: "5s", maxBytes: 10 } },
      { id: "c", allow: "write", constraints: { timeout: "1s" } },
    ];

    expect(decideWith(rules)).toMatchObject({
      timeoutMs: 5000,
      maxBytes: 10,
      dryRun: true,
      notes: ["org/a was used"],
    });
    expect(decideWith([...rules, { id: "d", deny: "*" }])).toMatchObject({
      timeoutMs: undefined,
      maxBytes: undefined,
      dryRun: false,
      notes: [],
      rates: [],
    });
  });

  test("a used-up rate denies and says when to come back, for that agent and tenant only", () => {
    const policy = policyOf([slow]);
    const call = subject();
    for (let i = 0; i < 2; i++) {
      const verdict = policy.decide(call, ["org"]);
      expect(verdict.effect).toBe("allow");
      policy.rates.charge(verdict.rates, call.atMs);
    }

    expect(policy.decide(call, ["org"])).toMatchObject({
      effect: "deny",
      rule: "org/slow (its rate is used up)",
      retryAfterMs: 30_000,
      rates: [],
    });
    expect(policy.decide(subject({ agent: "helper" }), ["org"]).effect).toBe("allow");
    expect(policy.decide(subject({ tenant: "other" }), ["org"]).effect).toBe("allow");
    expect(policy.decide({ ...call, isBegun: true }, ["org"])).toMatchObject({
      effect: "allow",
      rates: [],
    });
    expect(policy.decide({ ...call, atMs: call.atMs + 30_000 }, ["org"]).effect).toBe("allow");
  });

  test("a decision alone uses nothing up, and a reload keeps what was used", () => {
    const policy = policyOf([slow]);
    for (let i = 0; i < 9; i++) policy.decide(subject(), ["org"]);
    const { rates } = policy.decide(subject(), ["org"]);
    expect(rates).toEqual([{ key: "rate:org/slow/acme/writer", count: 2, perMs: 60_000 }]);

    policy.rates.charge([...rates, ...rates], subject().atMs);
    const reloaded = new Policy([operatorLayer("org", [slow])], policy.rates);

    expect(reloaded.decide(subject(), ["org"]).effect).toBe("deny");
  });

  test("a rule that asks has its rate too", () => {
    const verdict = decideWith([
      { id: "a", ask: "*", rate: "1/h", constraints: { timeout: "1s" } },
    ]);

    expect(verdict).toMatchObject({ effect: "ask", timeoutMs: 1000, rates: [{ count: 1 }] });
  });
});

describe("labels of sources", () => {
  const policy = policyOf([rest], {
    labels: [
      { of: "file:/work/secret/**", label: "trusted/secret" },
      { of: "tool:crm.*", label: "untrusted/confidential#crm" },
    ],
  });

  test("all that fit are joined", () => {
    const secret = [touchFrom("file:/work/secret/a:read")];

    expect(policy.labelOf(secret, "file.read", ["org"])).toEqual({
      integrity: "trusted",
      secrecy: "secret",
    });
    expect(policy.labelOf(secret, "crm.read", ["org"])).toEqual({
      integrity: "untrusted",
      secrecy: "secret",
      tags: ["crm"],
    });
    expect(policy.labelOf([touchFrom("file:/work/a:read")], "file.read", ["org"])).toBeUndefined();
  });

  test("under a layer that is not loaded, the worst is taken for true", () => {
    expect(policy.labelOf([], undefined, ["org", "gone"])).toEqual({
      integrity: "untrusted",
      secrecy: "secret",
    });
  });
});

test("a security.md and a policy file are layers of one policy", () => {
  const document = {
    kernel: { version: "1.0", mode: "strict" },
    signals: [],
    policies: [{ action: "file_read", effect: "allow" }],
  };
  const source = { format: "security.md", document, origin: ".agents/security.md" } as const;
  const policy = new Policy([operatorLayer("org", [rest]), compileLayer("project", source, known)]);
  const writing = subject({ call: "write", touches: [touchFrom("memory:/mem/a:write")] });

  expect(policy.decide(writing, ["org", "project"])).toMatchObject({ effect: "kill" });
});
