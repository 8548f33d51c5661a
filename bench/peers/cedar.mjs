// Cedar: the Rust engine in WebAssembly, with policies that are parsed once (statefulIsAuthorized).
//
// Said as it is: calls, tools, agents, kinds, paths by prefix (`like`), arguments, labels, time, sinks.
// Not said by Cedar itself:
//   ask        there is no third answer; it is a forbid, and the host would read which one
//   sequence   Cedar remembers nothing; the host keeps the marks and passes them
//   time       there is no clock; the host passes hour and date
//   paths      `like "/work/*"` also fits /work/../etc; the host has to make paths canonical
// Left out: a schema and the check of a request against it, which only add time. An entity store is
// not needed, so there is none.

import cedar from "@cedar-policy/cedar-wasm/nodejs";
import { clausesOf, factsOf, measureDecisions } from "./decide.mjs";
import { versionOf } from "./harness.mjs";
import { rules } from "./gate-work.mjs";

const quoted = (value) => JSON.stringify(value);

/** `a.b.c` as Cedar asks for it: an attribute that may be missing is asked for first. */
function conditionOf([name, operator, value]) {
  const attribute = `context.${name}`;
  const guard = name.startsWith("args.") ? `context.args has ${name.slice(5)} && ` : "";
  if (operator === "in") return `${guard}[${value.map(quoted).join(", ")}].contains(${attribute})`;
  if (operator === "has") return `${guard}${attribute}.contains(${quoted(value)})`;
  if (operator === "below") return `${guard}${attribute} like ${quoted(`${value}*`)}`;
  return `${guard}${attribute} ${operator} ${quoted(value)}`;
}

/** What Cedar has places for goes into the head of a policy: there it is fastest. */
function policyOf(rule) {
  const clauses = clausesOf(rule);
  const take = (name) => {
    const at = clauses.findIndex(([one, operator]) => one === name && operator === "==");
    return at < 0 ? undefined : clauses.splice(at, 1)[0][2];
  };
  const call = take("call");
  const tool = take("tool");
  const action = call === undefined ? "action" : `action == Action::${quoted(call)}`;
  const resource = tool === undefined ? "resource" : `resource == Tool::${quoted(tool)}`;
  const when = clauses.length === 0 ? "" : ` when { ${clauses.map(conditionOf).join(" && ")} }`;
  return `@id(${quoted(rule.id)}) ${rule.effect === "allow" ? "permit" : "forbid"} (principal, ${action}, ${resource})${when};`;
}

await measureDecisions("cedar", async () => {
  const parsed = cedar.preparsePolicySet("gate", { staticPolicies: rules.map(policyOf).join("\n") });
  if (parsed.type !== "success") throw new Error(JSON.stringify(parsed.errors));

  const requestOf = (request) => {
    const { agent, call, tool, tags, sinks, ...context } = factsOf(request);
    return {
      principal: { type: "Agent", id: agent },
      action: { type: "Action", id: call },
      resource: { type: "Tool", id: tool },
      context: { ...context, tool, tags: Object.keys(tags), sinks: Object.keys(sinks) },
      preparsedPolicySetId: "gate",
      entities: [],
    };
  };
  // A forbid that cannot be evaluated is skipped: whoever asks must take an error for a no.
  const allows = (request) => {
    const answer = cedar.statefulIsAuthorized(request);
    return (
      answer.type === "success" &&
      answer.response.decision === "allow" &&
      answer.response.diagnostics.errors.length === 0
    );
  };
  return {
    version: versionOf("@cedar-policy/cedar-wasm"),
    decide: { requestOf, allows },
    unsaid: "ask is a forbid; marks of sequence rules and the time come from the host",
  };
});
