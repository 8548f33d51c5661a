import { describe, expect, test } from "vitest";
import { formatCapability, parseCapability } from "./grammar.ts";

const HTTP = "get,head,post,put,patch,delete,options";
const URL = "capability://";

describe("a value of the colon-space form is rewritten to our pattern (COMPAT-2)", () => {
  test.each([
    ["file_read: /*", "file:/**:read"],
    ["file_read: /a*", "file:/a*:read"],
    ["network: http://a.com", `http:a.com/**:${HTTP}`],
    ["network: http://a.com/, https://b.com", `http:a.com/**,b.com/**:${HTTP}`],
    ["network:  a.com , b.com ", `http:a.com/**,b.com/**:${HTTP}`],
    ["spawn_child: [ab, cd ]", "agent:ab,cd:spawn"],
  ])("%s", (text, canonical) => {
    expect(formatCapability(parseCapability(text))).toBe(canonical);
  });
});

describe("the URL form is read as a capability", () => {
  test.each([
    ["http/a.com/*?action=get", "http:a.com/**:get"],
    ["http/a.com/b/*?action=get", "http:a.com/b/**:get"],
    ["memory/a/*?action=read", "memory:/a/*:read"],
    ["tool/a/b?action=call", "tool:a/b:call"],
    ["shell?action=exec", "shell:*:exec"],
    ["shell?allowlist=ls&action=exec", "shell:ls:exec"],
    ["shell/ls?action=exec", "shell:ls:exec"],
    [
      "tool/x?constraint=max:1,timeout:1s&action=call&rate=1/s",
      "tool:x:call{rate:1/s,max:1,timeout:1s}",
    ],
    ["tool/x?constraint=max:1&constraint=timeout:1s&action=call", "tool:x:call{max:1,timeout:1s}"],
    ["agent?action=spawn&rate=1/s", "agent:*:spawn{rate:1/s}"],
  ])("%s", (text, canonical) => {
    expect(formatCapability(parseCapability(URL + text))).toBe(canonical);
  });
});

test.each<[string, string, number]>([
  [": x", 'unknown capability ": …"', 0],
  ["tool : x", 'unknown capability "tool : …"', 0],
  ["x: y: z", 'unknown capability "x: …"', 0],
  ["tool:x: call", 'tool has no verb " call"; its verbs are call', 7],
  ["network: a.com, b.com/c", "only hosts here; write http:host/path:verbs", 16],
  ["network: a.com,https://b.com/c/", "only hosts here; write http:host/path:verbs", 23],
  ["spawn_child: [a", "expected [name, …]", 13],
  ["capability://", "expected ?action=…", 13],
  ["capability://tool/x", "expected ?action=…", 19],
  ["capability://?action=call", 'unknown kind "";', 13],
  ["capability://tool?a/b", "expected name=value", 18],
  ["capability://tool/x?=1", 'unknown constraint ""', 20],
  ["capability://tool/x?constraint=:1", 'unknown constraint ""', 31],
  ["capability://tool/x?constraint=max:1,timeout", "expected name:value", 37],
  ["capability://tool/x?constraint=max:1,timeout:1s,max:2", '"max" is given twice', 48],
  ["capability://tool/x?max=1&constraint=max:2", '"max" is given twice', 37],
  ["capability://tool/x?action=call&max=1&rate=0/s", "must be at least 1", 43],
  [
    "capability://shell?action=exec&allowlist=ls&allowlist=rm",
    'unknown constraint "allowlist"',
    44,
  ],
  ["capability://shell?allowlist=l s&action=exec", "", 30],
  ["capability://shell/x?allowlist=ls&action=exec", "a path and an allowlist", 18],
  ["capability://tool?action=call", "a tool capability needs a resource", 17],
  ["capability://tool/x y?action=call", "", 19],
  ["capability://memory/x/../y?action=read", "", 22],
  ["capability://tool/x?max=1", "expected action=…", 20],
])("%j is refused: %s at %i", (text, problem, at) => {
  expect(() => parseCapability(text)).toThrow(
    expect.objectContaining({ problem: expect.stringContaining(problem), at }),
  );
});

test("where rewriting moved the characters, an error points at the start of the value", () => {
  const atOf = (text: string): unknown => {
    try {
      return parseCapability(text);
    } catch (error) {
      return (error as { at?: number }).at;
    }
  };

  expect(atOf("network: a.com,b!.com")).toBe(15);
  expect(atOf("network: a.com, b!.com")).toBe(9);
  expect(atOf("network: https://b!.com")).toBe(9);
  expect(atOf("file_read: /a/../*")).toBe(14);
});
