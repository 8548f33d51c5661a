import { expect, test } from "vitest";
import { formatCapability, parseCapability } from "../capability/grammar.ts";
import { attenuateMacToken, mintMacToken, verifyMacToken } from "./mac-token.ts";
import { fixExpiry, specsOf, type VerifiedToken } from "./token.ts";

const key = { id: "k", key: Buffer.alloc(32, 1) };
const caps = (...texts: string[]) => texts.map(parseCapability);

const minted = mintMacToken(key, caps("tool:*:call{max:2}"), { id: "root", expiresAt: 50 });

function verified(token: string, presenter?: string): VerifiedToken {
  const shown = { nowMs: 0, isRevoked: () => false, presenter };
  const answer = verifyMacToken(token, new Map([[key.id, key.key]]), shown);
  if (!answer.ok) throw new Error(answer.why);
  return answer;
}

test("its ids come from its tags: a name that somebody chose is nobody's counter (TOKEN-1)", () => {
  const named = mintMacToken(key, caps("tool:*:call"), { id: "agt_1.0" });
  const ids = specsOf(verified(named), 0).map(({ id }) => id);

  expect(ids).toEqual([`tok_${verified(named).blocks[0]?.revocationId}`]);
});

test("presented again, or narrowed in two ways, its first block is the same one (TOKEN-2)", () => {
  const one = attenuateMacToken(minted, caps("tool:pay:call"), { id: "a" });
  const two = attenuateMacToken(minted, caps("tool:pay:call"), { id: "b" });
  const ids = [minted, one, two, one].map((token) =>
    specsOf(verified(token), 0).map(({ id }) => id),
  );

  expect(new Set(ids.map(([first]) => first)).size).toBe(1);
  expect(ids[1]).toEqual(ids[3]);
  expect(ids[1]?.[1]).not.toBe(ids[2]?.[1]);
});

test("only the first block can be trusted, and only when that is said (TOKEN-3)", () => {
  const appended = attenuateMacToken(minted, caps('tool:pay:call{pin.to:"ada"}'), { id: "p" });
  const trust = (options?: { trusted: boolean }) =>
    specsOf(verified(appended), 0, options).map(({ trusted }) => trusted);

  expect(trust()).toEqual([false, false]);
  expect(trust({ trusted: true })).toEqual([true, false]);
});

test("a block belongs to the holder it names, or to itself", () => {
  const hers = mintMacToken(key, caps("tool:*:call{hold:grant}"), { id: "r", holder: "ada" });
  const his = attenuateMacToken(hers, caps("tool:pay:call"), { id: "s", holder: "bob" });

  expect(specsOf(verified(his, "bob"), 0).map(({ holder }) => holder)).toEqual(["ada", "bob"]);
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

test("a block that does not end has no end there either", () => {
  const [spec] = specsOf(verified(mintMacToken(key, caps("tool:*:call"), { id: "r" })), 0);

  expect(spec?.expiresAt).toBeUndefined();
});

test("a time after now becomes the moment it means, before it travels", () => {
  const moment = "tool:z:call{expires:2027-01-01T00:00:00Z}";
  const fixed = fixExpiry(caps("tool:x:call{expires:1h,max:1}", "tool:y:call", moment), 60_000);

  expect(fixed.map(formatCapability)).toEqual([
    "tool:x:call{max:1,expires:1970-01-01T01:01:00Z}",
    "tool:y:call",
    moment,
  ]);
});
