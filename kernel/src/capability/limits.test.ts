import { describe, expect, test } from "vitest";
import {
  attenuateBlock,
  type CapabilityBlock,
  bytesLeft,
  charge,
  type HeldCapability,
  type BlockOrigin,
  spendCharges,
  usesLeft,
} from "./block.ts";
import { blockState, restoreBlock } from "./block-state.ts";
import { type ChainPermission } from "./chain.ts";
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

const call: AccessRequest = { kind: "tool", resource: "pay", verb: "call" };

function ask(chain: CapabilityBlock, request: AccessRequest = call, nowMs = T0): Decision {
  return decideChain(chain, request, nowMs);
}

/** Decides and, when allowed, charges, as the gate does. */
function use(chain: CapabilityBlock, request: AccessRequest = call, nowMs = T0): boolean {
  const decision = decideChain(chain, request, nowMs);
  if (decision.allow) charge(decision.charges, nowMs);
  return decision.allow;
}

function allowed(decision: Decision): ChainPermission {
  if (!decision.allow) throw new Error(decision.reason.why);
  return decision;
}

describe("max", () => {
  test("the uses are counted, and then it is over", () => {
    const chain = block(["tool:pay:call{max:2}"]);

    expect([use(chain), use(chain), use(chain)]).toEqual([true, true, false]);
    expect(ask(chain)).toMatchObject({ reason: { code: "max" } });
  });

  test("children share their parent's uses", () => {
    const root = block(["tool:*:call{max:2}"]);
    const children = [1, 2, 3].map((i) => block(["tool:*:call{max:2}"], root, { id: `c${i}` }));

    expect(children.map((child) => use(child))).toEqual([true, true, false]);
    expect(ask(root).allow).toBe(false);
  });

  test("a refused call, and a call that is only asked about, cost nothing", () => {
    const root = block(["tool:pay:call{max:1}"]);
    const child = block(["tool:other:call"], root);

    expect([use(child), use(child), ask(root).allow, ask(root).allow]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(use(root)).toBe(true);
  });

  test("when one capability is used up the next one serves", () => {
    const chain = block(["tool:pay:call{max:1}", "tool:*:call{max:1}"]);

    expect([use(chain), use(chain), use(chain)]).toEqual([true, true, false]);
  });
});

describe("rate", () => {
  test("a burst up to the count, then one by one as time passes", () => {
    const chain = block(["tool:pay:call{rate:2/s}"]);

    expect([use(chain), use(chain), use(chain)]).toEqual([true, true, false]);
    expect(ask(chain, call, T0 + 499).allow).toBe(false);
    expect(use(chain, call, T0 + 500)).toBe(true);
    expect(use(chain, call, T0 + 501)).toBe(false);
  });

  test("waiting long fills the bucket only once", () => {
    const chain = block(["tool:pay:call{rate:2/s}"]);
    const later = T0 + 3600 * SECOND;

    expect([1, 2, 3].map(() => use(chain, call, later))).toEqual([true, true, false]);
  });

  test("the refusal says when to try again, and then it works", () => {
    const chain = block(["tool:pay:call{rate:3/min}"]);
    for (let i = 0; i < 3; i++) use(chain);

    const refused = ask(chain, call, T0 + 100);
    const retryAfterMs = refused.allow ? NaN : (refused.reason.retryAfterMs ?? NaN);

    expect(refused).toMatchObject({ reason: { code: "rate", retryAfterMs: 19_900 } });
    expect(ask(chain, call, T0 + 100 + retryAfterMs).allow).toBe(true);
    expect(ask(chain, call, T0 + 100 + retryAfterMs - 1).allow).toBe(false);
  });

  test("after the clock stepped back the wait is longer by as much", () => {
    const chain = block(["tool:pay:call{rate:2/s}"]);
    for (let i = 0; i < 2; i++) use(chain, call, T0 + 10 * SECOND);

    expect(ask(chain)).toMatchObject({ reason: { code: "rate", retryAfterMs: 10_500 } });
  });

  test("a clock that steps back neither refills nor drains", () => {
    const chain = block(["tool:pay:call{rate:2/s}"]);
    use(chain, call, T0 + 10 * SECOND);

    expect(use(chain, call, T0)).toBe(true);
    expect(use(chain, call, T0)).toBe(false);
    expect(use(chain, call, T0 + 10 * SECOND)).toBe(false);
    expect(use(chain, call, T0 + 10 * SECOND + 500)).toBe(true);
  });

  test.each([
    [1 - 1e-9, true],
    [1 - 2e-9, false],
  ])("a use that lacks no more than a billionth is there: %d", (tokens, expected) => {
    const state = blockState(block(["tool:pay:call{rate:2/s}"]));
    const caps = state.caps.map(({ text, usage }) => ({ text, usage: { ...usage, tokens } }));

    expect(ask(restoreBlock({ ...state, caps }, null)).allow).toBe(expected);
  });

  test("children share their parent's rate", () => {
    const root = block(["tool:*:call{rate:1/s}"]);

    expect(use(block(["tool:*:call"], root))).toBe(true);
    expect(use(block(["tool:*:call"], root))).toBe(false);
  });
});

describe("timeout", () => {
  test("the shortest of the chain is returned", () => {
    const root = block(["tool:*:call{timeout:20s}"]);
    const middle = block(["tool:*:call{timeout:5s}"], root);
    const leaf = block(["tool:*:call{timeout:10s}"], middle);

    expect([leaf, middle, root].map((chain) => allowed(ask(chain)).timeoutMs)).toEqual([
      5000, 5000, 20_000,
    ]);
    expect(allowed(ask(block(["tool:*:call"]))).timeoutMs).toBeUndefined();
  });
});

describe("money and bytes", () => {
  const infer: AccessRequest = { kind: "model", resource: "a/b", verb: "infer" };

  test("the least that is left in the chain is returned, with the block that sets it", () => {
    const root = block(["model:*:infer{usd:5,bytes:1KB}"], null, { id: "root" });
    const leaf = block(["model:*:infer{usd:2}"], root, { id: "leaf" });

    expect(allowed(ask(leaf, infer)).limits).toEqual({
      usd: { left: 2, blockId: "leaf" },
      bytes: { left: 1000, blockId: "root" },
    });

    spendCharges(allowed(ask(root, infer)).charges, { usd: 4, bytes: 400 });
    expect(allowed(ask(leaf, infer)).limits).toEqual({
      usd: { left: 1, blockId: "root" },
      bytes: { left: 600, blockId: "root" },
    });
  });

  test("of blocks that leave equally much, the one nearest the user sets the limit", () => {
    const root = block(["model:*:infer{usd:2,bytes:9}"], null, { id: "root" });
    const leaf = block(["model:*:infer{usd:2,bytes:9}"], root, { id: "leaf" });

    expect(allowed(ask(leaf, infer)).limits).toEqual({
      usd: { left: 2, blockId: "leaf" },
      bytes: { left: 9, blockId: "leaf" },
    });
  });

  test("what is spent of the one is not spent of the other", () => {
    const chain = block(["model:*:infer{usd:5,bytes:9}"], null, { id: "b" });
    const { charges } = allowed(ask(chain, infer));
    const left = () => {
      const { usd, bytes } = allowed(ask(chain, infer)).limits;
      return [usd?.left, bytes?.left];
    };

    spendCharges(charges, { usd: 2 });
    expect(left()).toEqual([3, 9]);
    spendCharges(charges, { bytes: 4 });
    expect(left()).toEqual([3, 5]);
  });

  test("a limit on one says nothing of the other, and none is none", () => {
    const limits = (cap: string) => allowed(ask(block([cap], null, { id: "b" }), infer)).limits;

    expect(limits("model:*:infer{bytes:9}")).toEqual({ bytes: { left: 9, blockId: "b" } });
    expect(limits("model:*:infer{usd:9}")).toEqual({ usd: { left: 9, blockId: "b" } });
    expect(limits("model:*:infer")).toEqual({});
  });

  test.each(["usd:9", "bytes:9"])("a capability with nothing but %s is counted", (limit) => {
    const { charges } = allowed(ask(block([`model:*:infer{${limit}}`]), infer));

    expect(charges).toHaveLength(1);
    expect(allowed(ask(block(["model:*:infer{timeout:1s}"]), infer)).charges).toEqual([]);
  });

  test("a call whose worst case does not fit is refused, to the last cent and byte", () => {
    const chain = block(["model:*:infer{usd:1.1,bytes:10}"]);
    const cost = (usd: number, bytes: number) => ask(chain, { ...infer, cost: { usd, bytes } });

    expect(cost(1.1, 10).allow).toBe(true);
    expect(cost(1.100001, 10)).toMatchObject({ reason: { code: "usd" } });
    expect(cost(1.1, 11)).toMatchObject({ reason: { code: "bytes" } });
    expect(cost(NaN, 1).allow).toBe(false);
    expect(cost(1, NaN).allow).toBe(false);
  });

  test("what nobody knows the price of does not fit into any sum; where there is none it does", () => {
    const unpriced = { ...infer, cost: { usd: 0, unpriced: true } } as const;

    expect(ask(block(["model:*:infer{usd:5}"]), unpriced)).toMatchObject({
      reason: { code: "usd" },
    });
    expect(ask(block(["model:*:infer{usd:5}"]), { ...infer, cost: { usd: 0 } }).allow).toBe(true);
    expect(ask(block(["model:*:infer"]), unpriced).allow).toBe(true);
  });

  test("what costs nothing is allowed also when nothing is left", () => {
    const chain = block(["model:*:infer{usd:1,bytes:10}"]);
    spendCharges(allowed(ask(chain, infer)).charges, { usd: 1, bytes: 10 });

    expect(ask(chain, infer).allow).toBe(true);
    expect(ask(chain, { ...infer, cost: {} }).allow).toBe(true);
    expect(ask(chain, { ...infer, cost: { usd: 0.000001 } }).allow).toBe(false);
    expect(ask(chain, { ...infer, cost: { bytes: 1 } }).allow).toBe(false);
  });

  test("a reservation counts until it is given back", () => {
    const chain = block(["model:*:infer{usd:1}"]);
    const { charges } = allowed(ask(chain, infer));

    spendCharges(charges, { usd: 0.9 });
    expect(ask(chain, { ...infer, cost: { usd: 0.2 } }).allow).toBe(false);
    spendCharges(charges, { usd: -0.6 });
    expect(ask(chain, { ...infer, cost: { usd: 0.7 } }).allow).toBe(true);
  });

  test("many small costs add up exactly", () => {
    const chain = block(["model:*:infer{usd:1}"]);
    for (let i = 0; i < 10; i++) spendCharges(allowed(ask(chain, infer)).charges, { usd: 0.1 });

    expect(allowed(ask(chain, infer)).limits.usd?.left).toBe(0);
    expect(ask(chain, { ...infer, cost: { usd: 0.000001 } }).allow).toBe(false);
  });
});

test("a use that was counted when it began is not counted again, and ends with its capability", () => {
  const begun = { ...call, args: { to: "ada" }, isBegun: true };
  const full = "rate:1/d,max:1,usd:0,bytes:0,expires:1s";
  const chain = block([`tool:pay:call{${full},pin.to:"ada"}`]);
  use(chain, begun);

  expect(ask(chain, { ...begun, cost: { usd: 1, bytes: 1 } }).allow).toBe(true);
  expect(ask(chain, { ...begun, isBegun: false })).toMatchObject({ reason: { code: "max" } });
  expect(ask(chain, begun, T0 + SECOND)).toMatchObject({ reason: { code: "expires" } });
  expect(ask(chain, { ...begun, args: {} })).toMatchObject({ reason: { code: "pin" } });
  expect(ask(chain, { ...begun, resource: "x" })).toMatchObject({ reason: { code: "resource" } });
});

test("what is left is the least of what was charged", () => {
  const chain = block(["tool:*:call{bytes:10}"], block(["tool:*:call{max:3}"]));
  const { charges } = allowed(ask(block(["tool:*:call{bytes:9}"], chain)));

  expect([bytesLeft(charges), bytesLeft([])]).toEqual([9, Infinity]);
  spendCharges(charges, { bytes: 4 });
  expect([bytesLeft(charges), bytesLeft(charges.slice(1))]).toEqual([5, 6]);
});

test("uses are left by number and by rate, whichever is less", () => {
  const chain = block(["tool:pay:call{max:3,rate:5/s}", "tool:*:call{rate:2/s}", "tool:x:call"]);
  const left = (nowMs: number) => chain.held.map((held: HeldCapability) => usesLeft(held, nowMs));

  expect(left(T0)).toEqual([3, 2, Infinity]);
  use(chain);
  expect(left(T0)).toEqual([2, 2, Infinity]);
  for (const resource of ["y", "y"]) use(chain, { ...call, resource });
  expect(left(T0)).toEqual([2, 0, Infinity]);
  expect(left(T0 + 500)).toEqual([2, 1, Infinity]);
});
