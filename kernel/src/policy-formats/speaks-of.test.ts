import { expect, test } from "vitest";
import { Policy } from "../policy/engine.ts";
import { defaultPolicy } from "./default-policy.ts";
import { operatorLayer, policyOf } from "../../../tests/helpers/kernel/policy-subject.ts";

const rest = { id: "rest", allow: "*" };
const speaks = (rules: readonly object[]) => policyOf(rules).speaksOf("http", ["org"]);

test("a rule that names hosts tells them apart, whatever it says of them", () => {
  for (const effect of ["allow", "ask", "deny", "kill"])
    expect(speaks([rest, { id: "r", [effect]: "http:api.example.com/admin/**" }])).toBe(true);
  expect(speaks([rest, { id: "r", deny: ["read", "http:*"] }])).toBe(true);
});

test("a condition on everything may tell them apart", () => {
  expect(speaks([{ id: "r", allow: "*", when: 'agent == "writer"' }])).toBe(true);
});

test("rules on other kinds, on sinks and on calls do not", () => {
  const others = ["file:/a/**", "sink:egress", "effect:external", "exec", "tool:http.get"];
  const asking = others.map((of, at) => ({ id: `r${at}`, ask: of, when: "depth > 1" }));
  expect(speaks([rest, ...asking])).toBe(false);
  expect(speaks(defaultPolicy.rules as object[])).toBe(false);
});

test("any layer is enough, and so is one that is not loaded", () => {
  const one = operatorLayer("one", [rest]);
  const two = operatorLayer("two", [rest, { id: "r", deny: "http:*" }]);
  const policy = new Policy([one, two]);
  expect(policy.speaksOf("http", ["one"])).toBe(false);
  expect(policy.speaksOf("http", ["one", "two"])).toBe(true);
  expect(policy.speaksOf("http", ["one", "three"])).toBe(true);
});
