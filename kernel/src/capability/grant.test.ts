import { describe, expect, test } from "vitest";
import { attenuate, type Block, revoke } from "./block.ts";
import { parseCapability } from "./grammar.ts";
import { mayGrant, uncovered } from "./grant.ts";

function block(id: string, caps: readonly string[], parent: Block | null = null): Block {
  return attenuate(parent, caps.map(parseCapability), { id, mintedAt: 0 });
}

function grants(chain: Block, text: string, nowMs = 0) {
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
      why: "block root holds no tool capability that may be granted",
    });
  });

  test("every verb must be there to grant", () => {
    const chain = block("b", ["file:/**:read", "file:/**:write{hold:use}"]);

    expect(grants(chain, "file:/a:read").allow).toBe(true);
    expect(grants(chain, "file:/a:read,write").allow).toBe(false);
  });

  test("a dead block grants nothing", () => {
    const revoked = block("b", ["tool:*:call"]);
    revoke(revoked);
    const leased = attenuate(null, [parseCapability("tool:*:call")], {
      id: "l",
      mintedAt: 0,
      expiresAt: 5,
    });

    expect(grants(revoked, "tool:pay:call").allow).toBe(false);
    expect(grants(leased, "tool:pay:call", 4).allow).toBe(true);
    expect(grants(leased, "tool:pay:call", 5).allow).toBe(false);
  });
});

describe("a warning for what would allow nothing", () => {
  const chain = block("leaf", ["file:/work/**:read"], block("root", ["file:/**:*", "tool:*:call"]));

  test.each([
    ["tool:x:call", "tool:x:call will allow nothing: block leaf holds no tool capability"],
    [
      "file:/work/a:write",
      "file:/work/a:write will allow nothing: block leaf holds no file capability for write",
    ],
    [
      "file:/etc/a:read",
      "file:/etc/a:read will allow nothing: block leaf holds no file capability for /etc/a",
    ],
    ["file:/work/a:read", null],
    ["file:/**:read", null],
  ])("%s", (text, warning) => {
    expect(uncovered(chain, parseCapability(text))).toBe(warning);
  });
});
