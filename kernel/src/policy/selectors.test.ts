import { describe, expect, test } from "vitest";
import type { Subject } from "./subject.ts";
import {
  decideWith,
  policyOf,
  subject,
  touchFrom,
} from "../../../tests/helpers/kernel/policy-subject.ts";

const rest = { id: "rest", allow: "*" };
const isDenied = (deny: string | readonly string[], more: Partial<Subject>): boolean =>
  decideWith([rest, { id: "d", deny }], more).effect === "deny";
const isAllowed = (allow: string | readonly string[], more: Partial<Subject>): boolean =>
  decideWith([{ id: "a", allow }], more).effect === "allow";

const touching = (...texts: string[]): Partial<Subject> => ({
  tool: "file.read",
  touches: [touchFrom("tool:file.read:call"), ...texts.map(touchFrom)],
});

describe("selectors, for rules that take away and for rules that give", () => {
  test.each([
    ["*", {}, true],
    ["read", { call: "read" }, true],
    ["read", { call: "write" }, false],
    ["tool:file.*", { tool: "file.read" }, true],
    ["tool:file.write", { tool: "file.read" }, false],
    ["tool:file.read:call", { tool: "file.read" }, true],
    ["tool:*", { call: "read" }, false],
    ["model:ollama/llama3:8b", { call: "infer", model: "ollama/llama3:8b" }, true],
    ["model:anthropic/*", { call: "infer", model: "scripted/x" }, false],
    ["model:anthropic/*:infer", { call: "infer", model: "anthropic/x" }, true],
    ["agent:helper", { call: "spawn", touches: [touchFrom("agent:helper:spawn")] }, true],
    ["agent:helper", { call: "spawn", touches: [touchFrom("agent:clerk:spawn")] }, false],
    ["agent:*", { call: "wait", touches: [touchFrom("agent:agt_2:wait")] }, false],
    ["agent:*:wait", { call: "wait", touches: [touchFrom("agent:agt_2:wait")] }, true],
    ["file:/work/**", touching("file:/work/a:write"), true],
    ["file:/work/**:read", touching("file:/work/a:write"), false],
    ["file:/work/**:read,write", touching("file:/work/a:write"), true],
    ["file:/work/**", touching("file:/etc/a:write"), false],
    ["file:/work/**", touching("memory:/work/a:write"), false],
    ["http:api.example.com", touching("http:api.example.com/v1:get"), true],
    ["http:api.example.com:8080", touching("http:api.example.com:8080/v1:get"), true],
    ["http:api.example.com", touching("http:api.example.org/v1:get"), false],
    ["http:api.example.com", touching("http:api.example.org:8080/v1:get"), false],
    ["http:api.example.com:get", touching("http:api.example.com/v1:post"), false],
    ["http:*", touching("http:127.0.0.1:9/x:get"), true],
    ["sink:egress", { tool: "http.post", sinks: ["egress"] }, true],
    ["sink:egress", { tool: "http.post", sinks: ["write"] }, false],
    ["effect:external", { tool: "http.post", effect: "external" }, true],
    ["effect:external", { tool: "http.post", effect: "read" }, false],
    [["write", "tool:file.*"], { tool: "file.read" }, true],
  ] satisfies [string | string[], Partial<Subject>, boolean][])(
    "%s of %j: %s",
    (text, more, fits) => {
      expect(isDenied(text, more)).toBe(fits);
      expect(isAllowed(text, more)).toBe(fits);
    },
  );
});

describe("SELECTORS-2: to take away, any touch and any doubt is enough", () => {
  test("one of several resources is enough", () => {
    expect(isDenied("file:/etc/**", touching("file:/work/a:read", "file:/etc/b:read"))).toBe(true);
  });

  test("a resource that cannot be read could be any", () => {
    const strange = touching("file:/work/../etc/passwd:read");

    expect(isDenied("file:/etc/**", strange)).toBe(true);
    expect(isAllowed("file:/work/**", strange)).toBe(false);
    expect(isAllowed("file:*", strange)).toBe(false);
    expect(isDenied("file:*", strange)).toBe(true);
  });

  test("a rule that does not cover the call for sure is not what allowed it", () => {
    const strange = touching("file:/work/../etc/passwd:read");
    const files = { id: "f", allow: "file:/work/**", rate: "1/h" };

    expect(decideWith([files, rest], strange)).toMatchObject({ rule: "org/rest", rates: [] });
  });

  test("SELECTORS-3: a host at another port is the same host, and an address is a host", () => {
    const odd = touching("http:evil.example:8443/x:get");

    expect(isDenied("http:evil.example", odd)).toBe(true);
    expect(isAllowed("http:evil.example", odd)).toBe(false);
    expect(isDenied("http:*", touching("http:169.254.169.254/x:get"))).toBe(true);
  });

  test("a name that cannot be read could be any", () => {
    expect(isDenied("tool:file.*", { tool: "file read" })).toBe(true);
    expect(isAllowed("tool:file.*", { tool: "file read" })).toBe(false);
    const forWriter = { id: "d", deny: "*", agents: ["writer"] };
    expect(decideWith([rest, forWriter], { agent: "wri ter" }).effect).toBe("deny");
    const toWriter = { id: "a", allow: "*", agents: ["writer"] };
    expect(decideWith([toWriter], { agent: "wri ter" }).effect).toBe("deny");
  });
});

describe("POLICY-COVERAGE-1: to give, everything that a call touches has to be covered", () => {
  const both = touching("file:/work/a:read", "http:api.example.com/x:post");

  test("a rule for files does not allow a call that also reaches a host", () => {
    expect(isAllowed("file:/work/**", both)).toBe(false);
    expect(isAllowed("file:/work/**", touching("file:/work/a:read", "file:/etc/b:read"))).toBe(
      false,
    );
  });

  test("a verb that is not named is not covered", () => {
    const copies = touching("file:/work/a:read", "file:/work/b:write");

    expect(isAllowed("file:/work/**:read", copies)).toBe(false);
    expect(isAllowed("file:/work/**:read,write", copies)).toBe(true);
  });

  test("one rule, or several together, cover it", () => {
    const [files, hosts] = ["file:/work/**", "http:api.example.com"];

    expect(isAllowed([files, hosts], both)).toBe(true);
    const apart = [
      { id: "f", allow: files, constraints: { timeout: "2s" } },
      { id: "h", allow: hosts, constraints: { timeout: "1s" } },
    ];
    expect(decideWith(apart, both)).toMatchObject({ effect: "allow", timeoutMs: 1000 });
  });

  test("by its sinks only when each is named", () => {
    const sinks = ["write", "egress"] as const;

    expect(isAllowed("sink:write", { tool: "http.post", sinks })).toBe(false);
    expect(isAllowed("sink:write, sink:egress", { tool: "http.post", sinks })).toBe(true);
  });

  test("a tool that touches nothing is not allowed by a rule for resources", () => {
    expect(isAllowed("file:*", touching())).toBe(false);
  });
});

test("LAYER-5: what is known of one sort of call is not taken for another", () => {
  const policy = policyOf([
    rest,
    { id: "sink", deny: "sink:egress" },
    { id: "effect", deny: "effect:external" },
    { id: "kind", deny: "http:*" },
    { id: "tool", deny: "tool:send_money" },
    { id: "model", deny: "model:a/*" },
  ]);
  const plain = { call: "exec", tool: "file.read" };
  const effectOf = (more: Partial<Subject>) =>
    policy.decide(subject({ ...plain, ...more }), ["org"]).effect;

  expect(effectOf({})).toBe("allow");
  expect(effectOf({ sinks: ["egress"] })).toBe("deny");
  expect(effectOf({ effect: "external" })).toBe("deny");
  expect(effectOf({ touches: [touchFrom("http:example.com/:get")] })).toBe("deny");
  expect(effectOf({ tool: "send_money" })).toBe("deny");
  expect(effectOf({ call: "infer", tool: undefined, model: "b/c" })).toBe("allow");
  expect(effectOf({ call: "infer", tool: undefined, model: "a/b" })).toBe("deny");
  expect(effectOf({})).toBe("allow");
});
