import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isSignedBy, publicKeyOf, signWith } from "./ed25519.ts";
import { parseCapability } from "../capability/grammar.ts";
import {
  attenuateSignedToken,
  mintSignedToken,
  sealSignedToken,
  verifySignedToken,
} from "./signed-token.ts";
import { TokenError } from "./token-block.ts";
import type { PresentedToken, TokenRefusal, VerifiedToken } from "./token.ts";

const seed = (n: number) => Buffer.alloc(32, n);
const issuer = { name: "example.com", seed: seed(1) };
const issuers = new Map([[issuer.name, publicKeyOf(issuer.seed)]]);
const shown: PresentedToken = { nowMs: 1000, isRevoked: () => false };

const caps = (...texts: string[]) => texts.map(parseCapability);
const WIDE = caps("file:/work/**:read,write{max:5}", 'tool:pay:call{pin.to:"ada"}');
const NARROW = caps("file:/work/a:read");

const minted = mintSignedToken(issuer, WIDE, { id: "root", expiresAt: 5000 }, seed(2));
const once = attenuateSignedToken(minted, caps("file:/work/*:read"), { id: "one" }, seed(3));
const twice = attenuateSignedToken(once, NARROW, { id: "two", expiresAt: 3000 }, seed(4));
const sealed = sealSignedToken(twice);

function verify(token: string, change: Partial<PresentedToken> = {}): VerifiedToken | TokenRefusal {
  return verifySignedToken(token, issuers, { ...shown, ...change });
}

function codeOf(token: string, change: Partial<PresentedToken> = {}): string {
  const answer = verify(token, change);
  return answer.ok ? "ok" : answer.code;
}

function idsOf(token: string): string[] {
  const answer = verify(token);
  return answer.ok ? answer.blocks.map(({ revocationId }) => revocationId) : [];
}

const b64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

/** A token of one raw block, well signed by the issuer: what only a dishonest issuer can make. */
function handmade(block: string | Buffer, end = `k${b64(seed(2))}`): string {
  const bytes = Buffer.from(block);
  const text = Buffer.concat([Buffer.from("aos2 block\0"), bytes]);
  return ["aos2", b64(bytes), b64(signWith(issuer.seed, text)), end].join(".");
}

describe("a token that was minted and narrowed offline is good for who knows the issuer", () => {
  test("open or sealed, with its blocks in order", () => {
    const blocks = [
      { id: "root", holder: null, caps: WIDE, expiresAt: 5000 },
      { id: "one", caps: caps("file:/work/*:read"), expiresAt: null },
      { id: "two", caps: NARROW, expiresAt: 3000 },
    ];

    expect(verify(twice)).toMatchObject({
      ok: true,
      issuer: "example.com",
      blocks,
      isSealed: false,
    });
    expect(verify(sealed)).toMatchObject({ ok: true, version: "aos2", blocks, isSealed: true });
  });

  test("its form is fixed", () => {
    const key = b64(publicKeyOf(seed(2)));
    const text = `["r",null,["tool:x:call"],null,null,"${key}","example.com"]`;

    expect(mintSignedToken(issuer, caps("tool:x:call"), { id: "r" }, seed(2))).toBe(handmade(text));
  });

  test("the form of its seal and of its revocation ids is fixed: the last signature sealed, each hashed", () => {
    const signatures = [2, 4, 6].map((i) =>
      Buffer.from(twice.split(".")[i] as string, "base64url"),
    );
    const last = signatures.at(-1) as Buffer;
    const seal = signWith(seed(4), Buffer.concat([Buffer.from("aos2 seal\0"), last]));

    expect(sealed).toBe([...twice.split(".").slice(0, -1), `s${b64(seal)}`].join("."));
    expect(idsOf(twice)).toEqual(
      signatures.map((one) => createHash("sha256").update(one).digest("hex").slice(0, 32)),
    );
  });

  test("a block keeps its revocation id under attenuation and sealing", () => {
    expect(idsOf(twice)).toHaveLength(3);
    expect(new Set(idsOf(twice)).size).toBe(3);
    expect(idsOf(sealed)).toEqual(idsOf(twice));
    expect(idsOf(minted)).toEqual(idsOf(twice).slice(0, 1));
  });

  test("sealing is the end: nothing is appended, and sealing again changes nothing", () => {
    expect(sealSignedToken(sealed)).toBe(sealed);
    expect(() => attenuateSignedToken(sealed, NARROW, { id: "x" }, seed(5))).toThrow("sealed");
    expect(sealed).not.toContain(b64(seed(4)));
  });
});

describe("a token that was tampered with is refused (SIGNED-TOKEN-1, SIGNED-TOKEN-2, SIGNED-TOKEN-3, E12)", () => {
  const parts = twice.split(".");
  const [, b0, s0, b1, s1, b2, s2, end] = parts;
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

  test.each([
    ["open", twice],
    ["sealed", sealed],
  ])("every character changed, %s", (_, token) => {
    for (let at = 0; at < token.length; at++) {
      const other = alphabet[(alphabet.indexOf(token.charAt(at)) + 1) % 64] as string;
      for (const character of [other, "=", "."]) {
        if (character === token[at]) continue;
        expect(codeOf(token.slice(0, at) + character + token.slice(at + 1))).not.toBe("ok");
      }
    }
  });

  test("cut at every length, or with anything appended", () => {
    for (let length = 0; length < twice.length; length++) {
      expect(codeOf(twice.slice(0, length))).not.toBe("ok");
    }
    for (const tail of ["A", "=", ".", ".AA", ".AA.AA"])
      expect(codeOf(sealed + tail)).not.toBe("ok");
  });

  test.each([
    ["the last block dropped, its key kept", ["aos2", b0, s0, b1, s1, end]],
    ["a middle block dropped", ["aos2", b0, s0, b2, s2, end]],
    ["the first block dropped", ["aos2", b1, s1, b2, s2, end]],
    ["blocks in another order", ["aos2", b0, s0, b2, s2, b1, s1, end]],
    ["a block repeated", ["aos2", b0, s0, b1, s1, b1, s1, b2, s2, end]],
    ["signatures exchanged", ["aos2", b0, s1, b1, s0, b2, s2, end]],
    ["the end dropped", ["aos2", b0, s0, b1, s1, b2, s2]],
    ["the end of a shorter token", ["aos2", b0, s0, b1, s1, b2, s2, once.split(".").at(-1)]],
    ["a key of one's own", ["aos2", b0, s0, b1, s1, b2, s2, `k${b64(seed(9))}`]],
    ["the seal of another token", ["aos2", b0, s0, b1, s1, sealed.split(".").at(-1)]],
    ["a key called a seal", ["aos2", b0, s0, b1, s1, b2, s2, `s${end?.slice(1)}`]],
    [
      "a seal called a key",
      ["aos2", b0, s0, b1, s1, b2, s2, `k${sealed.split(".").at(-1)?.slice(1)}`],
    ],
    ["nothing in between", ["aos2", end]],
    ["nothing", ["aos2"]],
  ])("%s", (_, some) => {
    expect(codeOf(some.join("."))).not.toBe("ok");
  });

  test("a block that was moved to another token of the same keys is refused (SIGNED-TOKEN-2)", () => {
    const other = mintSignedToken(issuer, NARROW, { id: "root2" }, seed(2));
    const moved = [...other.split(".").slice(0, 3), b1, s1, `k${b64(seed(3))}`].join(".");

    expect(codeOf(moved)).toBe("signature");
  });

  test("a foreign key is refused, under the issuer's name and under its own", () => {
    const foreign = (name: string) =>
      mintSignedToken({ name, seed: seed(9) }, WIDE, { id: "r" }, seed(2));

    expect(codeOf(foreign("example.com"))).toBe("signature");
    expect(codeOf(foreign("evil.com"))).toBe("key");
    expect(codeOf(minted.replace("aos2", "aos1"))).toBe("version");
  });

  test("a public key or a signature that is none is refused, not an error", () => {
    for (const bytes of [0, 255]) {
      const answer = verifySignedToken(
        minted,
        new Map([["example.com", Buffer.alloc(32, bytes)]]),
        shown,
      );
      expect(answer).toMatchObject({ ok: false, code: "signature" });
    }
    const short = verifySignedToken(minted, new Map([["example.com", Buffer.alloc(31)]]), shown);
    expect(short).toMatchObject({ ok: false, code: "signature" });
    expect(codeOf(`aos2.${b0}.AA.${minted.split(".")[3]}`)).toBe("signature");
  });
});

describe("even well signed, only the one form of a block is read", () => {
  const key = b64(publicKeyOf(seed(2)));
  const good = `["r",null,["tool:x:call"],null,null,"${key}","example.com"]`;

  test.each([
    ["the form itself", good, "ok"],
    ["spaces", good.replace(",", ", "), "format"],
    ["a capability that is not canonical", good.replace(":call", ":*"), "format"],
    ["no audience, no key", '["r",null,["tool:x:call"],null]', "format"],
    ["no issuer", good.replace(',"example.com"', ""), "format"],
    ["an issuer that is a number", good.replace('"example.com"', "1"), "format"],
    ["an audience that is a number", good.replace("null,null", "null,1"), "format"],
    ["a key that is a number", good.replace(`"${key}"`, "1"), "format"],
    ["no key", good.replace(`"${key}"`, "null"), "format"],
    ["an issuer that is null", good.replace('"example.com"', "null"), "format"],
    ["more than a block has", good.replace('"example.com"', '"example.com","x"'), "format"],
    ["an audience without a name", good.replace("null,null", 'null,""'), "format"],
    ["a key that is too short", good.replace(key, b64(seed(2).subarray(1))), "format"],
    ["a key with another spelling", good.replace(key, `${key}=`), "format"],
    ["an expiry after something", good.replace(":call", ":call{expires:1h}"), "format"],
    ["hold without a holder", good.replace(":call", ":call{hold:use}"), "format"],
  ])("%s", (_, text, code) => {
    expect(codeOf(handmade(text))).toBe(code);
  });

  test("a later block that names an issuer, an id used twice, more than 16 blocks", () => {
    let token = mintSignedToken(issuer, NARROW, { id: "b0" }, seed(2));
    expect(() => attenuateSignedToken(token, NARROW, { id: "b0" }, seed(3))).toThrow("same id");
    for (let i = 1; i < 16; i++) {
      token = attenuateSignedToken(token, NARROW, { id: `b${i}` }, seed(3));
    }

    expect(codeOf(token)).toBe("ok");
    expect(() => attenuateSignedToken(token, NARROW, { id: "b16" }, seed(3))).toThrow("16 blocks");
    const [version, ...parts] = token.split(".");
    expect(codeOf([version, parts[0], parts[0], ...parts].join("."))).toBe("format");
    expect(codeOf(append(token, '["b16",null,["tool:x:call"],null,null,KEY]', 3))).toBe("format");
    expect(codeOf(append(minted, '["b1",null,["tool:x:call"],null,null,KEY]', 2))).toBe("ok");
    expect(codeOf(append(minted, '["b1",null,["tool:x:call"],null,null,KEY,"x"]', 2))).toBe(
      "format",
    );
    expect(codeOf(append(minted, '["root",null,["tool:x:call"],null,null,KEY]', 2))).toBe("format");
  });

  /** Appends raw bytes, well signed with the key of the token's end. */
  function append(token: string, text: string, lastSeed: number): string {
    const parts = token.split(".");
    const before = Buffer.from(parts.at(-2) as string, "base64url");
    const bytes = Buffer.from(text.replace("KEY", `"${b64(publicKeyOf(seed(8)))}"`));
    const message = Buffer.concat([Buffer.from("aos2 block\0"), before, bytes]);
    const signature = signWith(seed(lastSeed), message);
    return [...parts.slice(0, -1), b64(bytes), b64(signature), `k${b64(seed(8))}`].join(".");
  }
});

describe("a good token is still refused", () => {
  test("it is refused from the first millisecond of any block's expiry", () => {
    expect(codeOf(sealed, { nowMs: 2999 })).toBe("ok");
    expect(codeOf(sealed, { nowMs: 3000 })).toBe("expired");
    expect(codeOf(minted, { nowMs: 5000 })).toBe("expired");
  });

  test("when any of its blocks is revoked", () => {
    const revoked = (i: number) => ({ isRevoked: (id: string) => id === idsOf(twice)[i] });

    expect([0, 1, 2].map((i) => codeOf(twice, revoked(i)))).toEqual(Array(3).fill("revoked"));
    expect([0, 1, 2].map((i) => codeOf(minted, revoked(i)))).toEqual(["revoked", "ok", "ok"]);
  });

  test("when it names a holder and another presents it", () => {
    const hers = mintSignedToken(issuer, WIDE, { id: "r", holder: "ada" }, seed(2));

    expect(codeOf(hers, { presenter: "ada" })).toBe("ok");
    expect(codeOf(hers, { presenter: "bob" })).toBe("holder");
    expect(codeOf(hers)).toBe("holder");
  });

  test("when any block is for an audience and the verifier is another, or nameless", () => {
    const there = mintSignedToken(issuer, WIDE, { id: "r", audience: "there.org" }, seed(2));
    const nowhere = attenuateSignedToken(there, NARROW, { id: "s", audience: "x.org" }, seed(3));
    const at = (token: string) =>
      ["there.org", "x.org", undefined].map((audience) => codeOf(token, { audience }));

    expect(at(there)).toEqual(["ok", "audience", "audience"]);
    expect(at(nowhere)).toEqual(["audience", "audience", "audience"]);
  });
});

test.each<[string, () => string]>([
  ["nothing to hold", () => mintSignedToken(issuer, [], { id: "r" }, seed(2))],
  ["no issuer", () => mintSignedToken({ ...issuer, name: "" }, WIDE, { id: "r" }, seed(2))],
  ["no audience", () => mintSignedToken(issuer, WIDE, { id: "r", audience: "" }, seed(2))],
  [
    "hold alone",
    () => mintSignedToken(issuer, caps("tool:x:call{hold:use}"), { id: "r" }, seed(2)),
  ],
  ["not a token", () => attenuateSignedToken("aos2.x", NARROW, { id: "s" }, seed(3))],
  ["not a token to seal", () => sealSignedToken("aos1.x")],
])("what no token can carry is not written: %s", (_, write) => {
  expect(write).toThrow(TokenError);
});

test("a seed has 32 bytes", () => {
  expect(() => publicKeyOf(new Uint8Array(31))).toThrow("32 bytes");
  expect(() => mintSignedToken(issuer, WIDE, { id: "r" }, new Uint8Array(33))).toThrow("32 bytes");
  expect(isSignedBy(new Uint8Array(0), new Uint8Array(0), new Uint8Array(64))).toBe(false);
});
