import { describe, expect, test } from "vitest";
import { attenuate, type Block, charge, revoke } from "./block.ts";
import { decide } from "./chain.ts";
import { parseCapability } from "./grammar.ts";
import { grantableVia, mayGrant, uncovered, uncoveredByAny } from "./grant.ts";
import { Holdings } from "./holdings.ts";

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
      code: "hold",
      why: "block root holds no tool capability that may be granted",
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

    const decision = decide(chain, { kind: "tool", resource: "pay", verb: "call" }, 0);
    if (decision.allow) charge(decision.charges, 0);

    expect(grants(chain, "tool:pay:call")).toMatchObject({ allow: false, code: "hold" });
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
      "file:/etc/a:read will allow nothing: block leaf holds no file capability for read on /etc/a",
    ],
    ["file:/work/a:read", null],
    ["file:/**:read", null],
  ])("%s", (text, warning) => {
    expect(uncovered(chain, parseCapability(text))).toBe(warning);
  });
});

describe("of several chains", () => {
  const chains = (...texts: string[]) => {
    const [birth, ...granted] = texts.map((text, i) => ({
      handle: `h${i}`,
      block: block(`b${i}`, [text]),
    }));
    return new Holdings(birth as NonNullable<typeof birth>, granted);
  };
  const via = (holdings: Holdings, text: string, handle?: string) =>
    grantableVia(holdings, parseCapability(text), 0, handle);

  test("the first that may hand it on is granted through", () => {
    const holdings = chains("tool:*:call{hold:use}", "tool:pay:call", "tool:*:call{hold:grant}");

    expect(via(holdings, "tool:pay:call")).toMatchObject({ allow: true, via: { handle: "h1" } });
    expect(via(holdings, "tool:x:call")).toMatchObject({ allow: true, via: { handle: "h2" } });
  });

  test("with a handle only that one is asked, and one that is not held is refused", () => {
    const holdings = chains("tool:*:call", "tool:*:call{hold:use}");

    expect(via(holdings, "tool:x:call", "h0")).toMatchObject({
      allow: true,
      via: { handle: "h0" },
    });
    expect(via(holdings, "tool:x:call", "h1")).toMatchObject({ allow: false, code: "hold" });
    expect(via(holdings, "tool:x:call", "h2")).toMatchObject({ allow: false, blockId: "" });
  });

  test.each<[string[], string]>([
    [["file:/**:*", "tool:y:call"], "b1"],
    [["tool:y:call", "file:/**:*"], "b0"],
    [["file:/**:*", "tool:x:call{hold:use}", "tool:y:call"], "b1"],
    [["tool:y:call", "tool:z:call"], "b0"],
  ])("the refusal is that of the chain that came nearest: %j", (texts, blockId) => {
    expect(via(chains(...texts), "tool:x:call")).toMatchObject({ allow: false, blockId });
  });

  test("there is no warning when one of them may serve", () => {
    const holdings = chains("file:/a:read", "tool:*:call");

    expect(uncoveredByAny(holdings, parseCapability("tool:x:call"))).toBeNull();
    expect(uncoveredByAny(holdings, parseCapability("model:x:infer"))).toContain("block b0");
  });
});
