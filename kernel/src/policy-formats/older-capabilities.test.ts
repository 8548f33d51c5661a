import { describe, expect, test } from "vitest";
import { CapabilityError } from "../capability/error.ts";
import { formatCapability, parseCapability } from "../capability/grammar.ts";
import { readCapability } from "./older-capabilities.ts";

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
    expect(formatCapability(readCapability(text))).toBe(canonical);
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
    expect(formatCapability(readCapability(URL + text))).toBe(canonical);
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
  expect(() => readCapability(text)).toThrow(
    expect.objectContaining({ problem: expect.stringContaining(problem), at }),
  );
});

test("where rewriting moved the characters, an error points at the start of the value", () => {
  const atOf = (text: string): unknown => {
    try {
      return readCapability(text);
    } catch (error) {
      return (error as { at?: number }).at;
    }
  };

  expect(atOf("network: a.com,b!.com")).toBe(15);
  expect(atOf("network: a.com, b!.com")).toBe(9);
  expect(atOf("network: https://b!.com")).toBe(9);
  expect(atOf("file_read: /a/../*")).toBe(14);
});

describe("older forms become the canonical one", () => {
  test.each([
    ["capability://file/data/*?action=read&timeout=30s", "file:/data/*:read{timeout:30s}"],
    [
      "capability://file/a?action=read,write&constraint=timeout:30s,max:3",
      "file:/a:read,write{max:3,timeout:30s}",
    ],
    [
      "capability://http/api.anthropic.com/*?action=request&rate=100/min",
      `http:api.anthropic.com/**:${HTTP}{rate:100/min}`,
    ],
    [
      "capability://shell?action=execute&timeout=30s&allowlist=ls,cat,grep",
      "shell:cat,grep,ls:exec{timeout:30s}",
    ],
    ["capability://agent?action=spawn&max=3", "agent:*:spawn{max:3}"],
    ["capability://tool/mcp.github.*?action=call", "tool:mcp.github.*:call"],
    ["file_read: /data/*", "file:/data/**:read"],
    ["file_write: /data/out.txt", "file:/data/out.txt:write"],
    ["network: Example.com", `http:example.com/**:${HTTP}`],
    ["network: https://b.com/, a.com", `http:a.com/**,b.com/**:${HTTP}`],
    ["network: *", `http:*/**:${HTTP}`],
    ["spawn_child: [b, a]", "agent:a,b:spawn"],
    ["spawn_child: [*]", "agent:*:spawn"],
    ["tool: web.search", "tool:web.search:call"],
  ])("%s", (text, canonical) => {
    expect(formatCapability(readCapability(text))).toBe(canonical);
    expect(readCapability(canonical)).toEqual(readCapability(text));
  });
});

test("a canonical text is read as the grammar reads it", () => {
  expect(readCapability("file:/a/**:read")).toBe(parseCapability("file:/a/**:read"));
});

function refusalOf(text: string): CapabilityError {
  try {
    readCapability(text);
  } catch (error) {
    if (error instanceof CapabilityError) return error;
    throw error;
  }
  throw new Error(`${text} was read`);
}

describe("what is not understood is refused, at the character", () => {
  test.each([
    ["capability://file/a", 19],
    ["capability://fiel/a?action=read", 13],
    ["capability://file/a?timeout=3s", 20],
    ["capability://file/a?action=raed", 27],
    ["capability://file/a?action=read&action=read", 32],
    ["capability://file/a?action=read&mxa=1", 32],
    ["capability://file/a?action=read&max=1&max=2", 38],
    ["capability://file/a?action=read&max", 32],
    ["capability://file?action=read", 17],
    ["capability://file/a/../b?action=read", 20],
    ["capability://http/a.com/../b?action=get", 24],
    ["capability://shell/x?action=exec&allowlist=ls", 18],
    ["capability://file/a?action=read&allowlist=ls", 32],
    ["file_raed: /a", 0],
    ["__proto__: /a", 0],
    ["file_read: /a/../b", 14],
    ["network: https://a.com/b", 17],
    ["spawn_child: a", 13],
    ["spawn_child: abc", 13],
    ["spawn_child: [abc", 13],
    ["spawn_child: abc]", 13],
    ["spawn_child: [a, ]", 13],
    [`file_read: /${"a".repeat(20_000)}`, 16_384],
  ])("%j at %i", (text, at) => {
    expect(refusalOf(text)).toMatchObject({ at });
  });
});

test("a text of 16,384 characters is read, and no longer one", () => {
  expect(refusalOf(`tool: ${"a,".repeat(8_189)}`).problem).not.toBe("capability too long");
  expect(refusalOf(`tool: ${"a,".repeat(8_190)}`).problem).toBe("capability too long");
});

describe("nothing of the text can act on a terminal or hide (ERROR-2)", () => {
  test.each([
    ["in a constraint", "capability://file/a?action=read&\u202e=1"],
    ["in a word", "\u001b[2J: x"],
  ])("%s", (_, text) => {
    const { message, problem } = refusalOf(text);

    expect(message.split("\n")).toHaveLength(3);
    for (const unsafe of ["\u001b", "\u202e"]) expect(message + problem).not.toContain(unsafe);
    expect(message).toContain("\ufffd");
  });
});
