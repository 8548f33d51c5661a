import { describe, expect, test } from "vitest";
import { attenuateBlock, type CapabilityBlock, charge, revokeBlock } from "../capability/block.ts";
import { decideChain } from "../refusal/explain.ts";
import { parseCapability } from "../capability/grammar.ts";
import { mayGrant } from "./may-grant.ts";

function block(
  id: string,
  caps: readonly string[],
  parent: CapabilityBlock | null = null,
): CapabilityBlock {
  return attenuateBlock(parent, caps.map(parseCapability), { id, mintedAt: 0 });
}

function grants(chain: CapabilityBlock, text: string, nowMs = 0) {
  return mayGrant(chain, parseCapability(text), nowMs);
}

describe("handing on", () => {
  test.each([
    ["tool:*:call", true],
    ["tool:*:call{hold:both}", true],
    ["tool:*:call{hold:grant}", true],
    ["tool:*:call{hold:use}", false],
    ["file:/**:*", false],
    ["tool:other:call", false],
    ["tool:*:call{expires:1970-01-01T00:00:00Z}", false],
  ])("a holder of %s may grant tool:pay:call: %s", (held, expected) => {
    expect(grants(block("b", [held]), "tool:pay:call").allow).toBe(expected);
  });

  test("every block above must let it be handed on", () => {
    const root = block("root", ["tool:*:call{hold:use}"]);
    const leaf = block("leaf", ["tool:*:call"], root);

    expect(grants(leaf, "tool:pay:call")).toEqual({
      allow: false,
      blockId: "root",
      code: "hold",
      why: "its grantor root holds no `tool:` capability that may be granted",
    });
  });

  test("every verb must be there to grant", () => {
    const chain = block("b", ["file:/**:read", "file:/**:write{hold:use}"]);

    expect(grants(chain, "file:/a:read").allow).toBe(true);
    expect(grants(chain, "file:/a:read,write").allow).toBe(false);
  });

  test("the verb must be there for that resource", () => {
    const chain = block("b", ["file:/a:read", "file:/b:write"]);

    expect(grants(chain, "file:/a:write")).toMatchObject({ allow: false, code: "resource" });
    expect(grants(chain, "file:/*:write").allow).toBe(true);
  });

  test.each([
    ["tool:x:call", "kind", "it holds no `tool:` capability"],
    ["tool:*:call", "kind", "it holds no `tool:` capability"],
    ["file:/work/a:write", "verb", "it holds no `file:` capability with the verb `write`"],
    ["file:/**:write", "verb", "it holds no `file:` capability with the verb `write`"],
    [
      "file:/etc/a:read",
      "resource",
      "it holds no `file:` capability with the verb `read` that covers /etc/a",
    ],
  ])("%s is refused for its %s, and the refusal says so", (text, code, why) => {
    expect(grants(block("b", ["file:/work/**:read"]), text)).toEqual({
      allow: false,
      blockId: "b",
      code,
      why: `${why} that may be granted`,
    });
  });

  test("any one that covers it will do, and of a list any one of it", () => {
    const chain = block("b", ["file:/a:read", "file:/b,c:read", "tool:x:call"]);

    expect(grants(chain, "file:/a:read").allow).toBe(true);
    expect(grants(chain, "file:/b,c:read").allow).toBe(true);
    expect(grants(chain, "file:/b,d:read").allow).toBe(false);
    expect(grants(chain, "tool:x,y:call").allow).toBe(true);
    expect(grants(chain, "tool:y:call").allow).toBe(false);
  });

  test("what is used up is nothing to grant", () => {
    const chain = block("b", ["tool:*:call{max:1}"]);
    expect(grants(chain, "tool:pay:call").allow).toBe(true);

    const decision = decideChain(chain, { kind: "tool", resource: "pay", verb: "call" }, 0);
    if (decision.allow) charge(decision.charges, 0);

    expect(grants(chain, "tool:pay:call")).toMatchObject({ allow: false, code: "hold" });
  });

  test("a dead block grants nothing", () => {
    const revoked = block("b", ["tool:*:call"]);
    revokeBlock(revoked);
    const leased = attenuateBlock(null, [parseCapability("tool:*:call")], {
      id: "l",
      mintedAt: 0,
      expiresAt: 5,
    });

    expect(grants(revoked, "tool:pay:call").allow).toBe(false);
    expect(grants(leased, "tool:pay:call", 4).allow).toBe(true);
    expect(grants(leased, "tool:pay:call", 5).allow).toBe(false);
  });
});
