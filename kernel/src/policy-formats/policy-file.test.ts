import { describe, expect, test } from "vitest";
import { ruleSchema } from "./policy-file.ts";
import { securityFileSchema } from "./security-md.ts";
import { operatorLayer, problemsOf } from "../../../tests/helpers/kernel/policy-subject.ts";

const isRule = (more: object): boolean => ruleSchema.safeParse({ id: "x", ...more }).success;

describe("the keys of policy.yaml: the least and the most that each takes", () => {
  test.each([
    [{ deny: "*" }, true],
    [{ deny: "" }, false],
    [{ deny: ["*"] }, true],
    [{ deny: [""] }, false],
    [{ deny: [] }, false],
    [{ deny: "*", agents: ["*"] }, true],
    [{ deny: "*", agents: [""] }, false],
    [{ deny: "*", agents: [] }, false],
    [{ deny: "*", when: "" }, false],
    [{ deny: "*", say: "x" }, true],
    [{ deny: "*", say: "" }, false],
    [{ deny: "*", say: "x".repeat(500) }, true],
    [{ deny: "*", say: "x".repeat(501) }, false],
    [{ ask: "*", channel: "x" }, true],
    [{ ask: "*", channel: "" }, false],
    [{ ask: "*", quorum: 1 }, true],
    [{ ask: "*", quorum: 0 }, false],
    [{ ask: "*", quorum: 100 }, true],
    [{ ask: "*", quorum: 101 }, false],
    [{ shadow: "kill", of: "*" }, true],
    [{ id: "x".repeat(100), deny: "*" }, true],
    [{ id: "x".repeat(101), deny: "*" }, false],
    [{ allow: "*", constraints: { maxBytes: 0 } }, true],
    [{ allow: "*", constraints: { maxBytes: "1KB" } }, true],
    [{ allow: "*", constraints: { maxBytes: -1 } }, false],
  ])("%j: %s", (more, is) => {
    expect(isRule(more)).toBe(is);
  });

  test("a condition and a label of one letter are read, and refused for what they are", () => {
    const [condition] = problemsOf(() => operatorLayer("org", [{ id: "x", deny: "*", when: "1" }]));
    const labels = [{ of: "tool:crm.*", label: "x" }];
    const [label] = problemsOf(() => operatorLayer("org", [{ id: "x", deny: "*" }], { labels }));

    expect(condition!.message).toContain("a condition must be a bool");
    expect(label!.message).toContain('"x" is not a label');
  });
});

describe("the keys of security.md", () => {
  const isFile = (kernel: object, policy: object): boolean =>
    securityFileSchema.safeParse({ kernel, signals: [], policies: [policy] }).success;
  const good = { version: "1.0", mode: "strict" };

  test("the version is 1.0, which YAML reads as the number 1", () => {
    const allow = { action: "*", effect: "allow" };

    expect(isFile(good, allow)).toBe(true);
    expect(isFile({ version: 1, mode: "strict" }, allow)).toBe(true);
    expect(isFile({ version: 2, mode: "strict" }, allow)).toBe(false);
    expect(isFile({ version: "1", mode: "strict" }, allow)).toBe(false);
  });

  test.each([
    [{ timeout: 1 }, true],
    [{ timeout: 0 }, false],
    [{ timeout: "1s" }, true],
    [{ max_bytes: 0 }, true],
    [{ max_bytes: "1KB" }, true],
    [{ max_bytes: 0.5 }, false],
    [{ max_cost_usd: 0 }, true],
    [{ max_cost_usd: -1 }, false],
    [{ allowed_hosts: ["a"] }, true],
    [{ allowed_hosts: [""] }, false],
    [{ allowed_paths: ["/"] }, true],
    [{ allowed_paths: [""] }, false],
    [{ allowed_tools: ["a"] }, true],
    [{ allowed_tools: [""] }, false],
  ])("constraints %j: %s", (constraints, is) => {
    expect(isFile(good, { action: "*", effect: "allow", constraints })).toBe(is);
  });

  test("an action has a name", () => {
    expect(isFile(good, { action: "", effect: "allow" })).toBe(false);
  });
});
