// Agent Governance Toolkit: the policy engine of Microsoft's SDK, asked by `evaluatePolicy`. The other
// way, `evaluate`, takes the first rule whose action and equal values fit: it reads no conditions, and
// most of these rules cannot be said there.
//
// Said as it is: calls, tools, agents, kinds, arguments, labels, time; `ask` is `require_approval`.
// Not said by the toolkit itself:
//   paths, tool.*   an expression has no prefix, so the 20 rules about folders compare with the folder
//                   itself, which is cheaper and refuses nothing below it; a tool's family is its one tool
//   sinks, marks    there is no "is in this list" for a fact that is a list; the host passes flags
//   sequence        it remembers nothing; the host keeps the marks
//   time            there is no clock in an expression; the host passes hour and date
// An expression that it cannot read is false: a deny rule with a mistake in it never applies.

import agt from "@microsoft/agent-governance-sdk";
import { clausesOf, factsOf, measureDecisions } from "./decide.mjs";
import { versionOf } from "./harness.mjs";
import { rules, tools } from "./gate-work.mjs";

const ACTIONS = { allow: "allow", deny: "deny", ask: "require_approval" };
/** A refusal wins over a question by the strategy, and a question over what is allowed by this. */
const PRIORITIES = { allow: 0, deny: 2, ask: 1 };

const quoted = (value) => (typeof value === "string" ? `'${value}'` : String(value));

function textOf([name, operator, value]) {
  if (operator === "has") return `${name}.${value} == true`;
  if (operator === "in") return `${name} in [${value.map(quoted).join(", ")}]`;
  if (operator !== "below") return `${name} ${operator} ${quoted(value)}`;
  const family = tools.filter((tool) => tool.startsWith(value));
  return name === "tool" ? `${name} in [${family.map(quoted).join(", ")}]` : `${name} == ${quoted(value.replace(/\/$/, ""))}`;
}

function ruleOf(rule) {
  const condition = clausesOf(rule).map(textOf).join(" and ");
  return {
    name: rule.id,
    ruleAction: ACTIONS[rule.effect],
    priority: PRIORITIES[rule.effect],
    ...(condition === "" ? {} : { condition }),
  };
}

await measureDecisions("agt", async () => {
  const engine = new agt.PolicyEngine([], agt.ConflictResolutionStrategy.DenyOverrides);
  engine.loadPolicy({ name: "gate", rules: rules.map(ruleOf), default_action: "deny" });
  return {
    version: versionOf("@microsoft/agent-governance-sdk"),
    saysPaths: false,
    decide: {
      requestOf: factsOf,
      allows: (facts) => engine.evaluatePolicy(facts.agent, facts).allowed,
    },
    unsaid: "20 rules about folders compare with the folder only; flags, marks and time come from the host",
  };
});
