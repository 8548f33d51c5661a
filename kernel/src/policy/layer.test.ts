import { describe, expect, test } from "vitest";
import { KINDS } from "../capability/kinds.ts";
import { compileLayer } from "../policy-formats/compile.ts";
import { Policy } from "./engine.ts";
import { Layer } from "./layer.ts";
import { PLAIN } from "./rule.ts";
import type { Subject } from "./subject.ts";
import {
  decideWith,
  known,
  operatorLayer,
  policyOf,
  subject,
  touchFrom,
} from "../../../tests/helpers/kernel/policy-subject.ts";

const rest = { id: "rest", allow: "*" };

describe("LAYER-5: what is known of one sort of call is not taken for another", () => {
  const examples = {
    file: ["file:/etc/**", "file:/etc/a:read"],
    http: ["http:*", "http:example.com/:get"],
    shell: ["shell:*", "shell:git:exec"],
    agent: ["agent:*", "agent:helper:spawn"],
    memory: ["memory:/mem/**", "memory:/mem/a:read"],
    message: ["message:*", "message:news:publish"],
    secret: ["secret:*", "secret:TOKEN:use"],
    signal: ["signal:*", "signal:agt_2:send"],
    browser: ["browser:*", "browser:example.com/:read"],
  };

  test("every kind that rules speak of by what is touched has an example here", () => {
    const named = [...Object.keys(examples), "tool", "model"];

    expect(named.toSorted()).toEqual(Object.keys(KINDS).toSorted());
  });

  test.each(Object.entries(examples))("%s", (_, [selector, touched]) => {
    const policy = policyOf([rest, { id: "d", deny: selector! }]);
    const effectOf = (touches: Subject["touches"]) =>
      policy.decide(subject({ touches }), ["org"]).effect;
    const strange = { kind: "strange", resource: "x", verb: "read" };

    expect(effectOf([])).toBe("allow");
    expect(effectOf([strange])).toBe("allow");
    expect(effectOf([touchFrom(touched!)])).toBe("deny");
    expect(effectOf([touchFrom("tool:file.read:call"), touchFrom(touched!)])).toBe("deny");
  });

  test("a model counts for any call that has one", () => {
    const policy = policyOf([rest, { id: "d", deny: "model:a/*" }]);

    expect(policy.decide(subject({ call: "wait" }), ["org"]).effect).toBe("allow");
    expect(policy.decide(subject({ call: "wait", model: "a/b" }), ["org"]).effect).toBe("deny");
  });
});

test("LAYER-5: not more than 512 sorts of calls are remembered, and the next is judged the same", () => {
  const layer = operatorLayer("org", [rest, { id: "d", deny: "tool:send_money" }]);
  const policy = new Policy([layer]);
  const effectOf = (tool: string) => policy.decide(subject({ tool }), ["org"]).effect;

  for (let i = 0; i < 512; i++) expect(effectOf(`tool${i}`)).toBe("allow");
  expect(effectOf("tool0")).toBe("allow");
  expect(layer.sorts).toBe(512);
  expect(effectOf("send_money")).toBe("deny");
  expect(layer.sorts).toBe(1);
});

test("a sequence is armed by the resource that it names, and by no other of the kind", () => {
  const rules = [rest, { id: "s", after: "file:/etc/**", deny: "write" }];
  const armedBy = (path: string) =>
    decideWith(rules, { touches: [touchFrom(`file:${path}:read`)] }).tags;

  expect(armedBy("/etc/passwd")).toEqual(["org.s"]);
  expect(armedBy("/work/a")).toEqual([]);
});

test("a rule that asks without a question lets nothing pass", () => {
  const { by } = { by: "all" } as const;
  const asks = { ...PLAIN, id: "a", effect: "ask", selectors: [{ by }], written: {} } as const;
  const text = { name: "x", origin: "", mode: "enforce", labels: [], signals: undefined } as const;
  const policy = new Policy([new Layer({ ...text, rules: [asks], isFree: () => false })]);

  expect(policy.decide(subject(), ["x"])).toMatchObject({
    effect: "deny",
    rule: "policy/(it could not be judged)",
  });
});

test("a policy file takes no signal away", () => {
  const policy = policyOf([rest]);

  expect(policy.allowsSignal(["org"], "SIGKILL")).toBe(true);
  expect(decideWith([rest], { call: "signal", args: { signal: "SIGKILL" } }).effect).toBe("allow");
});

describe("a layer describes itself", () => {
  test("with its rules, marks and labels, and a warning where nothing is allowed", () => {
    const label = { of: "tool:crm.*", label: "untrusted/public" };
    const after = { id: "s", after: "tool:crm.*", deny: "write" };
    const would = { id: "w", shadow: "ask", of: "*" };

    expect(operatorLayer("org", [rest, after, would], { labels: [label] }).describe()).toEqual({
      name: "org",
      origin: "policy.yaml",
      mode: "enforce",
      rules: [
        { id: "rest", effect: "allow", written: rest },
        { id: "s", effect: "deny", tag: "org.s", written: after },
        { id: "w", effect: "shadow ask", written: would },
      ],
      labels: [label],
    });
    expect(operatorLayer("org", [after, would]).describe()).toMatchObject({
      warning: "no rule of this layer allows anything",
    });
  });

  test("it names the signals of a security.md", () => {
    const document = {
      kernel: { version: "1.0", mode: "audit" },
      signals: ["STOP", "INT"],
      policies: [{ action: "*", effect: "allow" }],
    };
    const source = { format: "security.md", document, origin: ".agents/security.md" } as const;

    expect(compileLayer("project", source, known).describe()).toMatchObject({
      mode: "audit",
      signals: ["SIGSTOP", "SIGINT"],
    });
  });
});
