import { expect, test } from "vitest";
import { Policy } from "./engine.ts";
import { PolicyDecision } from "./policy-decision.ts";
import { Rates } from "./rates.ts";
import type { Verdict } from "./subject.ts";
import {
  decideWith,
  operatorLayer,
  policyOf,
  subject,
} from "../../../tests/helpers/kernel/policy-subject.ts";

const rest = { id: "rest", allow: "*" };

/** A verdict that says nothing but its effect and its rule. */
const bare = (effect: Verdict["effect"], rule: string): Verdict => ({
  effect,
  rule,
  say: undefined,
  ask: undefined,
  shadows: [],
  notes: [],
  tags: [],
  timeoutMs: undefined,
  maxBytes: undefined,
  dryRun: false,
  rates: [],
  retryAfterMs: undefined,
});

test("a call that a plain rule allows is bound to nothing, and is no dry run", () => {
  expect(decideWith([rest])).toEqual(bare("allow", "org/rest"));
});

test("what is denied before any layer was heard is bound to nothing either", () => {
  const policy = policyOf([rest]);

  expect(policy.decide(subject(), [])).toEqual(bare("deny", "policy/(no layer is named)"));
  expect(policy.decide(subject({ call: "reboot" }), ["org"])).toEqual(
    bare("deny", "policy/(there is no such call)"),
  );
});

test("ENGINE-2: a hearing in which no layer spoke has no verdict", () => {
  const decision = new PolicyDecision(subject(), new Rates());

  expect(() => decision.verdict()).toThrow("no layer was asked");
});

test.each([
  ["allow", "ask"],
  ["allow", "deny"],
  ["allow", "kill"],
  ["ask", "deny"],
  ["ask", "kill"],
  ["deny", "kill"],
])(
  "POLICY-DECISION-1: where one layer says %s and another %s, the second holds, in any order",
  (weak, strong) => {
    const policy = new Policy([
      operatorLayer("a", [{ id: "x", [weak]: "*" }]),
      operatorLayer("b", [{ id: "x", [strong]: "*" }]),
    ]);

    for (const layers of [
      ["a", "b"],
      ["b", "a"],
    ])
      expect(policy.decide(subject(), layers)).toMatchObject({ effect: strong, rule: "b/x" });
  },
);

test("a policy names its layers in the order in which they were given", () => {
  const policy = new Policy([operatorLayer("kernel", [rest]), operatorLayer("org", [rest])]);

  expect(policy.layerNames).toEqual(["kernel", "org"]);
});
