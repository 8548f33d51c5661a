import * as fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { attenuateBlock, type CapabilityBlock, charge, revokeBlock } from "./block.ts";
import { parseCapability } from "./grammar.ts";
import { decideAny, Holdings } from "./holdings.ts";
import type { AccessRequest } from "./obstacle.ts";

const DEPTH = inject("isDeep") ? 5 : 1;

const request = (resource = "a", args: AccessRequest["args"] = {}): AccessRequest => ({
  kind: "tool",
  resource,
  verb: "call",
  args,
});

let count = 0;
const blockOf = (
  texts: readonly string[],
  parent: CapabilityBlock | null = null,
  more: object = {},
): CapabilityBlock =>
  attenuateBlock(parent, texts.map(parseCapability), {
    id: `b${(count += 1)}`,
    holder: "p",
    mintedAt: 0,
    ...more,
  });

const holdingsOf = (block: CapabilityBlock): Holdings => new Holdings({ handle: "", block });

/** As one who has never been asked would say. */
const anew = (holdings: Holdings): Holdings => {
  const [birth, ...granted] = holdings.all;
  return new Holdings(birth!, granted);
};

/** Asked twice, so that what can be known is. */
function asked(holdings: Holdings, at = 0, of = request()) {
  decideAny(holdings, of, at);
  return decideAny(holdings, of, at);
}

describe("what is known", () => {
  test("KNOWN-ALLOWANCE-1: nothing is known where a pin of another chain may come first", () => {
    const holdings = holdingsOf(blockOf(["tool:a:call"]));
    const pinned = blockOf(['tool:a:call{pin.to:"ann"}']);
    holdings.add({ handle: "cap_2", block: pinned });
    const via = (to: string) => {
      const decision = decideAny(holdings, request("a", { to }), 0);
      return decision.allow ? decision.via.handle : "none";
    };

    expect([via("bob"), via("ann"), via("bob")]).toEqual(["", "cap_2", ""]);
  });

  test("KNOWN-ALLOWANCE-1: the allowance stays the same as long as nothing of it changes", () => {
    const holdings = holdingsOf(blockOf(["tool:*:call"]));

    expect(asked(holdings, 0)).toBe(decideAny(holdings, request("a", { other: 1 }), 5));
    expect(decideAny(holdings, request("b"), 0)).not.toBe(asked(holdings));
  });

  test("KNOWN-ALLOWANCE-1: the allowance of a chain of several blocks is known too", () => {
    const holdings = holdingsOf(blockOf(["tool:*:call"], blockOf(["tool:*:call"])));

    expect(asked(holdings)).toBe(asked(holdings));
  });

  test("KNOWN-ALLOWANCE-1: the allowance is known where grants of other tools come first", () => {
    const holdings = holdingsOf(blockOf(["tool:b:call", "tool:a:call{hold:grant}", "tool:*:call"]));

    expect(asked(holdings)).toBe(asked(holdings));
  });

  test("what is known of another kind says nothing of a tool", () => {
    const holdings = holdingsOf(blockOf(["secret:a:use"]));

    expect(asked(holdings, 0, { ...request(), kind: "secret", verb: "use" }).allow).toBe(true);
    expect(decideAny(holdings, request(), 0).allow).toBe(false);
  });

  test("more than 64 are forgotten, and found again", () => {
    const holdings = holdingsOf(blockOf(["tool:*:call"]));
    const named = (nth: number) => decideAny(holdings, request(`t${nth}`), 0);
    const first = named(0);

    for (let nth = 1; nth < 64; nth++) named(nth);
    expect(named(0)).toBe(first);

    named(64);
    expect(named(0)).not.toBe(first);
    expect(named(0)).toEqual(first);
  });

  test("another verb or kind of the same name is another question", () => {
    const holdings = holdingsOf(blockOf(["tool:*:call"]));

    asked(holdings);

    expect(decideAny(holdings, { ...request(), verb: "run" }, 0).allow).toBe(false);
    expect(decideAny(holdings, { ...request(), kind: "secret", verb: "use" }, 0).allow).toBe(false);
  });
});

describe("what can change is looked at each time", () => {
  test("a block that is revoked, its own or one above", () => {
    for (const which of [0, 1]) {
      const above = blockOf(["tool:*:call"]);
      const own = blockOf(["tool:*:call"], above);
      const holdings = holdingsOf(own);
      asked(holdings);

      revokeBlock([own, above][which]!);

      expect(decideAny(holdings, request(), 0).allow).toBe(false);
    }
  });

  test("a grant or a block that expires is checked each time", () => {
    const byGrant = holdingsOf(blockOf(["tool:*:call{expires:10s}"]));
    const byBlock = holdingsOf(blockOf(["tool:*:call"], null, { expiresAt: 10_000 }));
    const above = holdingsOf(blockOf(["tool:*:call"], blockOf(["tool:*:call{expires:10s}"])));

    for (const holdings of [byGrant, byBlock, above]) {
      expect(asked(holdings, 9999).allow).toBe(true);
      expect(decideAny(holdings, request(), 10_000).allow).toBe(false);
    }
  });

  test("a ceiling that is set, changed or taken away", () => {
    const block = blockOf(["tool:*:call"]);
    const holdings = holdingsOf(block);
    asked(holdings);

    block.parent = blockOf(["tool:b:call"]);
    expect(decideAny(holdings, request(), 0).allow).toBe(false);

    block.parent = blockOf(["tool:a:call{timeout:5s}"]);
    expect(asked(holdings)).toMatchObject({ allow: true, timeoutMs: 5000 });

    block.parent = null;
    expect(decideAny(holdings, request(), 0)).toMatchObject({ allow: true, timeoutMs: undefined });
  });

  test("a grant that goes first: a pin, or a person's always", () => {
    const pinned = holdingsOf(blockOf(["tool:*:call"]));
    const standing = holdingsOf(blockOf(["tool:*:call"]));
    asked(pinned);
    asked(standing);

    pinned.add({ handle: "h1", block: blockOf(['tool:a:call{pin.x:"1"}']) });
    standing.add({ handle: "h2", block: blockOf(["tool:a:call"], null, { standing: "rule" }) });

    expect(decideAny(pinned, request("a", { x: "1" }), 0)).toMatchObject({ pinned: true });
    expect(decideAny(standing, request(), 0)).toMatchObject({ via: { handle: "h2" } });
    expect(standing.remove("h2")).toBe(true);
    expect(decideAny(standing, request(), 0)).toMatchObject({ via: { handle: "" } });
  });

  test("a grant that comes first and is used up: it comes back with its time", () => {
    const holdings = holdingsOf(blockOf(["tool:a:call{rate:1/s}", "tool:*:call"]));
    const use = (at: number) => {
      const decision = decideAny(holdings, request(), at);
      if (decision.allow) charge(decision.charges, at);
      return decision.allow && decision.charges.length;
    };

    expect([use(0), use(0), use(0), use(1000), use(1000)]).toEqual([1, 0, 0, 1, 0]);
  });

  test("a pin that comes first and does not fit: it may fit the next call", () => {
    const texts = ['tool:a:call{pin.x:"1"}', "tool:*:call"];
    const holdings = holdingsOf(blockOf(texts, null, { trusted: false }));
    asked(holdings);

    expect(decideAny(holdings, request("a", { x: "1" }), 0)).toHaveProperty("pinnedBy");
    expect(decideAny(holdings, request("a", { x: "1" }), 0)).toMatchObject({
      pinnedBy: holdings.birth.block.id,
    });
  });

  test("what counts is counted each time, also where another grant came before it", () => {
    const holdings = holdingsOf(blockOf(["tool:a:call{expires:1s}", "tool:a:call{max:2}"]));

    for (const allow of [true, true, false]) {
      const decision = decideAny(holdings, request(), 2000);
      expect(decision.allow).toBe(allow);
      if (decision.allow) charge(decision.charges, 2000);
    }
  });
});

const TEXTS = [
  "tool:*:call",
  "tool:a:call",
  "tool:b:call",
  "tool:a:call{max:2}",
  "tool:a:call{rate:1/s}",
  "tool:a:call{expires:3s}",
  "tool:a:call{timeout:1s}",
  "tool:*:call{hold:grant}",
  "tool:*:call{hold:use}",
  'tool:a:call{pin.x:"1"}',
  "tool:a:call{usd:0.01}",
  "tool:a:call{bytes:10MB}",
];
const texts = fc.array(fc.constantFrom(...TEXTS), { minLength: 1, maxLength: 4 });

type Step =
  | { readonly do: "use"; readonly x: boolean }
  | {
      readonly do: "grant" | "always" | "ceiling";
      readonly texts: readonly string[];
      readonly trusted: boolean;
    }
  | { readonly do: "wait" | "drop" | "uncap" }
  | { readonly do: "revoke" | "remove"; readonly nth: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("use" as const), x: fc.boolean() }) },
  fc.record({
    do: fc.constantFrom("grant" as const, "always" as const, "ceiling" as const),
    texts,
    trusted: fc.boolean(),
  }),
  fc.record({ do: fc.constantFrom("wait" as const, "drop" as const, "uncap" as const) }),
  fc.record({ do: fc.constantFrom("revoke" as const, "remove" as const), nth: fc.nat() }),
);

test("KNOWN-ALLOWANCE-2: what is known is what is said by one who knows nothing, whatever happens in between", () => {
  fc.assert(
    fc.property(texts, texts, fc.array(step, { maxLength: 30 }), (above, own, steps) => {
      const root = blockOf(above, null, { holder: "root" });
      const holdings = holdingsOf(blockOf(own, root));
      let now = 0;
      for (const one of steps) {
        if (one.do === "wait") now += 1000;
        if (one.do === "drop") holdings.dropDead(now);
        if (one.do === "uncap") root.parent = null;
        if (one.do === "ceiling") root.parent = blockOf(one.texts, null, { holder: "top" });
        if (one.do === "revoke") revokeBlock(holdings.all[one.nth % holdings.size]!.block);
        if (one.do === "remove") holdings.remove(holdings.all[one.nth % holdings.size]!.handle);
        if (one.do === "grant" || one.do === "always") {
          const standing = one.do === "always" ? { standing: "rule" } : {};
          const block = blockOf(one.texts, root, { trusted: one.trusted, ...standing });
          holdings.add({ handle: `h${(count += 1)}`, block });
        }
        if (one.do === "use") {
          const of = request("a", one.x ? { x: "1" } : {});
          const fresh = decideAny(anew(holdings), of, now);
          const decision = decideAny(holdings, of, now);
          expect(decision).toEqual(fresh);
          if (decision.allow) charge(decision.charges, now);
        }
      }
    }),
    { numRuns: 400 * DEPTH },
  );
});
