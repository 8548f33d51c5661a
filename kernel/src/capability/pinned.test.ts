import { describe, expect, test } from "vitest";
import { attenuateBlock, type CapabilityBlock, type BlockOrigin } from "./block.ts";
import { type ChainPermission } from "./chain.ts";
import { decideChain } from "../refusal/explain.ts";
import { parseCapability } from "./grammar.ts";
import type { AccessRequest } from "./obstacle.ts";

const PIN = 'tool:pay:call{pin.to:"ada"}';
const FREE = "tool:*:call";

function block(
  cap: string,
  parent: CapabilityBlock | null = null,
  mint: Partial<BlockOrigin> = {},
): CapabilityBlock {
  const id = mint.id ?? `b${parent === null ? 0 : parent.depth}`;
  return attenuateBlock(parent, [parseCapability(cap)], { mintedAt: 0, ...mint, id });
}

function allowed(chain: CapabilityBlock, args: unknown = { to: "ada" }): ChainPermission {
  const request = { kind: "tool", resource: "pay", verb: "call", args } as AccessRequest;
  const decision = decideChain(chain, request, 0);
  if (!decision.allow) throw new Error(decision.reason.why);
  return decision;
}

const rulesOf = (chain: CapabilityBlock) => allowed(chain).standing.map(({ standing }) => standing);

function refusal(cap: string, args: unknown): string {
  const request = { kind: "tool", resource: "pay", verb: "call", args } as AccessRequest;
  const decision = decideChain(block(cap), request, 0);
  return decision.allow ? "allowed" : `${decision.reason.code}: ${decision.reason.why}`;
}

describe("a call is pinned when a trusted block fixed its arguments (CHAIN-4)", () => {
  test.each<[string, CapabilityBlock, boolean]>([
    ["a block is trusted unless said otherwise", block(PIN), true],
    ["a free capability pins nothing", block(FREE), false],
    [
      "an untrusted block's pin narrows and does not speak",
      block(PIN, null, { trusted: false }),
      false,
    ],
    ["below a trusted pin all is pinned", block(FREE, block(PIN), { trusted: false }), true],
    [
      "an untrusted pin below a trusted free block",
      block(PIN, block(FREE), { trusted: false }),
      false,
    ],
    [
      "no other argument than the pinned ones",
      block('tool:pay:call{args:pinned,pin.to:"ada"}'),
      true,
    ],
  ])("%s", (_, chain, pinned) => {
    expect(allowed(chain).pinned).toBe(pinned);
  });

  test("it says which arguments, of all trusted blocks, once each", () => {
    const args = { to: "ada", sum: 1, note: "x" };
    const middle = block('tool:pay:call{pin.note:"x"}', block(PIN), { trusted: false });
    const chain = block('tool:pay:call{pin.sum:1,pin.to:"ada"}', middle);

    expect(allowed(chain, args).pinnedArgs).toEqual(["sum", "to"]);
    expect(allowed(block(FREE), args).pinnedArgs).toEqual([]);
  });

  test("a call without arguments can be pinned too", () => {
    expect(allowed(block("tool:pay:call{args:pinned}"), {})).toMatchObject({
      pinned: true,
      pinnedArgs: [],
    });
  });
});

test("a call is standing when a block of a person's standing answer is in the chain", () => {
  const standing = block(FREE, null, { standing: "egress" });

  expect(rulesOf(standing)).toEqual(["egress"]);
  expect(rulesOf(block(FREE, standing))).toEqual(["egress"]);
  expect(allowed(block(FREE)).standing).toEqual([]);
});

describe("args:pinned", () => {
  const only = 'tool:pay:call{args:pinned,pin.to:"ada"}';

  test.each<[string, unknown, string]>([
    [only, { to: "ada" }, "allowed"],
    [only, { to: "ada", cc: "eve" }, "pin: the call has an argument that is not pinned"],
    [only, {}, "pin: the argument to is pinned to another value"],
    ["tool:pay:call{args:pinned}", undefined, "allowed"],
    ["tool:pay:call{args:pinned}", {}, "allowed"],
    ["tool:pay:call{args:pinned}", { a: 1 }, "pin: the call has an argument that is not pinned"],
    ["tool:pay:call{args:pinned}", ["a"], "pin: the arguments are not an object with named fields"],
    [
      "tool:pay:call{pin.length:1}",
      ["a"],
      "pin: the arguments are not an object with named fields",
    ],
    ["tool:pay:call{pin.length:1}", "a", "pin: the arguments are not an object with named fields"],
    [PIN, null, "pin: the arguments are not an object with named fields"],
    [PIN, { to: "ada", cc: "eve" }, "allowed"],
  ])("%s of %j is %s", (cap, args, expected) => {
    expect(refusal(cap, args)).toBe(expected);
  });
});
