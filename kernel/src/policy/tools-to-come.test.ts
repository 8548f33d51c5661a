import { expect, test } from "vitest";
import { compileLayer } from "../policy-formats/compile.ts";
import { known } from "../../../tests/helpers/kernel/policy-subject.ts";

/** As the kernel's: a server's tools may come to be. */
class Coming extends Set<string> {
  override has(name: string): boolean {
    return super.has(name) || name.startsWith("mcp.");
  }
}

const names = { ...known, tools: new Coming(known.tools) };
const load = (format: "policy" | "security.md", document: object) =>
  compileLayer("org", { format, document, origin: "policy.yaml" }, names);

test("a rule may speak of tools that are not there yet, by name and by pattern", () => {
  const rules = [
    { id: "rest", allow: "*" },
    { id: "a", deny: "tool:mcp.github.delete_repo" },
    { id: "b", ask: "tool:mcp.github.*" },
    { id: "c", deny: "exec", when: 'tool == "mcp.github.push"' },
  ];
  expect(() => load("policy", { version: 1, rules })).not.toThrow();
});

test("a rule that names a tool of no source is refused", () => {
  for (const of of ["tool:mpc.github.push", "tool:githb.*"])
    expect(() => load("policy", { version: 1, rules: [{ id: "a", deny: of }] })).toThrow();
});
