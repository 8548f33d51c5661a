import { expect, test } from "vitest";
import { attenuate, type Block, charge } from "./block.ts";
import { decide } from "./chain.ts";
import { formatCapability, parseCapability } from "./grammar.ts";
import { attenuateMacToken, mintMacToken, verifyMacToken } from "./mac-token.ts";
import type { Request } from "./obstacle.ts";
import { chainOf, fixExpiry, specsOf, type Verified } from "./token.ts";

const key = { id: "k", key: Buffer.alloc(32, 1) };
const caps = (...texts: string[]) => texts.map(parseCapability);
const pay: Request = { kind: "tool", resource: "pay", verb: "call", args: { to: "ada" } };

const minted = mintMacToken(key, caps("tool:*:call{max:2}"), { id: "root", expiresAt: 50 });

function verified(token: string, presenter?: string): Verified {
  const shown = { nowMs: 0, isRevoked: () => false, presenter };
  const answer = verifyMacToken(token, new Map([[key.id, key.key]]), shown);
  if (!answer.ok) throw new Error(answer.why);
  return answer;
}

function use(chain: Block, request = pay, nowMs = 0): string {
  const decision = decide(chain, request, nowMs);
  if (decision.allow) charge(decision.charges, nowMs);
  return decision.allow ? "allowed" : decision.reason.code;
}

/** As the kernel does: what it has made once it finds again. */
function kernel() {
  const blocks = new Map<string, Block>();
  return (token: string, parent: Block | null = null): Block => {
    const chain = chainOf(verified(token), parent, 5, { known: (id) => blocks.get(id) });
    for (let block: Block | null = chain; block !== parent; block = block?.parent ?? null) {
      if (block !== null) blocks.set(block.id, block);
    }
    return chain;
  };
}

test("a token becomes a chain: every block is asked, and those it hangs below", () => {
  const token = attenuateMacToken(minted, caps("tool:pay:call", "tool:x:call"), { id: "leaf" });
  const issuer = attenuate(null, caps("tool:pay:call", "tool:y:call"), { id: "top", mintedAt: 0 });

  const chain = chainOf(verified(token), issuer, 5);

  expect(chain).toMatchObject({ depth: 3, mintedAt: 5, parent: { parent: issuer } });
  const answers = ["pay", "x", "y"].map((resource) => use(chain, { ...pay, resource }));
  expect(answers).toEqual(["allowed", "resource", "resource"]);
});

test("a block's own expiry comes with it", () => {
  const chain = chainOf(verified(minted), null, 0);

  expect([use(chain, pay, 49), use(chain, pay, 50)]).toEqual(["allowed", "expired"]);
});

test("its ids come from its tags: a name that somebody chose is nobody's counter (U1)", () => {
  const named = mintMacToken(key, caps("tool:*:call"), { id: "agt_1.0" });
  const ids = specsOf(verified(named), 0).map(({ id }) => id);

  expect(ids).toEqual([`tok_${verified(named).blocks[0]?.revocationId}`]);
});

test("presented again, or narrowed in two ways, it has one count (U2)", () => {
  const present = kernel();
  const one = attenuateMacToken(minted, caps("tool:pay:call"), { id: "a" });
  const two = attenuateMacToken(minted, caps("tool:pay:call"), { id: "b" });

  expect([use(present(one)), use(present(two)), use(present(one)), use(present(minted))]).toEqual([
    "allowed",
    "allowed",
    "max",
    "max",
  ]);
});

test("a known block is not taken to hang elsewhere", () => {
  const present = kernel();
  present(minted);
  const other = attenuate(null, caps("tool:*:call"), { id: "top", mintedAt: 0 });

  expect(() => present(minted, other)).toThrow("hangs below null");
});

test("only the first block can be trusted, and only when that is said (U3)", () => {
  const pin = caps('tool:pay:call{pin.to:"ada"}');
  const appended = attenuateMacToken(minted, pin, { id: "p" });
  const pinned = mintMacToken(key, pin, { id: "p" });
  const isPinned = (token: string, trusted?: boolean) => {
    const options = trusted === undefined ? {} : { trusted };
    const decision = decide(chainOf(verified(token), null, 0, options), pay, 0);
    return decision.allow && decision.pinned;
  };

  expect([isPinned(pinned), isPinned(pinned, true)]).toEqual([false, true]);
  expect([isPinned(appended), isPinned(appended, true)]).toEqual([false, false]);
});

test("a block belongs to the holder it names, or to itself", () => {
  const hers = mintMacToken(key, caps("tool:*:call{hold:grant}"), { id: "r", holder: "ada" });
  const his = attenuateMacToken(hers, caps("tool:pay:call"), { id: "s", holder: "bob" });

  expect(use(chainOf(verified(hers, "ada"), null, 0))).toBe("hold");
  expect(use(chainOf(verified(his, "bob"), null, 0))).toBe("allowed");
  const [spec] = specsOf(verified(minted), 0);
  expect(spec?.holder).toBe(spec?.id);
});

test("what the store keeps of it is all that the chain says", () => {
  expect(specsOf(verified(minted), 7)).toEqual([
    {
      id: expect.stringMatching(/^tok_[0-9a-f]{32}$/u),
      holder: expect.stringMatching(/^tok_/u),
      mintedAt: 7,
      expiresAt: 50,
      trusted: false,
      capabilities: ["tool:*:call{max:2}"],
    },
  ]);
});

test("a time after now becomes the moment it means, before it travels", () => {
  const fixed = fixExpiry(caps("tool:x:call{expires:1h,max:1}", "tool:y:call"), 0);

  expect(fixed.map(formatCapability)).toEqual([
    "tool:x:call{max:1,expires:1970-01-01T01:00:00Z}",
    "tool:y:call",
  ]);
});
