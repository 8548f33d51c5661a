import * as fc from "fast-check";
import { expect, inject, test } from "vitest";
import { Policy } from "./engine.ts";
import { STRENGTH, type Subject } from "./subject.ts";
import { operatorLayer, subject } from "../../../tests/helpers/kernel/policy-subject.ts";

const DEPTH = inject("isDeep") ? 5 : 1;

const selectors = ["*", "read", "exec", "tool:file.*", "file:/work/**", "http:*", "sink:egress"];
const sound = ["pinned", "args.n > 1", 'label.integrity == "untrusted"', "depth < 3"];
const failing = ["args.missing > 1", "args.n.deep == 1", "args.text", "args.text > 1"];

const effect = fc.constantFrom("allow", "deny", "ask", "kill");
const rule = (conditions: readonly string[]) =>
  fc.record(
    {
      effect,
      of: fc.uniqueArray(fc.constantFrom(...selectors), { minLength: 1, maxLength: 3 }),
      when: fc.constantFrom(...conditions),
      agents: fc.constantFrom(["writer"], ["helper"]),
    },
    { requiredKeys: ["effect", "of"] },
  );

type RuleSeed = typeof rule extends (...args: never[]) => fc.Arbitrary<infer T> ? T : never;

const textOf = ({ effect, of, ...more }: RuleSeed, i: number): object => ({
  id: `r${i}`,
  [effect]: of,
  ...more,
});

const layerOf = (name: string, seeds: readonly RuleSeed[]) =>
  operatorLayer(name, seeds.map(textOf));
const rules = fc.array(rule([...sound, ...failing]), { minLength: 1, maxLength: 8 });

const touches = fc.array(
  fc.constantFrom(
    { kind: "file", resource: "/work/a", verb: "read" },
    { kind: "file", resource: "/work/../etc", verb: "read" },
    { kind: "http", resource: "10.0.0.1:99/x", verb: "get" },
    { kind: "strange", resource: "\u0000", verb: "?" },
  ),
  { maxLength: 3 },
);

const subjects: fc.Arbitrary<Subject> = fc
  .record({
    call: fc.constantFrom("read", "exec", "infer", "signal"),
    tool: fc.constantFrom(undefined, "file.read", "send_money", "odd name"),
    agent: fc.constantFrom("writer", "helper", "no name"),
    args: fc.constantFrom({}, null, { n: 2, text: "x" }, { n: "2" }, [1, 2]),
    touches,
    sinks: fc.subarray(["egress", "write"] as const),
    pinned: fc.boolean(),
    depth: fc.constantFrom(0, 5),
    label: fc.constantFrom(
      { integrity: "trusted", secrecy: "public" } as const,
      { integrity: "untrusted", secrecy: "secret" } as const,
    ),
  })
  .map((more) => subject(more as Partial<Subject>));

const strengthOf = (seeds: readonly RuleSeed[], one: Subject): number =>
  STRENGTH[new Policy([layerOf("org", seeds)]).decide(one, ["org"]).effect];

test("LAYER-1: the effect does not depend on the order of rules", () => {
  fc.assert(
    fc.property(
      rules.chain((seeds) =>
        fc.tuple(fc.constant(seeds), fc.shuffledSubarray(seeds, { minLength: seeds.length })),
      ),
      subjects,
      ([seeds, shuffled], one) => {
        expect(strengthOf(shuffled, one)).toBe(strengthOf(seeds, one));
      },
    ),
    { numRuns: 80 * DEPTH },
  );
});

test("LAYER-1: deny wins: a rule that takes away, added anywhere, never makes it weaker", () => {
  const taking = rule(sound).filter(({ effect }) => effect === "deny" || effect === "kill");

  fc.assert(
    fc.property(rules, taking, fc.nat(), subjects, (seeds, added, at, one) => {
      const more = seeds.toSpliced(at % (seeds.length + 1), 0, added);

      expect(strengthOf(more, one)).toBeGreaterThanOrEqual(strengthOf(seeds, one));
    }),
    { numRuns: 80 * DEPTH },
  );
});

test("ENGINE-1: adding a layer never allows more, in any order", () => {
  fc.assert(
    fc.property(rules, rules, subjects, (first, second, one) => {
      const policy = new Policy([layerOf("a", first), layerOf("b", second)]);
      const [a, b, ab, ba] = [["a"], ["b"], ["a", "b"], ["b", "a"]].map(
        (names) => STRENGTH[policy.decide(one, names).effect],
      );

      expect(ab).toBe(Math.max(a!, b!));
      expect(ba).toBe(ab);
    }),
    { numRuns: 80 * DEPTH },
  );
});

test("LAYER-2: a rule whose condition fails is never weaker than the policy without it", () => {
  fc.assert(
    fc.property(rules, rule(failing), subjects, (seeds, added, one) => {
      fc.pre(added.when !== undefined && added.effect !== "ask");
      const failed = { ...added, when: "args.missing.deep > 1" };

      expect(strengthOf([...seeds, failed], one)).toBeGreaterThanOrEqual(strengthOf(seeds, one));
    }),
    { numRuns: 80 * DEPTH },
  );
});

test("LAYER-2: an ask whose condition fails lets nothing pass without a person", () => {
  fc.assert(
    fc.property(rules, subjects, (seeds, one) => {
      const asking: RuleSeed = { effect: "ask", of: ["*"], when: "args.missing.deep > 1" };

      expect(strengthOf([...seeds, asking], one)).toBeGreaterThanOrEqual(STRENGTH.ask);
    }),
    { numRuns: 40 * DEPTH },
  );
});

test("ENGINE-3: the same question has the same answer, also when the sort of call is known", () => {
  fc.assert(
    fc.property(rules, fc.array(subjects, { minLength: 2, maxLength: 6 }), (seeds, many) => {
      const kept = new Policy([layerOf("org", seeds)]);

      for (const one of many) {
        const fresh = new Policy([layerOf("org", seeds)]);
        expect(kept.decide(one, ["org"])).toEqual(fresh.decide(one, ["org"]));
      }
    }),
    { numRuns: 60 * DEPTH },
  );
});

test("ENGINE-2: nothing escapes decide, whatever it is given", () => {
  const policy = new Policy([layerOf("org", [{ effect: "allow", of: ["*"], when: "args.n > 1" }])]);
  const anything = fc.anything({ withNullPrototype: true, withBigInt: true });

  fc.assert(
    fc.property(
      subjects,
      fc.constantFrom(...Object.keys(subject())),
      anything,
      (one, key, value) => {
        const verdict = policy.decide({ ...one, [key]: value } as Subject, ["org"]);

        expect(Object.keys(STRENGTH)).toContain(verdict.effect);
      },
    ),
    { numRuns: 200 * DEPTH },
  );
});
