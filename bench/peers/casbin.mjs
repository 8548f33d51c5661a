// casbin: its synchronous enforcer, asked in two ways.
//
//   functions    the matcher calls one function that we register, with each rule's condition compiled
//                to a closure beforehand: the fastest that casbin can be. These are the figures
//   eval         the conditions are policy text, evaluated by casbin (its documented way, ABAC with
//                eval): what a person would write
//
// Said as it is: calls, tools, agents, kinds, paths by prefix (keyMatch), arguments, labels, time.
// Not said by casbin itself:
//   ask        there is no third answer; it is a deny
//   sequence   it remembers nothing; the host keeps the marks and passes them
//   time       there is no clock; the host passes hour and date
//   paths      `keyMatch` also fits /work/../etc; the host has to make paths canonical

import { newEnforcer, newModel } from "casbin";
import { clausesOf, factsOf, measureDecisions } from "./decide.mjs";
import { versionOf } from "./harness.mjs";
import { rules } from "./gate-work.mjs";

const modelOf = (matcher) => `
[request_definition]
r = req
[policy_definition]
p = rule, eft
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = ${matcher}
`;

const quoted = (value) => JSON.stringify(value);

function textOf([name, operator, value]) {
  const fact = `r.req.${name}`;
  if (operator === "has") return `${fact}.${value} == true`;
  if (operator === "below") return `keyMatch(${fact}, ${quoted(`${value}*`)})`;
  if (operator === "in") return `(${value.map((one) => `${fact} == ${quoted(one)}`).join(" || ")})`;
  return `${fact} ${operator} ${quoted(value)}`;
}

const read = (facts, path) => path.reduce((value, name) => value?.[name], facts);

function closureOf([name, operator, value]) {
  const path = name.split(".");
  const tests = {
    "==": (fact) => fact === value,
    "!=": (fact) => fact !== value,
    ">": (fact) => fact > value,
    "<": (fact) => fact < value,
    in: (fact) => value.includes(fact),
    has: (fact) => fact[value] === true,
    below: (fact) => fact.startsWith(value),
  };
  const test = tests[operator];
  return (facts) => test(read(facts, path));
}

async function enforcerFor(matcher, ruleText) {
  const enforcer = await newEnforcer(newModel(modelOf(matcher)));
  enforcer.enableLog(false);
  await enforcer.addPolicies(rules.map((rule) => [ruleText(rule), rule.effect === "allow" ? "allow" : "deny"]));
  return enforcer;
}

await measureDecisions("casbin", async () => {
  const closures = new Map(rules.map((rule) => [rule.id, clausesOf(rule).map(closureOf)]));
  const functions = await enforcerFor("holds(p.rule, r.req)", ({ id }) => id);
  functions.addFunction("holds", (id, facts) => closures.get(id).every((test) => test(facts)));

  const evaluated = await enforcerFor("eval(p.rule)", (rule) => clausesOf(rule).map(textOf).join(" && ") || "true");

  const ask = (enforcer) => ({ requestOf: factsOf, allows: (facts) => enforcer.enforceSync(facts) });
  return {
    version: versionOf("casbin"),
    decide: ask(functions),
    also: { eval: ask(evaluated) },
    unsaid: "ask is a deny; marks of sequence rules and the time come from the host",
  };
});
