import { expect, test } from "vitest";
import { attenuateBlock, type CapabilityBlock, linkBlock } from "./block.ts";
import { blockState, restoreBlock } from "./block-state.ts";
import { defaultCeiling, readCeiling } from "../policy-formats/ceiling-list.ts";
import { ceilingAbove, ceilingBlock, confinementBy } from "./ceiling.ts";
import { decideChain } from "../refusal/explain.ts";
import { parseCapability } from "./grammar.ts";
import { mayGrant } from "../operator/may-grant.ts";
import { heldPatterns } from "./held-patterns.ts";
import { Holdings } from "./holdings.ts";
import type { CapabilityKind } from "./kinds.ts";
import { witnesses } from "../inspection/witnesses.ts";

const shipped = ceilingBlock("acme", readCeiling(defaultCeiling), 0);
const below = (capabilities: string[], ceiling: CapabilityBlock = shipped): CapabilityBlock =>
  attenuateBlock(ceiling, capabilities.map(parseCapability), { id: "agt_a.0", mintedAt: 0 });
const ask = (chain: CapabilityBlock, kind: CapabilityKind, resource: string, verb: string) =>
  decideChain(chain, { kind, resource, verb }, 1);

const EVERYTHING = [
  "file:/**:read,write,list,remove",
  "http:*:get,post",
  "http:127.0.0.1:8080:get",
  "http:169.254.169.254:get",
  "shell:*:exec",
  "tool:*:call",
  "model:*:infer",
  "memory:/**:read,write",
  "browser:*:navigate",
];

test.each([
  ["file", "/etc/shadow", "read"],
  ["file", "/workshop/a", "read"],
  ["file", "/", "list"],
  ["http", "127.0.0.1:8080/x", "get"],
  ["http", "169.254.169.254/latest", "get"],
  ["http", "[::1]/", "get"],
  ["http", "localhost/", "get"],
  ["tool", "browser.navigate", "call"],
  ["tool", "mcp.github.push", "call"],
  ["tool", "file.read.more", "call"],
  ["model", "anthropic/claude", "infer"],
  ["browser", "example.com/", "navigate"],
] as const)("the ceiling that ships covers no %s %s", (kind, resource, verb) => {
  const decision = ask(below(EVERYTHING), kind, resource, verb);

  expect(decision.allow).toBe(false);
});

test.each([
  ["file", "/work/a/b", "write"],
  ["memory", "/mem/shared/x", "read"],
  ["http", "api.example.com/v1", "get"],
  ["shell", "ls", "exec"],
  ["tool", "file.read", "call"],
  ["model", "scripted/hello", "infer"],
] as const)("it covers %s %s, for who holds it", (kind, resource, verb) => {
  expect(ask(below(EVERYTHING), kind, resource, verb).allow).toBe(true);
  expect(ask(below([]), kind, resource, verb).allow).toBe(false);
});

test("a refusal names the ceiling, the tenant and what would raise it", () => {
  const decision = ask(below(EVERYTHING), "file", "/etc/shadow", "read");

  expect(decision).toMatchObject({
    allow: false,
    reason: {
      ceilingOf: "acme",
      smallestGrant: "file:/etc/shadow:read",
      why: expect.stringContaining("the ceiling of tenant acme, set by the operator"),
    },
  });
});

test("what is handed on, shown and told to programs is held to it as well", () => {
  const chain = below(["file:/**:read", "file:/work/a/**:read"]);
  const holdings = new Holdings({ handle: "", block: chain });

  expect(mayGrant(chain, parseCapability("file:/etc/shadow:read"), 1)).toMatchObject({
    allow: false,
  });
  expect(
    heldPatterns(holdings, "file", 1)
      .map(({ pattern }) => pattern)
      .sort(),
  ).toEqual(["/work/**", "/work/a/**"]);
  expect(witnesses(chain, { kind: "file", resource: "/etc/x", verb: "read" }, 1)[0]).toEqual({
    block: "ceiling:acme",
    capability: null,
  });
});

test("CEILING-3: a pin of the ceiling narrows, and is nobody's word for a call", () => {
  const ceiling = ceilingBlock("acme", readCeiling(['tool:pay:call{pin.to:"ann"}']), 0);
  const chain = below(["tool:*:call"], ceiling);
  const pay = (to: string) =>
    decideChain(chain, { kind: "tool", resource: "pay", verb: "call", args: { to } }, 1);

  expect(pay("ann")).toMatchObject({ allow: true, pinned: false });
  expect(pay("bob").allow).toBe(false);
});

test.each([
  "tool:x:call{max:1}",
  "tool:x:call{rate:1/min}",
  "model:a/b:infer{usd:1}",
  "file:/a:read{bytes:1KiB}",
  "tool:x:call{hold:grant}",
])("CEILING-2: %s has no place in a ceiling", (text) => {
  expect(() => readCeiling([text])).toThrow(/is not allowed in a ceiling/);
});

test("a ceiling ends on a date, and not some time after it was read", () => {
  expect(readCeiling(["tool:*:call{expires:2030-01-01T00:00:00Z}"])).toHaveLength(1);
  expect(() => readCeiling(["tool:*:call{expires:1h}"])).toThrow("takes a date");
});

test("what is no text at all is a mistake of the caller, not of the ceiling", () => {
  expect(() => readCeiling([undefined as never])).toThrow(TypeError);
});

test("a ceiling that cannot be read says where", () => {
  expect(() => readCeiling(["file:etc:read"])).toThrow(/the ceiling/);
  expect(() => readCeiling(["nonsense"])).toThrow(/the ceiling/);
});

test("the state of a block knows nothing of the ceiling, and is restored below another", () => {
  const state = blockState(below(["file:/**:read"]));
  const narrow = ceilingBlock("acme", [], 0);

  expect(state.parentId).toBeNull();
  expect(ceilingAbove(restoreBlock(state, narrow))).toBe(narrow);
  expect(ask(restoreBlock(state, narrow), "file", "/work/a", "read").allow).toBe(false);
  expect(ask(restoreBlock(state, null), "file", "/work/a", "read").allow).toBe(true);
});

test("programs of a tenant with a ceiling see what it covers; others have no confinement", () => {
  const confinement = confinementBy(ceilingAbove(below([])), { now: () => 1 });
  const free = linkBlock(null, [], { id: "x", mintedAt: 0 });

  expect(confinement?.mayRead("/etc/shadow")).toBe(false);
  expect(confinement?.mayRead("/work/a")).toBe(true);
  expect(confinementBy(ceilingAbove(free), { now: () => 1 })).toBeUndefined();
});
