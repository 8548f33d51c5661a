import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  attenuateBlock,
  type CapabilityBlock,
  charge,
  type BlockOrigin,
  revokeBlock,
} from "./block.ts";
import { type ChainPermission, isCoveredBy } from "./chain.ts";
import { decideChain, type Decision } from "../refusal/explain.ts";
import { parseCapability } from "./grammar.ts";
import type { AccessRequest } from "./obstacle.ts";

const T0 = Date.UTC(2026, 0, 1);
const SECOND = 1000;

function block(
  caps: readonly string[],
  parent: CapabilityBlock | null = null,
  mint: Partial<BlockOrigin> = {},
): CapabilityBlock {
  const id = mint.id ?? `b${parent === null ? 0 : parent.depth}`;
  return attenuateBlock(parent, caps.map(parseCapability), { mintedAt: T0, ...mint, id });
}

const read: AccessRequest = { kind: "file", resource: "/work/a", verb: "read" };
const call: AccessRequest = { kind: "tool", resource: "pay", verb: "call" };

function ask(chain: CapabilityBlock, request: AccessRequest = call, nowMs = T0): Decision {
  return decideChain(chain, request, nowMs);
}

function allowed(decision: Decision): ChainPermission {
  if (!decision.allow) throw new Error(decision.reason.why);
  return decision;
}

test("OBSTACLE-3: only a pattern that begins with /mem/agents/ covers the memory of other agents", () => {
  const of = (pattern: string, resource: string) =>
    ask(block([`memory:${pattern}:read`]), { kind: "memory", resource, verb: "read" }).allow;

  expect(of("/mem/**", "/mem/agents/ada/semantic/x")).toBe(false);
  expect(of("/**", "/mem/agents/ada/semantic/x")).toBe(false);
  expect(of("/mem/agents/**", "/mem/agents/ada/semantic/x")).toBe(true);
  expect(of("/mem/**", "/mem/shared/x")).toBe(true);
  expect(
    ask(block(["file:/**:read"]), { ...read, resource: "/mem/agents/ada/x" }).allow, // a file of the machine
  ).toBe(true);
});

describe("whether a block covers what is under way", () => {
  const covers = (of: CapabilityBlock, request: AccessRequest = call, nowMs = T0) =>
    isCoveredBy(of, request, nowMs);

  test("it does by a capability of the kind, whatever is pinned or used up", () => {
    expect(covers(block(["tool:pay:call"]))).toBe(true);
    expect(covers(block(['tool:pay:call{pin.to:"ann"}']))).toBe(true);
    const once = block(["tool:pay:call{max:1}"]);
    once.held[0]!.usage.uses = 1;
    expect(covers(once)).toBe(true);
    expect(covers(block(["tool:other:call"]))).toBe(false);
    expect(covers(block(["file:/**:read"]))).toBe(false);
  });

  test("it does not once it is revoked or over, nor what no capability can be about", () => {
    const revoked = block(["tool:pay:call"]);
    revokeBlock(revoked);
    expect(covers(revoked)).toBe(false);
    expect(covers(block(["tool:pay:call"], null, { expiresAt: T0 }))).toBe(false);
    expect(covers(block(["tool:pay:call"]), { ...call, verb: "burn" })).toBe(false);
  });
});

describe("what a capability says is what it allows", () => {
  test("the resource must be covered", () => {
    const chain = block(["file:/work/**:read"]);

    expect(ask(chain, read)).toMatchObject({ allow: true });
    expect(ask(chain, { ...read, resource: "/etc/passwd" })).toMatchObject({
      reason: { code: "resource" },
    });
  });

  test("the verb must be named", () => {
    const chain = block(["file:/work/**:read"]);

    expect(ask(chain, { ...read, verb: "write" })).toMatchObject({ reason: { code: "verb" } });
  });

  test("a capability of another kind does not help", () => {
    const chain = block(["memory:/**:read", "tool:*:call"]);

    expect(ask(chain, read)).toMatchObject({ reason: { code: "absent" } });
  });

  test("any one capability of a block is enough", () => {
    const chain = block(["file:/tmp/**:read", "file:/work/**:write", "file:/work/**:read"]);

    expect(ask(chain, read).allow).toBe(true);
  });

  test("a block without capabilities allows nothing", () => {
    expect(ask(block([], block(["file:/**:read"])), read).allow).toBe(false);
  });

  test.each<Partial<Record<keyof AccessRequest, string>>>([
    { kind: "fiel" },
    { kind: "__proto__" },
    { verb: "raed" },
    { verb: "*" },
    { resource: "/work/../etc" },
    { resource: "" },
  ])("a request that cannot be read is refused, whatever is held: %j", (change) => {
    const chain = block(["file:/**:*"]);

    expect(ask(chain, { ...read, ...change } as AccessRequest)).toMatchObject({
      allow: false,
      reason: { code: "malformed", smallestGrant: "" },
    });
  });
});

describe("every block of the chain must allow", () => {
  test("a child cannot widen: what its parent lacks is refused, and the parent is named", () => {
    const root = block(["file:/work/**:read"], null, { id: "root" });
    const child = block(["file:/**:*"], root, { id: "child" });

    expect(ask(child, read).allow).toBe(true);
    expect(ask(child, { ...read, resource: "/etc/x" })).toMatchObject({
      reason: { blockId: "root" },
    });
    expect(ask(child, { ...read, verb: "write" })).toMatchObject({ reason: { blockId: "root" } });
  });

  test("a child can narrow, and its parent keeps what it had", () => {
    const root = block(["file:/work/**:read,write"]);
    const child = block(["file:/work/a:read"], root);

    expect(ask(child, { ...read, verb: "write" }).allow).toBe(false);
    expect(ask(root, { ...read, verb: "write" }).allow).toBe(true);
  });

  test("a block in the middle is asked too", () => {
    const middle = block(["file:/work/b:read"], block(["file:/**:read"]), { id: "middle" });
    const leaf = block(["file:/**:read"], middle);

    expect(ask(leaf, read)).toMatchObject({ reason: { blockId: "middle" } });
  });

  test("a chain allows exactly the intersection of its blocks", () => {
    const resources = ["/a", "/a/b", "/a/c", "/b", "/b/c"];
    const texts = ["/**", "/a/**", "/a/*", "/a", "/*/c", "/b/**"].flatMap((pattern) => [
      `file:${pattern}:read`,
      `file:${pattern}:write`,
    ]);
    const blocks = fc.array(fc.subarray(texts, { maxLength: 4 }), { minLength: 1, maxLength: 5 });

    fc.assert(
      fc.property(
        blocks,
        fc.constantFrom(...resources),
        fc.constantFrom("read", "write"),
        (all, resource, verb) => {
          const request: AccessRequest = { kind: "file", resource, verb };
          let chain: CapabilityBlock | null = null;
          for (const caps of all) chain = block(caps, chain);
          const each = all.every((caps) => ask(block(caps), request).allow);
          expect(ask(chain as CapabilityBlock, request).allow).toBe(each);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("a chain is at most 64 blocks long", () => {
    let chain = block([]);
    while (chain.depth < 64) chain = block([], chain);

    expect(() => block([], chain)).toThrow("more than 64 blocks");
  });
});

describe("expiry", () => {
  test("a moment is the first millisecond at which it no longer counts", () => {
    const chain = block(["tool:pay:call{expires:2026-01-01T00:00:10Z}"]);

    expect(ask(chain, call, T0 + 10 * SECOND - 1).allow).toBe(true);
    expect(ask(chain, call, T0 + 10 * SECOND)).toMatchObject({ reason: { code: "expires" } });
  });

  test("a time counts from when the block was minted", () => {
    const chain = block(["tool:pay:call{expires:10s}"], null, { mintedAt: T0 + 5 * SECOND });

    expect(ask(chain, call, T0 + 15 * SECOND - 1).allow).toBe(true);
    expect(ask(chain, call, T0 + 15 * SECOND).allow).toBe(false);
  });

  test("a child cannot drop its parent's expiry", () => {
    const child = block(["tool:pay:call"], block(["tool:pay:call{expires:10s}"]));

    expect(ask(child, call, T0 + 10 * SECOND).allow).toBe(false);
  });

  test("a block's own expiry ends all it holds, also below it", () => {
    const root = block(["tool:pay:call"], null, { expiresAt: T0 + SECOND });
    const child = block(["tool:pay:call"], root);

    expect(ask(child, call, T0 + SECOND - 1).allow).toBe(true);
    expect(ask(child, call, T0 + SECOND)).toMatchObject({
      reason: { code: "expired", blockId: "b0" },
    });
  });

  test("a clock that is not a number allows nothing that expires", () => {
    expect(ask(block(["tool:pay:call{expires:10s}"]), call, NaN).allow).toBe(false);
    expect(ask(block(["tool:pay:call"], null, { expiresAt: T0 }), call, NaN).allow).toBe(false);
  });
});

test("revoking a block stops it and everything below it, and nothing above", () => {
  const root = block(["tool:pay:call"]);
  const child = block(["tool:pay:call"], root);
  const grandchild = block(["tool:pay:call"], child);

  revokeBlock(child);

  expect(ask(grandchild)).toMatchObject({ reason: { code: "revoked", blockId: child.id } });
  expect(ask(child).allow).toBe(false);
  expect(ask(root).allow).toBe(true);
});

describe("hold", () => {
  test("what is held to grant may be used below, not by its holder", () => {
    const root = block(["tool:pay:call{hold:grant}"]);

    expect(ask(root)).toMatchObject({ reason: { code: "hold" } });
    expect(ask(block(["tool:pay:call"], root)).allow).toBe(true);
  });

  test("what is held to use may be used by its holder, not below", () => {
    const root = block(["tool:pay:call{hold:use}"]);

    expect(ask(root).allow).toBe(true);
    expect(ask(block(["tool:pay:call"], root))).toMatchObject({
      reason: { code: "hold", blockId: "b0" },
    });
  });

  test("a holder gains no use by appending a block of its own", () => {
    const root = block(["tool:pay:call{hold:grant}"], null, { holder: "agt_1" });
    const own = block(["tool:pay:call"], root, { holder: "agt_1" });
    const back = block(["tool:pay:call"], block(["tool:pay:call"], root, { holder: "agt_2" }), {
      holder: "agt_1",
    });

    expect(ask(own).allow).toBe(false);
    expect(ask(back).allow).toBe(false);
  });
});

describe("pins", () => {
  const pinned = 'tool:pay:call{pin.to:"CH93",pin.order:{"a":1,"b":[2]}}';
  const args = { to: "CH93", order: { b: [2], a: 1 }, note: "free" };

  test("every pinned argument must be equal; others are free", () => {
    expect(ask(block([pinned]), { ...call, args }).allow).toBe(true);
  });

  test.each([
    undefined,
    {},
    { ...args, to: "CH94" },
    { ...args, to: ["CH93"] },
    { ...args, order: { a: 1, b: [2, 3] } },
    { ...args, order: { a: 1, b: [2], c: 3 } },
    { ...args, order: { a: 1, b: { 0: 2 } } },
    { ...args, order: null },
    { order: args.order },
    Object.create(args) as Record<string, unknown>,
  ])("another or a missing value is refused: %j", (args) => {
    expect(ask(block([pinned]), { ...call, args })).toMatchObject({ reason: { code: "pin" } });
  });

  test("the refusal names the argument and keeps the request's values to itself", () => {
    const decision = ask(block([pinned]), { ...call, args: { ...args, to: "EVIL" } });

    expect(decision).toMatchObject({
      reason: { why: "the argument to is pinned to another value" },
    });
    expect(JSON.stringify(decision)).not.toContain("EVIL");
  });

  test("a call that fits a pin is charged to it and says so", () => {
    const root = block(["tool:*:call{max:9}", 'tool:pay:call{max:1,pin.to:"CH93"}'], null, {
      id: "root",
    });
    const leaf = block(["tool:*:call"], root);

    const first = allowed(ask(leaf, { ...call, args }));
    charge(first.charges, T0);

    expect(first.pinnedBy).toBe("root");
    expect(root.held.map(({ usage }) => usage.uses)).toEqual([0, 1]);
    expect(allowed(ask(leaf, { ...call, args })).pinnedBy).toBeUndefined();
  });
});
