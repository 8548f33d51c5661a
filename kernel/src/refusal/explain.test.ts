import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attenuateBlock, type CapabilityBlock } from "../capability/block.ts";
import { parseCapability } from "../capability/grammar.ts";
import type { AccessRequest } from "../capability/obstacle.ts";
import { decideChain, type Refusal } from "./explain.ts";

function block(
  id: string,
  caps: readonly string[],
  parent: CapabilityBlock | null = null,
): CapabilityBlock {
  return attenuateBlock(parent, caps.map(parseCapability), { id, mintedAt: 0 });
}

function refusal(chain: CapabilityBlock, request: AccessRequest): Refusal {
  const decision = decideChain(chain, request, 0);
  if (decision.allow) throw new Error("expected a refusal");
  return decision.reason;
}

const write: AccessRequest = { kind: "file", resource: "/work/src/a.ts", verb: "write" };

test("a refusal names the block nearest the root, and all that refuse", () => {
  const root = block("root", ["tool:*:call"]);
  const middle = block("middle", ["file:/**:*"], root);
  const leaf = block("leaf", ["file:/tmp/**:write"], middle);

  expect(refusal(leaf, write)).toEqual({
    blockId: "root",
    blockIds: ["root", "leaf"],
    code: "absent",
    smallestGrant: "file:/work/src/a.ts:write",
    why: "its grantor root holds no `file:` capability",
  });
});

describe("the nearest capability is the one that misses least", () => {
  test.each([
    [["file:/tmp/**:write", "file:/work/lib/**:write"], "file:/work/lib/**:write", "resource"],
    [["file:/work/lib/**:write", "file:/**:read"], "file:/**:read", "verb"],
    [
      ["file:/**:read", "file:/**:write{expires:1970-01-01T00:00:00Z}"],
      "file:/**:write{expires:1970-01-01T00:00:00Z}",
      "expires",
    ],
    [["file:/**:write{hold:grant}", "file:/**:read"], "file:/**:write{hold:grant}", "hold"],
    [["file:/work/lib/**:write", "file:/tmp/**:write"], "file:/work/lib/**:write", "resource"],
    [["file:/**:read", "file:/work/src/b:write"], "file:/**:read", "verb"],
  ])("of %j it is %s", (caps, nearest, code) => {
    expect(refusal(block("b", caps), write)).toMatchObject({ nearest, code });
  });
});

test.each([
  [["xbcd", "a*d"], "a*d"],
  [["axcd", "abxx"], "abxx"],
  [["abxx", "axcd"], "abxx"],
])("among names that miss alike it is the one that begins like what was asked: %j", (names, of) => {
  const held = names.map((name) => `tool:${name}x:call`);
  const call: AccessRequest = { kind: "tool", resource: "abcd", verb: "call" };

  expect(refusal(block("b", held), call).nearest).toBe(`tool:${of}x:call`);
});

test("what no capability can be about is refused by the process's own block", () => {
  const leaf = block("leaf", ["file:/**:*"], block("root", ["file:/**:*"]));

  expect(refusal(leaf, { ...write, verb: "burn" })).toEqual({
    blockId: "leaf",
    blockIds: ["leaf"],
    code: "malformed",
    smallestGrant: "",
    why: "no capability can allow this: file has no verb `burn`, or the resource is not in canonical form",
  });
});

describe("the smallest grant allows the request, and as little else as can be written", () => {
  test.each<[AccessRequest["kind"], string, string, string]>([
    ["file", "/work/a.ts", "read", "file:/work/a.ts:read"],
    ["file", "/", "list", "file:/:list"],
    ["file", "/a/b[1].txt", "read", "file:/a/b*1*.txt:read"],
    ["file", "/a/**", "read", "file:/a/*:read"],
    ["file", "/a/{1}2{3}4", "read", "file:/a/*1*2*3*4:read"],
    ["file", "/a/{1}{2}{3}{4}", "read", "file:/a/*:read"],
    ["file", "/a/ b ", "read", "file:/a/*b*:read"],
    ["http", "https://API.example.com/v1/a,b/", "get", "http:api.example.com/v1/a*b:get"],
    ["http", "localhost:3000", "get", "http:localhost:3000/:get"],
    ["http", "https://a.com/", "get", "http:a.com/:get"],
    ["model", "ollama/llama3:8b", "infer", "model:ollama/llama3:8b:infer"],
    ["tool", "a,b(c)", "call", "tool:a*b*c*:call"],
    ["tool", "ab,c,d,e,f,g", "call", "tool:ab*:call"],
  ])("%s %s", (kind, resource, verb, grant) => {
    const request: AccessRequest = { kind, resource, verb };

    expect(refusal(block("b", []), request).smallestGrant).toBe(grant);
    expect(decideChain(block("b", [grant]), request, 0).allow).toBe(true);
  });

  test("for any resource that can be granted at all", () => {
    const characters = fc.string({
      unit: fc.constantFrom(...Array.from("ab. ,*[]{}()!?\\%:é-")),
      maxLength: 20,
    });
    const requests = fc.oneof(
      characters.map((text): AccessRequest => ({
        kind: "file",
        resource: `/${text}/x`,
        verb: "read",
      })),
      characters.map((text): AccessRequest => ({
        kind: "http",
        resource: `a.com/${text}`,
        verb: "get",
      })),
      characters.map((text): AccessRequest => ({ kind: "tool", resource: text, verb: "call" })),
    );

    fc.assert(
      fc.property(requests, (request) => {
        const { smallestGrant } = refusal(block("b", []), request);
        if (smallestGrant === "") return;
        expect(decideChain(block("b", [smallestGrant]), request, 0).allow).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});

test.each([
  ["use", "may be used but not granted to others"],
  ["grant", "may be granted to others but not used"],
])("a capability for the other role says which it is for: hold %s", (hold, words) => {
  const root = block("root", [`file:/**:write{hold:${hold}}`]);
  const chain = hold === "use" ? block("leaf", ["file:/**:write"], root) : root;

  expect(refusal(chain, write)).toMatchObject({
    code: "hold",
    why: expect.stringContaining(words) as string,
  });
});
