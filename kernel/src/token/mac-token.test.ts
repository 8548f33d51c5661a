import { createHash, createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parseCapability } from "../capability/grammar.ts";
import { attenuateMacToken, mintMacToken, verifyMacToken } from "./mac-token.ts";
import { TokenError } from "./token-block.ts";
import type { PresentedToken, TokenRefusal, VerifiedToken } from "./token.ts";

const key = { id: "k1", key: Buffer.alloc(32, 7) };
const keys = new Map([[key.id, key.key]]);
const shown: PresentedToken = { nowMs: 1000, isRevoked: () => false };

const caps = (...texts: string[]) => texts.map(parseCapability);
const WIDE = caps("file:/work/**:read,write{max:5}", 'tool:pay:call{pin.to:"ada"}');
const NARROW = caps("file:/work/a:read");

const minted = mintMacToken(key, WIDE, { id: "root", expiresAt: 5000 });
const twice = attenuateMacToken(
  attenuateMacToken(minted, caps("file:/work/*:read"), { id: "one" }),
  NARROW,
  { id: "two", expiresAt: 3000 },
);

function verify(token: string, change: Partial<PresentedToken> = {}): VerifiedToken | TokenRefusal {
  return verifyMacToken(token, keys, { ...shown, ...change });
}

function codeOf(token: string, change: Partial<PresentedToken> = {}): string {
  const answer = verify(token, change);
  return answer.ok ? "ok" : answer.code;
}

/** A token of the given raw texts, with good tags: what a holder of the key could make by hand. */
function handmade(...blocks: string[]): string {
  return made(blocks.map((text) => Buffer.from(text)));
}

function made(blocks: readonly Uint8Array[]): string {
  const parts = blocks.map((block) => Buffer.from(block).toString("base64url"));
  return ["aos1", ...parts, tagOf(blocks)].join(".");
}

function tagOf(blocks: readonly Uint8Array[]): string {
  let tag: Uint8Array = key.key;
  for (const block of blocks) tag = createHmac("sha256", tag).update(block).digest();
  return Buffer.from(tag).toString("base64url");
}

describe("a token that was minted, and narrowed offline, is good", () => {
  test("its blocks are in order, and each has a revocation id", () => {
    const answer = verify(twice);

    expect(answer).toMatchObject({
      ok: true,
      version: "aos1",
      issuer: "k1",
      holder: null,
      isSealed: false,
      blocks: [
        { id: "root", holder: null, caps: WIDE, expiresAt: 5000 },
        { id: "one", caps: caps("file:/work/*:read"), expiresAt: null },
        { id: "two", caps: NARROW, expiresAt: 3000 },
      ],
    });
    const ids = answer.ok ? answer.blocks.map(({ revocationId }) => revocationId) : [];
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => /^[0-9a-f]{32}$/u.test(id))).toBe(true);
  });

  test("whoever verifies it: it is for no audience", () => {
    expect(codeOf(minted, { audience: "here.org" })).toBe("ok");
  });

  test("its form is fixed: block, then HMAC, each base64url", () => {
    const text = '["r",null,["tool:x:call"],null,"k1"]';

    expect(mintMacToken(key, caps("tool:x:call"), { id: "r" })).toBe(handmade(text));
  });

  test("a revocation id is made of the tag, and does not tell it", () => {
    const answer = verify(minted);
    const tag = Buffer.from(minted.split(".")[2] as string, "base64url");
    const id = createHash("sha256").update("aos1 revocation\0").update(tag).digest("hex");

    expect(answer).toMatchObject({ blocks: [{ revocationId: id.slice(0, 32) }] });
  });

  test("a block keeps its revocation id under any attenuation", () => {
    const ids = [minted, twice].map((token) => {
      const answer = verify(token);
      return answer.ok ? answer.blocks[0]?.revocationId : "";
    });

    expect(ids[0]).toBe(ids[1]);
  });
});

describe("a token that was tampered with is refused (MAC-TOKEN-1, E12)", () => {
  const parts = twice.split(".");
  const without = (i: number) => parts.filter((_, at) => at !== i).join(".");

  test("a change of any character is refused", () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (let at = 0; at < twice.length; at++) {
      const other = alphabet[(alphabet.indexOf(twice.charAt(at)) + 1) % 64] as string;
      for (const character of [other, "=", ".", "+", "\u00e9"]) {
        if (character === twice[at]) continue;
        expect(codeOf(twice.slice(0, at) + character + twice.slice(at + 1))).not.toBe("ok");
      }
    }
  });

  test("cut at every length, or with anything appended", () => {
    for (let length = 0; length < twice.length; length++) {
      expect(codeOf(twice.slice(0, length))).not.toBe("ok");
    }
    for (const tail of ["A", "=", ".", ".AA", "\n"]) expect(codeOf(twice + tail)).not.toBe("ok");
  });

  test.each([
    ["a block dropped", without(2)],
    ["the last block dropped", without(3)],
    ["the tag dropped", without(4)],
    ["blocks in another order", [parts[0], parts[1], parts[3], parts[2], parts[4]].join(".")],
    ["a block repeated", [...parts.slice(0, 3), parts[2], ...parts.slice(3)].join(".")],
    ["the tag of the shorter token", [...parts.slice(0, 4), minted.split(".")[2]].join(".")],
    [
      "another root below the same tag",
      [parts[0], parts[2], parts[2], parts[3], parts[4]].join("."),
    ],
    ["nothing", ""],
    ["only the version", "aos1"],
    ["only a tag", `aos1.${parts[4]}`],
  ])("%s", (_, token) => {
    expect(codeOf(token)).not.toBe("ok");
  });

  test("another key, of the same name or of an unknown one", () => {
    const other = { ...key, key: Buffer.alloc(32, 8) };

    expect(codeOf(mintMacToken(other, WIDE, { id: "r" }))).toBe("signature");
    expect(codeOf(mintMacToken({ ...key, id: "k2" }, WIDE, { id: "r" }))).toBe("key");
  });

  test("another version is refused", () => {
    expect(codeOf(minted.replace("aos1", "aos2"))).toBe("version");
    expect(codeOf(minted.replace("aos1", "aos3"))).toBe("version");
  });

  test("a key that is too short is no key", () => {
    const short = { id: "k1", key: new Uint8Array(31) };

    expect(() => mintMacToken(short, WIDE, { id: "r" })).toThrow("at least 32 bytes");
    const answer = verifyMacToken(minted, new Map([["k1", short.key]]), shown);
    expect(answer).toMatchObject({ ok: false, code: "key" });
  });
});

describe("even with a good tag, only the one form of a block is read (TOKEN-BLOCK-1)", () => {
  const good = '["r",null,["tool:x:call"],null,"k1"]';

  test.each([
    ["the form itself", good, "ok"],
    ["spaces", '["r",null, ["tool:x:call"],null,"k1"]', "format"],
    ["an escape that need not be", '["\\u0072",null,["tool:x:call"],null,"k1"]', "format"],
    ["a capability that is not canonical", '["r",null,["tool:x:*"],null,"k1"]', "format"],
    ["a capability that is none", '["r",null,["tool:x"],null,"k1"]', "format"],
    ["a capability in a list", '["r",null,[["tool:x:call"]],null,"k1"]', "format"],
    ["no capability", '["r",null,[],null,"k1"]', "format"],
    ["an expiry after something", '["r",null,["tool:x:call{expires:1h}"],null,"k1"]', "format"],
    ["hold without a holder", '["r",null,["tool:x:call{hold:use}"],null,"k1"]', "format"],
    ["no id", '["",null,["tool:x:call"],null,"k1"]', "format"],
    ["an invisible id", '["\u200b",null,["tool:x:call"],null,"k1"]', "format"],
    ["an id that is a number", '[1,null,["tool:x:call"],null,"k1"]', "format"],
    ["a holder that is a number", '["r",1,["tool:x:call"],null,"k1"]', "format"],
    ["an empty holder", '["r","",["tool:x:call"],null,"k1"]', "format"],
    ["capabilities that are no list", '["r",null,"tool:x:call",null,"k1"]', "format"],
    ["an expiry that is no moment", '["r",null,["tool:x:call"],"9999","k1"]', "format"],
    ["half a millisecond", '["r",null,["tool:x:call"],9999.5,"k1"]', "format"],
    ["before time", '["r",null,["tool:x:call"],-1,"k1"]', "format"],
    ["no key", '["r",null,["tool:x:call"],null]', "format"],
    ["a key that is a number", '["r",null,["tool:x:call"],null,1]', "format"],
    ["a key that is null", '["r",null,["tool:x:call"],null,null]', "format"],
    ["a number more", '["r",null,["tool:x:call"],null,"k1",1]', "format"],
    ["a name more", '["r",null,["tool:x:call"],null,"k1","k1"]', "format"],
    ["an object", '{"id":"r"}', "format"],
    ["no JSON", '["r"', "format"],
    ["a mark before it", `\ufeff${good}`, "format"],
  ])("%s", (_, text, code) => {
    expect(codeOf(handmade(text))).toBe(code);
  });

  test("bytes that are no text", () => {
    expect(codeOf(made([Buffer.concat([Buffer.from(good), Buffer.from([0xff])])]))).toBe("format");
  });

  test("a later block that names a key, and an id used twice", () => {
    expect(codeOf(handmade(good, '["s",null,["tool:x:call"],null]'))).toBe("ok");
    expect(codeOf(handmade(good, '["s",null,["tool:x:call"],null,"k1"]'))).toBe("format");
    expect(codeOf(handmade(good, '["r",null,["tool:x:call"],null]'))).toBe("format");
  });

  test("128 capabilities and 256 characters of a name are not too many", () => {
    const most = mintMacToken(key, Array(128).fill(NARROW[0]), { id: "r".repeat(256) });

    expect(codeOf(most)).toBe("ok");
    expect(() => mintMacToken(key, NARROW, { id: "r".repeat(257) })).toThrow("256");
  });

  test("from a capability with hold on, every block names its holder (TOKEN-BLOCK-3)", () => {
    const first = '["r","ada",["file:/a:read","tool:x:call{hold:grant}"],null,"k1"]';

    expect(codeOf(handmade(first, '["s",null,["tool:x:call"],null]'))).toBe("format");
    expect(codeOf(handmade(first, '["s","bob",["tool:x:call"],null]'), { presenter: "bob" })).toBe(
      "ok",
    );
  });

  test("more than 16 blocks, or more than 32 KiB, are refused; nothing longer can be made", () => {
    const blocks = Array.from({ length: 16 }, (_, i) => `["s${i}",null,["tool:x:call"],null]`);
    const first = (blocks[0] as string).replace("]", "]").replace(/null\]$/u, 'null,"k1"]');
    const full = handmade(first, ...blocks.slice(1));

    expect(codeOf(full)).toBe("ok");
    expect(codeOf(handmade(first, ...blocks.slice(1), good))).toBe("format");
    const [version, ...parts] = full.split(".");
    expect(codeOf([version, parts[0], ...parts].join("."))).toBe("format");
    expect(() => attenuateMacToken(full, NARROW, { id: "x" })).toThrow("more than 16 blocks");
    const long = caps(...Array.from({ length: 9 }, (_, i) => `tool:${i}${"a".repeat(3000)}:call`));
    expect(() => mintMacToken(key, long, { id: "x" })).toThrow("at most 32768 characters");
    const half = `"tool:${"a".repeat(4000)}:call"`;
    const big = (id: string, tail: string) =>
      `["${id}",null,[${half},${half},${half},${half}],null${tail}]`;
    expect(codeOf(handmade(big("r", ',"k1"')))).toBe("ok");
    expect(codeOf(handmade(big("r", ',"k1"'), big("s", "")))).toBe("format");
  });
});

describe("a good token is still refused", () => {
  test("it is refused from the first millisecond of any block's expiry (E13)", () => {
    expect(codeOf(twice, { nowMs: 2999 })).toBe("ok");
    expect(codeOf(twice, { nowMs: 3000 })).toBe("expired");
    expect(codeOf(minted, { nowMs: 4999 })).toBe("ok");
    expect(codeOf(minted, { nowMs: 5000 })).toBe("expired");
    expect(codeOf(minted, { nowMs: NaN })).toBe("expired");
  });

  test("when any of its blocks is revoked, and no other token with it", () => {
    const answer = verify(twice);
    const ids = answer.ok ? answer.blocks.map(({ revocationId }) => revocationId) : [];
    const revoked = (i: number) => ({ isRevoked: (id: string) => id === ids[i] });

    expect([0, 1, 2].map((i) => codeOf(twice, revoked(i)))).toEqual(Array(3).fill("revoked"));
    expect([0, 1, 2].map((i) => codeOf(minted, revoked(i)))).toEqual(["revoked", "ok", "ok"]);
  });

  test("an error of who asks is no answer", () => {
    const isRevoked = () => {
      throw new Error("no list");
    };

    expect(() => verify(minted, { isRevoked })).toThrow("no list");
  });

  test("when it names a holder and another presents it", () => {
    const hers = mintMacToken(key, WIDE, { id: "r", holder: "ada" });
    const his = attenuateMacToken(hers, NARROW, { id: "s", holder: "bob" });
    const still = attenuateMacToken(hers, NARROW, { id: "s" });

    expect(["ada", "bob", undefined].map((presenter) => codeOf(hers, { presenter }))).toEqual([
      "ok",
      "holder",
      "holder",
    ]);
    expect(["ada", "bob"].map((presenter) => codeOf(his, { presenter }))).toEqual(["holder", "ok"]);
    expect(["ada", "bob"].map((presenter) => codeOf(still, { presenter }))).toEqual([
      "ok",
      "holder",
    ]);
  });
});

const keyless = handmade('["r",null,["tool:x:call"],null]');

test.each<[string, () => string]>([
  ["nothing to hold", () => mintMacToken(key, [], { id: "r" })],
  ["no id", () => mintMacToken(key, WIDE, { id: "" })],
  ["no key id", () => mintMacToken({ ...key, id: "" }, WIDE, { id: "r" })],
  [
    "an expiry after something",
    () => mintMacToken(key, caps("tool:x:call{expires:1h}"), { id: "r" }),
  ],
  ["hold without a holder", () => mintMacToken(key, caps("tool:x:call{hold:use}"), { id: "r" })],
  ["too many", () => mintMacToken(key, Array(129).fill(NARROW[0]), { id: "r" })],
  ["an id twice", () => attenuateMacToken(minted, NARROW, { id: "root" })],
  ["no key named", () => attenuateMacToken(keyless, NARROW, { id: "s" })],
  ["not a token", () => attenuateMacToken("aos1.x", NARROW, { id: "s" })],
  ["another version", () => attenuateMacToken("aos2.AA.AA", NARROW, { id: "s" })],
])("what no token can carry is not written: %s", (_, write) => {
  expect(write).toThrow(TokenError);
});
