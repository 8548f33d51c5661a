import { describe, expect, test } from "vitest";
import {
  attenuateBlock,
  type CapabilityBlock,
  charge,
  type BlockOrigin,
  revokeBlock,
} from "./block.ts";
import { parseCapability } from "./grammar.ts";
import { decideAny, Holdings, newHandle } from "./holdings.ts";
import type { AccessRequest } from "./obstacle.ts";
import { explainRefused } from "../refusal/explain.ts";

const pay: AccessRequest = { kind: "tool", resource: "pay", verb: "call", args: { to: "ada" } };

type Chain = readonly [caps: readonly string[], mint?: Partial<BlockOrigin>];

function block(
  id: string,
  [caps, mint = {}]: Chain,
  parent: CapabilityBlock | null = null,
): CapabilityBlock {
  return attenuateBlock(parent, caps.map(parseCapability), { mintedAt: 0, ...mint, id });
}

/** Chains h0 (birth), h1, … of one block each: b0, b1, … */
function holding(...chains: Chain[]): Holdings {
  const [birth, ...granted] = chains.map((chain, i) => ({
    handle: `h${i}`,
    block: block(`b${i}`, chain),
  }));
  return new Holdings(birth as NonNullable<typeof birth>, granted);
}

/** By which chain it is allowed, or why not. */
function by(holdings: Holdings, request: AccessRequest = pay, handle?: string, nowMs = 0): string {
  const decision = decideAny(holdings, request, nowMs, handle);
  if (!decision.allow) {
    const { reason, via } = explainRefused(decision);
    return `${reason.code} ${via?.handle}`;
  }
  charge(decision.charges, nowMs);
  expect(decision.via.block).toBe(holdings.get(decision.via.handle));
  return decision.via.handle;
}

describe("handles", () => {
  test("a handle is cap_ and 22 characters of 128 random bits", () => {
    expect(newHandle(new Uint8Array(16).fill(255))).toBe("cap______________________w");
    expect(newHandle(new Uint8Array(16))).toMatch(/^cap_[\w-]{22}$/u);
    expect(() => newHandle(new Uint8Array(15))).toThrow("16 random bytes");
  });

  test("an unknown handle and another process's handle are the same answer (HOLDINGS-1)", () => {
    const mine = holding([["tool:*:call"]]);
    const other = new Holdings({ handle: "theirs", block: block("x", [["tool:*:call"]]) });

    expect(other.get("theirs")).toBeDefined();
    for (const handle of ["theirs", "guessed", "", "__proto__"]) {
      expect(mine.get(handle)).toBeUndefined();
      expect(decideAny(mine, pay, 0, handle)).toEqual(decideAny(mine, pay, 0, "no"));
      expect(by(mine, pay, handle)).toBe("handle undefined");
    }
  });

  test("a handle is given once, and a process has at most 64", () => {
    const holdings = holding([["tool:*:call"]]);
    const more = (i: number) => ({ handle: `m${i}`, block: holdings.birth.block });

    expect(() => holdings.add(holdings.birth)).toThrow("once");
    for (let i = 1; i < 64; i++) holdings.add(more(i));
    expect(() => holdings.add(more(64))).toThrow("more than 64 chains");
    expect(holdings.size).toBe(64);
  });
});

describe("which chain is asked depends on what it holds", () => {
  test("what it started with comes before what was granted, and a grant serves what it lacks", () => {
    const holdings = holding([["tool:pay:call{max:1}"]], [["file:/**:*"]], [["tool:*:call"]]);

    expect([by(holdings), by(holdings)]).toEqual(["h0", "h2"]);
  });

  test.each<[string, Chain, string]>([
    ["a trusted pin that fits comes first", [['tool:pay:call{pin.to:"ada"}']], "h1"],
    ["also beside free ones", [["file:/**:*", 'tool:pay:call{pin.to:"ada"}']], "h1"],
    ["a pin that does not fit", [['tool:pay:call{pin.to:"eve"}', "tool:*:call"]], "h0"],
    ["an untrusted pin", [['tool:pay:call{pin.to:"ada"}'], { trusted: false }], "h0"],
    ["a standing answer comes first", [["tool:pay:call"], { standing: "egress" }], "h1"],
    ["a standing answer to something else", [["tool:x:call"], { standing: "egress" }], "h0"],
  ])("%s (HOLDINGS-2)", (_, granted, handle) => {
    expect(by(holding([["tool:*:call"]], granted))).toBe(handle);
  });

  test("a pin above the granted block counts as well", () => {
    const holdings = holding([["tool:*:call"]]);
    const above = block("above", [['tool:*:call{pin.to:"ada"}']]);
    holdings.add({ handle: "g", block: block("g", [["tool:pay:call"]], above) });

    expect(by(holdings)).toBe("g");
  });

  test("with a handle only that chain is asked, whatever the others hold", () => {
    const holdings = holding([["file:/**:*"]], [["tool:*:call"]]);

    expect(by(holdings, pay, "h0")).toBe("absent h0");
    expect(by(holdings, pay, "h1")).toBe("h1");
  });
});

describe("when none allows, the nearest refusal explains (HOLDINGS-3)", () => {
  const over = { expiresAt: 5 };

  test.each<[string, Chain[]]>([
    ["absent h0", [[["file:/**:*"]], [["file:/**:*"]]]],
    ["resource h1", [[["file:/**:*"]], [["tool:x:call"]]]],
    ["pin h1", [[["tool:x:call"]], [['tool:pay:call{pin.to:"eve"}']], [["file:/**:*"]]]],
    ["hold h0", [[["tool:pay:call{hold:grant}"]], [["tool:x:call"]]]],
    ["expired h1", [[["tool:x:call"]], [["tool:pay:call"], over]]],
    ["resource h0", [[["tool:x:call"]], [["tool:y:call"], over]]],
    ["absent h1", [[["model:*:infer"], over], [["file:/**:*"]]]],
  ])("%s", (expected, chains) => {
    expect(by(holding(...chains), pay, undefined, 9)).toBe(expected);
  });

  test("a grant that was revoked is named, where it would have helped", () => {
    const holdings = holding([["tool:x:call"]], [["tool:pay:call"]]);
    revokeBlock(holdings.get("h1") as CapabilityBlock);

    expect(by(holdings)).toBe("revoked h1");
    expect(by(holdings, { ...pay, resource: "z" })).toBe("resource h0");
  });

  test("it is the dead block that counts, and not those around it", () => {
    const holdings = holding([["tool:x:call"]]);
    const above = block("above", [["file:/**:*"], { expiresAt: 5 }]);
    holdings.add({ handle: "g", block: block("g", [["tool:pay:call"]], above) });
    const read: AccessRequest = { kind: "file", resource: "/a", verb: "read" };

    expect(by(holdings, pay, undefined, 9)).toBe("resource h0");
    expect(by(holdings, read, undefined, 9)).toBe("expired g");
  });

  test("a request that no chain can read is refused", () => {
    const holdings = holding([["tool:*:call"]], [["tool:*:call"]]);

    expect(by(holdings, { ...pay, kind: "spell" as "tool" })).toBe("malformed h0");
    expect(by(holdings, { ...pay, kind: "spell" as "tool" }, "h1")).toBe("malformed h1");
    expect(by(holdings, { ...pay, kind: "spell" as "tool" }, "x")).toBe("handle undefined");
  });
});

test("grants that are over are forgotten when asked, also those that end above; birth stays", () => {
  const holdings = holding([["tool:*:call"], { expiresAt: 1 }], [["tool:*:call"]]);
  const above = block("above", [["tool:*:call"], { expiresAt: 2 }]);
  holdings.add({ handle: "g", block: block("g", [["tool:*:call"]], above) });

  expect(holdings.dropDead(1)).toEqual([]);
  expect(holdings.dropDead(2).map(({ handle }) => handle)).toEqual(["g"]);
  expect([...holdings].map(({ handle }) => handle)).toEqual(["h0", "h1"]);
  expect(holdings.get("g")).toBeUndefined();
});

test("a grant is forgotten by its handle; what it started with is not", () => {
  const holdings = holding([["tool:*:call"]], [["file:/**:*"]]);

  expect(["h1", "h1", "h0", "x"].map((handle) => holdings.remove(handle))).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect([holdings.get("h0") === holdings.birth.block, holdings.get("h1")]).toEqual([
    true,
    undefined,
  ]);
});
