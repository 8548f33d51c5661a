import * as fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { Policy } from "./engine.ts";
import { compileLayer } from "../policy-formats/compile.ts";
import type { Subject } from "./subject.ts";
import {
  known,
  operatorLayer,
  policyOf,
  subject,
  touchFrom,
} from "../../../tests/helpers/kernel/policy-subject.ts";

const DEPTH = inject("isDeep") ? 5 : 1;
const LAYERS = ["org"];

/** What is known of the sort once one call of it was judged. */
function settledBy(policy: Policy, one: Subject, layers: readonly string[] = LAYERS) {
  policy.decide(one, layers);
  return policy.settled(one, layers);
}

const call = subject({ tool: "crm.read", touches: [touchFrom("tool:crm.read:call")] });
const ALLOW = { id: "all", allow: "*" };

describe("VERDICT-CACHE-1: the cache settles", () => {
  test("a sort of which every rule that could speak is a plain allow", () => {
    const policy = policyOf([ALLOW, { id: "files", deny: "file:/etc/**" }]);

    expect(policy.settled(call, LAYERS)).toBeUndefined();
    expect(settledBy(policy, call)).toEqual(policy.decide(call, LAYERS));
    expect(settledBy(policy, call)).toMatchObject({ effect: "allow", rule: "org/all" });
  });

  const more: readonly (readonly [string, object])[] = [
    ["a condition", { when: "depth < 3" }],
    ["agents", { agents: ["writer"] }],
    ["tenants", { tenants: ["acme"] }],
    ["a rate", { rate: "5/h" }],
    ["a time limit", { constraints: { timeout: "5s" } }],
    ["a limit of bytes", { constraints: { maxBytes: "10MB" } }],
    ["a dry run", { constraints: { dryRun: true } }],
    ["a note", { constraints: { log: true } }],
  ];

  test.each(more)("nothing where a rule has %s", (_what, extra) => {
    const rules = [{ id: "it", allow: "exec", ...extra }, ALLOW];

    expect(settledBy(policyOf(rules), call)).toBeUndefined();
  });

  test("nothing where a rule watches in the shadow, or waits for what was done before", () => {
    const watching = { id: "it", shadow: "deny", of: "exec" };
    const waiting = { id: "it", deny: "exec", after: "tool:http.get" };

    for (const rule of [watching, waiting])
      expect(settledBy(policyOf([ALLOW, rule]), call)).toBeUndefined();
  });

  test.each(["deny", "ask", "kill"])("nothing where a rule could %s", (effect) => {
    for (const of of ["exec", "tool:crm.*", "effect:read", "*"]) {
      const rules = [ALLOW, { id: "no", [effect]: of, when: "depth > 3" }];
      expect(settledBy(policyOf(rules), call)).toBeUndefined();
    }
  });

  test("nothing is settled where the resource or the model decides", () => {
    const file = { ...call, touches: [touchFrom("file:/work/a:read")] };
    const files = policyOf([ALLOW, { id: "work", allow: "file:/work/**" }]);
    const models = policyOf([ALLOW, { id: "model", allow: "model:scripted/*" }]);

    expect(settledBy(files, file)).toBeUndefined();
    expect(settledBy(files, call)).toBeDefined();
    expect(settledBy(models, subject({ call: "infer", model: "scripted/a" }))).toBeUndefined();
  });

  test("nothing where the call arms a rule, whatever that rule is about", () => {
    const rules = [ALLOW, { id: "later", deny: "send", after: "tool:crm.*" }];

    expect(settledBy(policyOf(rules), call)).toBeUndefined();
  });

  test("no signal is settled, and nothing under security.md", () => {
    const document = {
      kernel: { version: "1.0", mode: "strict" },
      signals: ["SIGTERM"],
      policies: [{ action: "crm.read", effect: "allow" }],
    };
    const source = { format: "security.md", document, origin: "security.md" } as const;
    const layers = [operatorLayer("org", [ALLOW]), compileLayer("md", source, known)];

    expect(settledBy(policyOf([ALLOW]), subject({ call: "signal" }))).toBeUndefined();
    expect(settledBy(new Policy(layers), call, ["org", "md"])).toBeUndefined();
  });

  test("nothing that is denied, and nothing under a layer that is not loaded", () => {
    const policy = policyOf([{ id: "other", allow: "tool:http.*" }]);

    expect(settledBy(policy, call)).toBeUndefined();
    expect(settledBy(policyOf([ALLOW]), call, ["org", "gone"])).toBeUndefined();
  });
});

describe("VERDICT-CACHE-2: for whom it is settled", () => {
  test("another list of layers, and another set of rules, have their own", () => {
    const policy = new Policy([
      operatorLayer("org", [ALLOW]),
      operatorLayer("strict", [{ id: "no", deny: "exec" }]),
    ]);

    expect(settledBy(policy, call)).toBeDefined();
    expect(policy.settled(call, ["org", "strict"])).toBeUndefined();
    expect(policyOf([ALLOW]).settled(call, LAYERS)).toBeUndefined();
  });

  test("another call, tool, effect, sink or kind of resource is another sort", () => {
    const policy = policyOf([ALLOW]);
    const others: Partial<Subject>[] = [
      { call: "read" },
      { tool: "http.get" },
      { tool: undefined },
      { effect: "external" },
      { sinks: ["egress"] },
      { touches: [...call.touches, touchFrom("file:/a:read")] },
      { touches: [] },
    ];
    settledBy(policy, call);

    for (const other of others)
      expect(policy.settled({ ...call, ...other }, LAYERS), JSON.stringify(other)).toBeUndefined();
    expect(policy.settled({ ...call, touches: [touchFrom("tool:b:call")] }, LAYERS)).toBeDefined();
  });

  test("other sinks are another sort, as many as they are", () => {
    const policy = policyOf([ALLOW]);
    settledBy(policy, { ...call, sinks: ["egress"] });

    expect(policy.settled({ ...call, sinks: ["egress"] }, LAYERS)).toBeDefined();
    for (const sinks of [[], ["write"], ["egress", "write"]] as const)
      expect(policy.settled({ ...call, sinks }, LAYERS), sinks.join()).toBeUndefined();
  });

  test("tools are forgotten when there are more than 512, and judged then", () => {
    const policy = policyOf([ALLOW]);
    const named = (nth: number): Subject => ({ ...call, tool: `tool${nth}` });

    for (let nth = 0; nth < 512; nth++) settledBy(policy, named(nth));
    expect(policy.settled(named(0), LAYERS)).toBeDefined();

    expect(settledBy(policy, named(512))).toBeDefined();
    expect(policy.settled(named(0), LAYERS)).toBeUndefined();
  });

  test("of one tool sixteen sorts are known, however often each is judged", () => {
    const policy = policyOf([ALLOW]);
    const kinds = ["file", "http", "model", "memory", "secret"];
    const sorts = Array.from({ length: 17 }, (_, nth) => ({
      ...call,
      touches: kinds
        .filter((_kind, bit) => nth & (1 << bit))
        .map((kind) => touchFrom(`${kind}:a:b`)),
    }));

    for (let time = 0; time < 20; time++) policy.decide(sorts[0]!, LAYERS);
    const known = sorts.map((one) => settledBy(policy, one) !== undefined);

    expect(known).toEqual([...Array.from({ length: 16 }, () => true), false]);
  });
});

const rule = fc.record(
  {
    effect: fc.constantFrom("allow", "allow", "allow", "deny", "ask"),
    of: fc.uniqueArray(
      fc.constantFrom("*", "exec", "read", "tool:crm.*", "file:/work/**", "sink:egress", "http:*"),
      { minLength: 1, maxLength: 2 },
    ),
    when: fc.constantFrom("pinned", 'label.integrity == "untrusted"', "args.n > 1"),
    agents: fc.constantFrom(["writer"], ["helper"]),
    after: fc.constantFrom("tool:http.*", "read"),
  },
  { requiredKeys: ["effect", "of"] },
);

const calls = fc
  .record({
    call: fc.constantFrom("exec", "read"),
    tool: fc.constantFrom(undefined, "crm.read", "odd name"),
    agent: fc.constantFrom("writer", "helper"),
    effect: fc.constantFrom("read", "external"),
    args: fc.constantFrom(null, { n: 2 }),
    touches: fc.subarray([
      touchFrom("file:/work/a:read"),
      touchFrom("file:/b:read"),
      touchFrom("tool:x:call"),
    ]),
    sinks: fc.subarray(["egress", "write"] as const),
    pinned: fc.boolean(),
    label: fc.constantFrom(
      { integrity: "trusted", secrecy: "public" },
      { integrity: "untrusted", secrecy: "secret", tags: ["org.r0"] },
    ),
  })
  .map((more) => subject(more as Partial<Subject>));

test("VERDICT-CACHE-2: a settled verdict is what one who knows nothing says, of any call of the sort", () => {
  let settled = 0;
  const rules = fc.array(rule, { maxLength: 2 });
  fc.assert(
    fc.property(rules, fc.array(calls, { minLength: 2, maxLength: 6 }), (seeds, many) => {
      const more = seeds.map(({ effect, of, after, ...more }, i) => ({
        id: `r${i}`,
        [effect]: of,
        ...(after === undefined || effect === "allow" ? {} : { after }),
        ...more,
      }));
      const written = [...more, ALLOW];
      const policy = policyOf(written);
      for (const one of many) {
        policy.decide(one, LAYERS);
        const { call, tool, effect, sinks } = one;
        const touches = one.touches.map((touch) => ({ ...touch, resource: `${touch.resource}/b` }));
        for (const other of many) {
          const like = { ...other, call, tool, effect, sinks, touches };
          const known = policy.settled(like, LAYERS);
          if (known === undefined) continue;
          settled++;
          expect(known).toEqual(policyOf(written).decide(like, LAYERS));
        }
      }
    }),
    { numRuns: 100 * DEPTH },
  );
  expect(settled).toBeGreaterThan(0);
});
