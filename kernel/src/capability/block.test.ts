import { expect, test } from "vitest";
import {
  attenuateBlock,
  type CapabilityBlock,
  charge,
  isWithin,
  type BlockOrigin,
  revokeBlock,
  spendCharges,
} from "./block.ts";
import { blockState, restoreBlock } from "./block-state.ts";
import { decideChain } from "../refusal/explain.ts";
import { parseCapability } from "./grammar.ts";
import type { AccessRequest } from "./obstacle.ts";

const call: AccessRequest = { kind: "tool", resource: "pay", verb: "call", args: { to: "x" } };

function block(caps: readonly string[], parent: CapabilityBlock | null = null): CapabilityBlock {
  const id = parent === null ? "root" : `${parent.id}.c`;
  return attenuateBlock(parent, caps.map(parseCapability), { id, mintedAt: 1000 });
}

function use(chain: CapabilityBlock, nowMs: number): boolean {
  const decision = decideChain(chain, call, nowMs);
  if (decision.allow) {
    charge(decision.charges, nowMs);
    spendCharges(decision.charges, { usd: 0.25, bytes: 10 });
  }
  return decision.allow;
}

function throughJson(block: CapabilityBlock, parent: CapabilityBlock | null): CapabilityBlock {
  return restoreBlock(JSON.parse(JSON.stringify(blockState(block))), parent);
}

test("a block is append only: attenuating changes neither the parent nor the caller's list", () => {
  const root = block(["tool:*:call"]);
  const before = JSON.stringify(blockState(root));
  const caps = [parseCapability("tool:pay:call")];

  const child = attenuateBlock(root, caps, { id: "c", mintedAt: 0 });
  caps.push(parseCapability("tool:*:call"));

  expect(child.caps).toHaveLength(1);
  expect(JSON.stringify(blockState(root))).toBe(before);
});

test("counters survive a restart: a restored chain goes on where the old one was", () => {
  const text = 'tool:*:call{rate:3/min,max:5,expires:1h,usd:1,bytes:100,pin.to:"x"}';
  const root = block([text, "file:/a:read"]);
  const child = block(["tool:pay:call{max:4,timeout:5s}"], root);
  for (let i = 0; i < 2; i++) use(child, 2000);

  const root2 = throughJson(root, null);
  const child2 = throughJson(child, root2);

  expect(child2).toEqual(child);
  const later = [2000, 2000, 22_000, 42_000, 62_000];
  expect(later.map((nowMs) => use(child2, nowMs))).toEqual(later.map((nowMs) => use(child, nowMs)));
  expect(blockState(root2)).toEqual(blockState(root));
});

test("a restored block shares nothing with the state it came from", () => {
  const state = blockState(block(["tool:*:call{max:2}"]));

  use(restoreBlock(state, null), 0);

  expect(state.caps[0]?.usage.uses).toBe(0);
});

test("revocation and expiry survive a restart", () => {
  const revoked = block(["tool:*:call"]);
  revokeBlock(revoked);
  const leased = attenuateBlock(null, [parseCapability("tool:*:call")], {
    id: "l",
    mintedAt: 0,
    expiresAt: 9,
  });

  expect(decideChain(throughJson(revoked, null), call, 0).allow).toBe(false);
  expect(decideChain(throughJson(leased, null), call, 8).allow).toBe(true);
  expect(decideChain(throughJson(leased, null), call, 9).allow).toBe(false);
});

test("a block is not restored below another parent, or below none", () => {
  const root = block(["tool:*:call{max:1}"]);
  const state = blockState(block(["tool:*:call"], root));

  expect(() => restoreBlock(state, null)).toThrow("hangs below root, not null");
  expect(() => restoreBlock(state, attenuateBlock(null, [], { id: "x", mintedAt: 0 }))).toThrow(
    "not x",
  );
});

test("a block takes a bounded number of capabilities", () => {
  const caps = Array.from({ length: 1025 }, () => parseCapability("tool:*:call"));

  expect(attenuateBlock(null, caps.slice(1), { id: "b", mintedAt: 0 }).caps).toHaveLength(1024);
  expect(() => attenuateBlock(null, caps, { id: "b", mintedAt: 0 })).toThrow("more than 1024");
});

test("a chain takes sixty-four blocks, and no more", () => {
  let chain = block(["tool:*:call"]);
  for (let depth = 2; depth <= 64; depth++) chain = block(["tool:*:call"], chain);

  expect(chain.depth).toBe(64);
  expect(() => block(["tool:*:call"], chain)).toThrow("more than 64 blocks");
});

test("more is never given back than was spent", () => {
  const root = block(["tool:*:call{usd:1,bytes:10}"]);
  const decision = decideChain(root, call, 0);

  if (decision.allow) spendCharges(decision.charges, { usd: -5, bytes: -5 });

  expect(decideChain(root, call, 0)).toMatchObject({
    limits: { usd: { left: 1 }, bytes: { left: 10 } },
  });
});

test("who minted a block, and on whose standing answer, survives a restart", () => {
  const mint = { id: "b", mintedAt: 0, trusted: false, standing: "egress" };

  const again = throughJson(attenuateBlock(null, [parseCapability("tool:*:call")], mint), null);

  expect(again).toMatchObject({ trusted: false, standing: "egress" });
});

test("a state from before trust was kept reads as trusted, and without a standing answer", () => {
  const { trusted, standing, ...old } = blockState(block(["tool:*:call"]));

  expect([trusted, standing]).toEqual([true, null]);
  expect(restoreBlock(old, null)).toMatchObject({ trusted: true, standing: undefined });
});

test("what the store keeps of a fresh block is plain, and nothing of it is used", () => {
  const usage = { uses: 0, tokens: 0, tokensAt: 1000, microUsd: 0, bytes: 0 };

  expect(blockState(block(["tool:*:call", "file:/a:read{rate:3/min}"]))).toEqual({
    id: "root",
    holder: "root",
    parentId: null,
    mintedAt: 1000,
    expiresAt: null,
    revoked: false,
    trusted: true,
    standing: null,
    caps: [
      { text: "tool:*:call", usage },
      { text: "file:/a:read{rate:3/min}", usage: { ...usage, tokens: 3 } },
    ],
  });
});

test.each<[string, string, Partial<BlockOrigin>, boolean]>([
  ["a free one", "tool:*:call", {}, false],
  ["a trusted pin", "tool:*:call{pin.to:1}", {}, true],
  ["an untrusted pin", "tool:*:call{pin.to:1}", { trusted: false }, false],
  ["a standing answer", "tool:*:call", { standing: "egress" }, true],
  ["a standing answer, untrusted", "tool:*:call", { standing: "egress", trusted: false }, true],
])("a block is marked when it can speak for a call, and so is all below it: %s", (...row) => {
  const [, text, mint, isMarked] = row;
  const marked = attenuateBlock(null, [parseCapability(text)], { id: "b", mintedAt: 0, ...mint });

  expect([marked.isMarked, block(["tool:*:call"], marked).isMarked]).toEqual([isMarked, isMarked]);
});

test("a chain stands on its blocks, and on no other", () => {
  const root = block(["tool:*:call"]);
  const child = block(["tool:*:call"], root);

  const ids = ["root", "root.c", "other"];
  expect(ids.map((id) => isWithin(child, id))).toEqual([true, true, false]);
  expect(ids.map((id) => isWithin(root, id))).toEqual([true, false, false]);
});
