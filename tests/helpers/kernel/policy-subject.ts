// Subjects and layers for tests: a harmless call, with whatever a test is about on top.

import { compilePolicyFile } from "../../../kernel/src/policy-formats/policy-yaml.ts";
import { Policy } from "../../../kernel/src/policy/engine.ts";
import type { Layer } from "../../../kernel/src/policy/layer.ts";
import { PolicyProblems, type PolicyError } from "../../../kernel/src/policy/problem.ts";
import type { KnownNames } from "../../../kernel/src/policy/selectors.ts";
import type { Subject, Verdict } from "../../../kernel/src/policy/subject.ts";

export const known: KnownNames = {
  tools: new Set(["file.read", "file.write", "http.get", "http.post", "send_money", "crm.read"]),
  agents: (name) => ["writer", "helper", "clerk"].includes(name),
  channels: new Set(["finance", "legal"]),
};

export function subject(more: Partial<Subject> = {}): Subject {
  return {
    call: more.tool === undefined ? "read" : "exec",
    args: {},
    agent: "writer",
    tenant: "acme",
    pid: "agt_1",
    depth: 1,
    tool: undefined,
    model: undefined,
    target: undefined,
    touches: [],
    label: { integrity: "trusted", secrecy: "public" },
    effect: "read",
    sinks: [],
    pinned: false,
    morePower: false,
    undoable: false,
    cost: { usd: 0, tokens: 0, toolCalls: 0 },
    spent: { usd: 0, tokens: 0, toolCalls: 0 },
    atMs: Date.parse("2027-01-04T09:30:00Z"), // a Monday
    ...more,
  };
}

/** `file:/work/a:read`. */
export function touchFrom(text: string): Subject["touches"][number] {
  const [kind, ...rest] = text.split(":");
  return { kind: kind!, resource: rest.slice(0, -1).join(":"), verb: rest.at(-1)! };
}

export const operatorLayer = (name: string, rules: readonly object[], more: object = {}): Layer =>
  compilePolicyFile(
    name,
    { document: { version: 1, rules, ...more }, origin: "policy.yaml" },
    known,
  );

export const policyOf = (rules: readonly object[], more: object = {}): Policy =>
  new Policy([operatorLayer("org", rules, more)]);

export const decideWith = (rules: readonly object[], more: Partial<Subject> = {}): Verdict =>
  policyOf(rules).decide(subject(more), ["org"]);

/** The problems of a text that must not load. */
export function problemsOf(load: () => unknown): readonly PolicyError[] {
  try {
    load();
  } catch (error) {
    if (error instanceof PolicyProblems) return error.problems;
    throw error;
  }
  throw new Error("it was loaded");
}
