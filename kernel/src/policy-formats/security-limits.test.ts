import { describe, expect, test } from "vitest";
import { compileLayer } from "./compile.ts";
import { Policy } from "../policy/engine.ts";
import type { Subject, Verdict } from "../policy/subject.ts";
import {
  known,
  problemsOf,
  subject,
  touchFrom,
} from "../../../tests/helpers/kernel/policy-subject.ts";

const layerOf = (policies: readonly object[], mode = "strict") => {
  const document = { kernel: { version: "1.0", mode }, signals: [], policies };
  const source = { format: "security.md", document, origin: ".agents/security.md" } as const;
  return compileLayer("project", source, known);
};
const decide = (policies: readonly object[], more: Partial<Subject>, mode?: string): Verdict =>
  new Policy([layerOf(policies, mode)]).decide(subject(more), ["project"]);

const reads = {
  tool: "file.read",
  touches: [touchFrom("tool:file.read:call"), touchFrom("file:/work/a:read")],
};

test("an approved action without limits has none: it is no dry run and is not logged", () => {
  const policies = [{ action: "file_read", effect: "allow", requires_approval: true }];

  expect(decide(policies, reads)).toEqual({
    effect: "ask",
    rule: "project/file_read",
    say: undefined,
    ask: {
      rule: "project/file_read",
      channels: [],
      quorum: 1,
      expiresMs: undefined,
      everyTime: false,
    },
    shadows: [],
    notes: [],
    tags: [],
    timeoutMs: undefined,
    maxBytes: undefined,
    dryRun: false,
    rates: [],
    retryAfterMs: undefined,
  });
});

test("an allowed action without limits has none either", () => {
  expect(decide([{ action: "file_read", effect: "allow" }], reads)).toMatchObject({
    effect: "allow",
    rule: "project/file_read",
    notes: [],
    timeoutMs: undefined,
    maxBytes: undefined,
    dryRun: false,
    rates: [],
  });
});

test("what is no action is allowed by no rule", () => {
  expect(decide([{ action: "file_read", effect: "allow" }], { call: "now" })).toMatchObject({
    effect: "allow",
    rule: "project/(no action)",
  });
});

test("the second policy for an action is told from the first", () => {
  const policies = [
    { action: "file_read", effect: "allow" },
    { action: "file_read", effect: "deny" },
    { action: "file_read", effect: "deny" },
  ];

  expect(decide(policies, reads).rule).toBe("project/file_read.2");
});

describe("allowed_hosts is read as hosts", () => {
  const held = (touched: string) =>
    decide([{ action: "*", effect: "allow", constraints: { allowed_hosts: ["example.com"] } }], {
      tool: "crm.read",
      touches: [touchFrom(touched)],
    }).effect;

  test.each([
    ["http:example.com/x:get", "allow"],
    ["http:example.org/x:get", "kill"],
    ["browser:example.com/x:read", "allow"],
    ["browser:example.org/x:read", "kill"],
    ["file:/work/a:read", "allow"],
  ])("%s: %s", (touched, effect) => {
    expect(held(touched)).toBe(effect);
  });
});

test("allowed_tools says nothing of a call without a tool", () => {
  const constraints = { allowed_tools: ["crm.read"] };

  expect(decide([{ action: "*", effect: "allow", constraints }], { call: "read" }).effect).toBe(
    "allow",
  );
});

test("an action that is no pattern of names says what is wrong with it", () => {
  const [problem] = problemsOf(() => layerOf([{ action: "crm.{x}", effect: "allow" }]));

  expect(problem).toMatchObject({ path: ["policies", 0, "action"] });
  expect(problem!.message).toContain('"{" has no meaning in a pattern');
});

test("a denial may be logged: it always is", () => {
  const logged = { action: "file_read", effect: "deny", constraints: { log: true } };

  expect(() => layerOf([logged])).not.toThrow();
});

describe("what is noted instead of enforced", () => {
  test("what a rule denies is not said again because nothing allows it", () => {
    const policies = [
      { action: "api_call", effect: "allow" },
      { action: "file_read", effect: "deny" },
    ];

    expect(decide(policies, reads, "permissive")).toMatchObject({
      effect: "allow",
      notes: ["project/file_read would deny"],
    });
  });

  test("audit: a call of which only a part would be asked says that the rest would be denied", () => {
    const policies = [{ action: "file_read", effect: "allow", requires_approval: true }];
    const uploads = { ...reads, touches: [...reads.touches, touchFrom("http:example.com/:post")] };

    expect(decide(policies, uploads, "audit")).toMatchObject({
      effect: "allow",
      notes: ["project/file_read would ask", "project/(nothing allows it) would deny"],
    });
  });
});
